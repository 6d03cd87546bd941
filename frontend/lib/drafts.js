/** What was half typed, kept by the tab: it outlives every update of the page, and a reload where no person is told apart. */

import { ofTab } from "./storage.js";

const PREFIX = "detour.draft.";

/** @param {string} name of the box or the form */
export function draftOf(name) {
  try {
    return ofTab.get(PREFIX + name) ?? "";
  } catch {
    return ""; // A browser may keep its storage from pages.
  }
}

/** @param {string} name @param {string} text "" forgets it */
export function keepDraft(name, text) {
  try {
    if (text) ofTab.set(PREFIX + name, text);
    else ofTab.drop(PREFIX + name);
  } catch {
    // Then it lasts as long as the page does.
  }
}
