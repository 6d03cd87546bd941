/** The small signs of the page, drawn in the colour of the text beside them; what they mean always stands there too. */

import { svg } from "./dom.js";

/** @type {Object<string, string>} paths in a square of 16 */
const PATHS = {
  waiting: "M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11",
  searching: "M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 1 1 0-9M10.4 10.4l3.1 3.1",
  "needs-you": "M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11M8 5.2v3.4M8 10.8v.2",
  adjusting: "M3 6h8.5l-2.2-2.2M13 10H4.5l2.2 2.2",
  stopping: "M5 5h6v6H5z",
  done: "M3.5 8.5l3 3l6-7",
  stopped: "M5 5h6v6H5z",
  failed: "M4.5 4.5l7 7M11.5 4.5l-7 7",
  unfold: "M4 6l4 4l4-4",
  edit: "M3.5 12.5l.7-2.7l6.3-6.3l2 2l-6.3 6.3z",
};

/**
 * A sign that says nothing to screen readers.
 *
 * @param {string} name
 */
export function icon(name) {
  return svg(
    "svg",
    { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true", focusable: "false" },
    svg("path", { d: PATHS[name] ?? PATHS.waiting ?? "" }),
  );
}
