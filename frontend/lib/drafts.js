/** What was half typed, kept by the tab: it outlives a reload, and every update of the page. */

const PREFIX = "detour.draft.";

/** @param {string} name of the box or the form */
export function draftOf(name) {
  try {
    return sessionStorage.getItem(PREFIX + name) ?? "";
  } catch {
    return ""; // A browser may keep its storage from pages.
  }
}

/** @param {string} name @param {string} text "" forgets it */
export function keepDraft(name, text) {
  try {
    if (text) sessionStorage.setItem(PREFIX + name, text);
    else sessionStorage.removeItem(PREFIX + name);
  } catch {
    // Then it lasts as long as the page does.
  }
}
