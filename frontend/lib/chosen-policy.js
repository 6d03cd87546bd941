/** What Enter is to do while something runs, as it was chosen in this browser. */

import { ofBrowser } from "./storage.js";

export const POLICY_KEY = "detour.policy";

export function chosenPolicy() {
  try {
    return ofBrowser.get(POLICY_KEY);
  } catch {
    return null; // A browser may keep its storage from pages.
  }
}

/** @param {import("./policies.js").Policy} policy */
export function choosePolicy(policy) {
  try {
    ofBrowser.set(POLICY_KEY, policy);
  } catch {
    // Then it lasts as long as the page does.
  }
}
