/** What a message does to the task that runs: what the page offers, what was chosen, and how that is said. */

import { ofBrowser } from "./storage.js";

/**
 * @typedef {import("./reduce.js").State} State
 * @typedef {"interrupt" | "steer" | "enqueue"} Policy
 */

/** @type {Object<Policy, {name: string, does: string, means: string}>} */
const WORDS = {
  interrupt: { name: "Interrupt", does: "interrupts", means: "ends the current run" },
  steer: { name: "Steer", does: "steers", means: "the current run takes it in" },
  enqueue: { name: "Enqueue", does: "enqueues", means: "it waits for the current run to end" },
};

/** Those that do something: a graph that can't take messages in has them wait. @param {boolean} steers @returns {Policy[]} */
export function policies(steers) {
  return steers ? ["interrupt", "steer", "enqueue"] : ["interrupt", "enqueue"];
}

/**
 * What Enter does: as was chosen here, else as the server does by itself.
 *
 * @param {State["policy"]} policy
 * @param {boolean} steers
 * @returns {Policy}
 */
export function policyOf({ chosen, server }, steers) {
  const offered = policies(steers);
  for (const wanted of [chosen, server]) {
    if (wanted === "steer" && !steers) return "enqueue";
    const found = offered.find((policy) => policy === wanted);
    if (found) return found;
  }
  return "interrupt";
}

/** What Enter does with the second key. @param {Policy} policy @param {boolean} steers @returns {Policy} */
export function otherPolicy(policy, steers) {
  const other = steers ? "steer" : "enqueue";
  return policy === other ? "interrupt" : other;
}

/** @param {Policy} policy */
export function wordsOf(policy) {
  return WORDS[policy];
}

/** "Enter steers: the current run takes it in." @param {Policy} policy */
export function enterWords(policy) {
  return `Enter ${WORDS[policy].does}: ${WORDS[policy].means}.`;
}

/** "Ctrl+Enter interrupts." @param {Policy} policy @param {boolean} isMac */
export function otherWords(policy, isMac) {
  return `${isMac ? "⌘+Enter" : "Ctrl+Enter"} ${WORDS[policy].does}.`;
}

// --- The policy chosen in this browser

export const POLICY_KEY = "detour.policy";

export function chosenPolicy() {
  try {
    return ofBrowser.get(POLICY_KEY);
  } catch {
    return null; // A browser may keep its storage from pages.
  }
}

/** @param {Policy} policy */
export function choosePolicy(policy) {
  try {
    ofBrowser.set(POLICY_KEY, policy);
  } catch {
    // Then it lasts as long as the page does.
  }
}
