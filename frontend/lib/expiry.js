/** Until when something is open, in words, and when those words change. */

/** How long before its end that is said, in milliseconds. */
export const SOON_MS = 120_000;

/**
 * "Open until 20:30"; near the end, "Less than 2 minutes left", and then "Time is up".
 *
 * @param {string | null} expiresAt
 * @param {number} now milliseconds since 1970
 */
export function expiryWords(expiresAt, now) {
  const end = Date.parse(expiresAt ?? "");
  if (Number.isNaN(end)) return "";
  if (end <= now) return "Time is up";
  if (end - now <= SOON_MS) return "Less than 2 minutes left";
  return `Open until ${momentWords(end, now)}`;
}

/**
 * "20:30", on another day "Sat 21 Nov, 20:30"; by this machine's clock.
 *
 * @param {number} moment milliseconds since 1970
 * @param {number} now
 */
export function momentWords(moment, now) {
  const at = new Date(moment);
  const time = at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  if (at.toDateString() === new Date(now).toDateString()) return time;
  return `${at.toLocaleDateString("en-GB", { weekday: "short", day: "numeric", month: "short" })}, ${time}`;
}

const IN_UTC = /\b[A-Z][a-z]{2} (\d{1,2} [A-Z][a-z]+ \d{4} \d\d:\d\d UTC)/g;

/**
 * What the server says, who knows no visitor's clock, by that clock: its "until Fri 4 December 2026 09:05 UTC" is "until
 * 10:05", or "until Fri 4 Dec, 10:05".
 *
 * @param {string} words
 * @param {number} now
 */
export function byOwnClock(words, now) {
  return words.replace(IN_UTC, (said, moment) => (Number.isNaN(Date.parse(moment)) ? said : momentWords(Date.parse(moment), now)));
}

/**
 * In how many milliseconds the words change; null where they don't any more.
 *
 * @param {string | null} expiresAt
 * @param {number} now
 */
export function nextChange(expiresAt, now) {
  const end = Date.parse(expiresAt ?? "");
  if (Number.isNaN(end) || end <= now) return null;
  return end - now > SOON_MS ? end - now - SOON_MS : end - now;
}

/**
 * Keep a node's text at those words, until a signal says that nobody looks any more.
 *
 * @param {HTMLElement} node
 * @param {string | null} expiresAt
 * @param {AbortSignal} leaving
 */
export function keepExpiry(node, expiresAt, leaving) {
  const words = expiryWords(expiresAt, serverNow());
  if (node.textContent !== words) node.textContent = words;
  const pause = nextChange(expiresAt, serverNow());
  // A timer holds 2^31 milliseconds at most; what is open for longer than a day is looked at again tomorrow.
  if (pause === null || leaving.aborted) return;
  const timer = setTimeout(() => keepExpiry(node, expiresAt, leaving), Math.min(pause, 86_400_000));
  leaving.addEventListener("abort", () => clearTimeout(timer), { once: true });
}

// --- The server's clock: the visitor's may be wrong by a day

/** How much the server's clock is ahead of this machine's, in milliseconds. */
let ahead = 0;

/**
 * Take the time from what the server has just said.
 *
 * @param {string | undefined} at an ISO time; what is none changes nothing
 */
export function setClock(at) {
  const told = Date.parse(at ?? "");
  if (!Number.isNaN(told)) ahead = told - Date.now();
}

/** Milliseconds since 1970, by the server's clock. */
export function serverNow() {
  return Date.now() + ahead;
}
