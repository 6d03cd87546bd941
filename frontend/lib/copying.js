/** Copies a text, and says on its button for a moment that it is done. */

import { setText } from "./dom.js";

const SAID_MS = 2000;

/** @param {HTMLElement} button @param {string} text */
export async function copy(button, text) {
  const label = button.textContent ?? "";
  const copied = await navigator.clipboard?.writeText(text).then(() => true, () => false);
  setText(button, copied ? "Copied" : "Could not copy");
  setTimeout(() => setText(button, label), SAID_MS);
}
