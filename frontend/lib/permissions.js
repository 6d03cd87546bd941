/** A permission in words: what its two buttons say, what it would do, and what became of it. */

import { capitalised } from "./english.js";
import { byOwnClock, serverNow } from "./expiry.js";

/**
 * @typedef {import("./types.js").InputRequest & {tool?: string}} Permission
 * @typedef {import("./types.js").Resolved & {tool?: string}} Decided
 * @typedef {{allow: string, deny: string, not: string, did: string}} Verbs
 */

/** @type {Verbs} */
const ANY = { allow: "Allow", deny: "Don’t allow", not: "Not done", did: "You agreed" };
/** @type {Verbs} */
const BOOK = { allow: "Book", deny: "Don’t book", not: "Not booked", did: "You agreed to book" };
/** @type {Map<string, Verbs>} */
const VERBS = new Map([
  ["book_flight", BOOK],
  ["book_hotel", BOOK],
  ["book_car", BOOK],
  ["hold_flight", { allow: "Hold it", deny: "Don’t hold it", not: "Not held", did: "You agreed to hold it" }],
  [
    "cancel_booking",
    { allow: "Cancel the booking", deny: "Keep the booking", not: "Not cancelled", did: "You agreed to cancel" },
  ],
]);

/** @param {Permission} permission */
export function verbsOf({ tool }) {
  return VERBS.get(tool ?? "") ?? ANY;
}

/** The facts that tell that nothing is bought. */
const MODES = ["Demo", "Test mode"];

/**
 * The facts as rows, each with its lines; apart from them the total, and whether it is a demo or a seller's test mode,
 * which stands beside the buttons.
 *
 * @param {Permission} permission
 * @returns {{rows: [string, string[]][], total: string, mode: string}}
 */
export function factsOf({ facts }) {
  const { Total: total, ...others } = facts ?? {};
  const told = Object.entries(others);
  const [name, means] = told.find(([title]) => MODES.includes(title)) ?? [];
  return {
    rows: told.filter(([title]) => title !== name).map(([title, value]) => [title, linesOf(text(value))]),
    total: total === undefined ? "" : text(total),
    mode: name ? `${name}: ${text(means)}` : "",
  };
}

/** What is asked, without what the card tells beside its buttons. @param {Permission} permission */
export function questionOf(permission) {
  const { mode } = factsOf(permission);
  return byOwnClock(mode ? permission.prompt.replace(`(${mode}.)`, "").trim() : permission.prompt, serverNow());
}

/**
 * "Larch 197 BER to SVO, …, then Larch 906 …; back with …; economy": every flight on a line of its own.
 *
 * @param {string} words
 */
function linesOf(words) {
  // The first one begins with a name, which is written as its owner writes it.
  return words.split(/; |, (?=then )/).map((line, at) => (at ? capitalised(line) : line));
}

/** Why something is no longer asked, by what ended its task. @type {Map<string, string>} */
const WITHDRAWN = new Map([
  ["superseded", "because you changed your mind"],
  ["stopped", "because it was stopped"],
  ["timed_out", "because time ran out"],
  ["shutdown", "because the server restarted"],
  ["lost", "because the server went away"],
]);

/**
 * One line on what became of a question or a permission; "" where an answer follows, which says so.
 *
 * @param {Decided} resolved
 * @param {string | null} [reason] what ended its task, where something did
 */
export function outcomeLine(resolved, reason) {
  const { kind, outcome } = resolved;
  const why = WITHDRAWN.get(reason ?? "") ?? "since something else came in between";
  if (kind !== "permission") {
    if (outcome === "withdrawn") return `No longer asked, ${why}.`;
    return outcome === "expired" ? "Not answered in time." : "";
  }
  const { not, did } = verbsOf(resolved);
  switch (outcome) {
    case "allowed":
      return `${did}.`;
    case "denied":
      return `${not}: you said no.`;
    case "expired":
      return `${not}: it was not decided in time.`;
    default:
      return `${not}: no longer asked, ${why}.`;
  }
}

/** @param {unknown} value */
function text(value) {
  return byOwnClock(typeof value === "string" ? value : JSON.stringify(value), serverNow());
}
