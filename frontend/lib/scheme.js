/**
 * The colour scheme that was chosen: light, dark, or as the system has it; remembered by the browser.
 *
 * It is shown as soon as this is loaded, which the page does before it is drawn first, so that nothing flashes.
 */

/** @typedef {"system" | "light" | "dark"} Scheme */

const KEY = "detour.scheme";

/** @type {readonly Scheme[]} */
export const SCHEMES = ["system", "light", "dark"];

/** @returns {Scheme} */
export function chosenScheme() {
  try {
    const stored = localStorage.getItem(KEY);
    return SCHEMES.find((scheme) => scheme === stored) ?? "system";
  } catch {
    return "system"; // A browser may keep its storage from pages.
  }
}

/** @param {Scheme} scheme */
export function chooseScheme(scheme) {
  try {
    localStorage.setItem(KEY, scheme);
  } catch {
    // Then it lasts as long as the page does.
  }
  showScheme(scheme);
}

/** @param {Scheme} scheme */
function showScheme(scheme) {
  if (scheme === "system") delete document.documentElement.dataset.scheme;
  else document.documentElement.dataset.scheme = scheme;
}

showScheme(chosenScheme());
