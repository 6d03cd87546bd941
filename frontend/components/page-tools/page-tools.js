/** What belongs to the page and not to a trip: the colours, the shortcuts, and the way to the API's document. */

import { Component } from "../../lib/component.js";
import { element, svg } from "../../lib/dom.js";
import { FACE } from "../../lib/face.js";
import { chosenScheme, chooseScheme, SCHEMES } from "../../lib/scheme.js";

/** @typedef {import("../../lib/scheme.js").Scheme} Scheme */

const SCHEME_NAMES = { system: "System", light: "Light", dark: "Dark" };

/** @type {[string[], string][]} */
const STEERING = FACE.isGraph ? [[["Ctrl", "Enter"], "while something runs: send the other way (⌘ Enter on a Mac)"]] : [];
/** @type {[string[], string][]} */
const SHORTCUTS = [
  [["Enter"], "send the message"],
  ...STEERING,
  [["Shift", "Enter"], "new line"],
  [["Esc"], "in the message box: stop, keeping your text"],
  [["Ctrl", "."], "stop, wherever you are (⌘ . on a Mac)"],
  [["Alt", "Q"], "go to the open question"],
];

/** @extends {Component<import("../../lib/reduce.js").State>} */
class PageTools extends Component {
  #scheme = element("select", { ariaLabel: "Colours" });
  #dialog = element("dialog");

  /** @override */
  build() {
    this.#scheme.append(...SCHEMES.map((value) => element("option", { value }, SCHEME_NAMES[value])));
    this.#scheme.value = chosenScheme();
    this.#scheme.addEventListener("change", () => chooseScheme(/** @type {Scheme} */ (this.#scheme.value)));
    const help = element("button", { type: "button", textContent: "?", ariaLabel: "Shortcuts", title: "Shortcuts" });
    help.addEventListener("click", () => this.#dialog.showModal());
    const icon = svg("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" });
    icon.append(svg("circle", { cx: 8, cy: 8, r: 6 }));
    icon.append(svg("path", { d: "M8 2a6 6 0 0 1 0 12z", fill: "currentColor" }));
    const colours = element("span", { className: "colours" }, icon, this.#scheme);
    this.append(element("a", { href: "/docs", textContent: "API" }), colours, help, this.#dialog);
    this.#fillDialog();
  }

  #fillDialog() {
    const title = element("h2", { id: "shortcuts-title" }, "Shortcuts");
    const rows = SHORTCUTS.map(([keys, what]) => {
      const shown = keys.map((key) => element("kbd", {}, key));
      return element("div", {}, element("dt", {}, ...shown), element("dd", {}, what));
    });
    const close = element("button", { type: "button", textContent: "Close", autofocus: true });
    close.addEventListener("click", () => this.#dialog.close());
    this.#dialog.setAttribute("aria-labelledby", title.id);
    const more = element("p", { className: "quiet" }, "For programs: ");
    more.append(element("a", { href: "/docs", textContent: "the API and its document" }));
    this.#dialog.append(title, element("dl", {}, ...rows), more, element("div", { className: "row" }, close));
  }
}

customElements.define("page-tools", PageTools);
