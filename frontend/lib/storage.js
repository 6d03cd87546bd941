/**
 * What the page keeps in the browser, of the tab or of the browser itself.
 *
 * Where the server tells people apart, that is nothing: words of a person in a browser's storage would be read by whoever
 * uses the browser next, and by a browser's backups. Then it is kept in memory, and a reload asks the server.
 */

import { FACE } from "./face.js";

const PREFIX = "detour.";
/** How the page looks, and what Enter does, is nobody's secret. */
const KEPT = new Set(["detour.scheme", "detour.policy"]);

/** @type {Map<string, string>} */
const memory = new Map();

/** @typedef {{get: (key: string) => string | null, set: (key: string, value: string) => void, drop: (key: string) => void}} Kept */

/** Lasts over a reload. Each call may throw: a browser may keep its storage from pages, or have no room. @type {Kept} */
export const ofTab = keptIn(() => sessionStorage);

/** Lasts until it is dropped; all windows share it. @type {Kept} */
export const ofBrowser = keptIn(() => localStorage);

/** @param {() => Storage} storage @returns {Kept} */
function keptIn(storage) {
  return {
    get: (key) => (isPrivate(key) ? (memory.get(key) ?? null) : storage().getItem(key)),
    set: (key, value) => void (isPrivate(key) ? memory.set(key, value) : storage().setItem(key, value)),
    drop: (key) => void (isPrivate(key) ? memory.delete(key) : storage().removeItem(key)),
  };
}

/** @param {string} key */
function isPrivate(key) {
  return FACE.knowsPersons && !KEPT.has(key);
}

/**
 * Forget what a session has left here. All who have the server's one token are one party: their list of trips stays,
 * since no other place has it.
 */
export function forgetSession() {
  memory.clear();
  forgetIn(() => sessionStorage);
  if (FACE.knowsPersons) forgetIn(() => localStorage);
}

/** @param {() => Storage} storage */
function forgetIn(storage) {
  try {
    const keys = Object.keys(storage()).filter((key) => key.startsWith(PREFIX) && !KEPT.has(key));
    for (const key of keys) storage().removeItem(key);
  } catch {
    // There is none: then nothing was kept.
  }
}

// --- Drafts, kept by the tab

const DRAFT = "detour.draft.";

/** @param {string} name of the box or the form */
export function draftOf(name) {
  try {
    return ofTab.get(DRAFT + name) ?? "";
  } catch {
    return ""; // A browser may keep its storage from pages.
  }
}

/** @param {string} name @param {string} text "" forgets it */
export function keepDraft(name, text) {
  try {
    if (text) ofTab.set(DRAFT + name, text);
    else ofTab.drop(DRAFT + name);
  } catch {
    // Then it lasts as long as the page does.
  }
}

// --- Ids that nobody can guess

const BYTES = 16;

/** 128 random bits in hexadecimal; unlike crypto.randomUUID it also works without https. */
export function randomId() {
  const numbers = crypto.getRandomValues(new Uint8Array(BYTES));
  return [...numbers].map((number) => number.toString(16).padStart(2, "0")).join("");
}
