/** A question of the page that is answered by yes or no, in a dialog that comes and goes. */

import { element } from "./dom.js";

/**
 * @param {{title: string, text: string, yes: string, no: string}} question
 * @returns {Promise<boolean>} whether it was answered by yes
 */
export async function ask({ title, text, yes, no }) {
  const heading = element("h2", { id: "asked-title", dir: "auto" }, title);
  const row = element(
    "form",
    { method: "dialog", className: "row" },
    element("button", { value: "no", autofocus: true }, no),
    element("button", { value: "yes", className: "primary" }, yes),
  );
  const dialog = element("dialog", { className: "asked" }, heading, element("p", {}, text), row);
  dialog.setAttribute("aria-labelledby", heading.id);
  document.body.append(dialog);
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  dialog.remove();
  return dialog.returnValue === "yes";
}
