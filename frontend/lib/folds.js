/** An interruption in words: the one line that an interrupted task folds into, and what that line opens to. */

import { accountOf, toolName } from "./calls.js";
import { counted } from "./english.js";

/**
 * @typedef {import("./types.js").Interrupted} Interrupted
 * @typedef {import("./types.js").Message} Message
 * @typedef {import("./types.js").Receipt} Receipt
 * @typedef {{marker: Message, receipt: Receipt | undefined, left: Interrupted | undefined}} Fold what is known of an
 *   interruption: its marker in the history always; the receipt once it was fetched or came
 */

const REASONS = new Map([
  ["superseded", "Interrupted"],
  ["stopped", "Stopped"],
  ["timed_out", "Time ran out"],
  ["shutdown", "Interrupted by a restart of the server"],
  ["lost", "Interrupted by a failure of the server"],
]);

const THINGS = new Map([
  ["flight", "flight"],
  ["hotel", "hotel"],
  ["car", "car"],
  ["planner", "plan"],
]);

/** @type {Map<string, string>} */
const ADOPTED = new Map([
  ["search_flights", "flight search goes on"],
  ["search_hotels", "hotel search goes on"],
  ["search_cars", "car search goes on"],
  ["plan_itinerary", "itinerary goes on"],
]);

/**
 * What is so once a write has gone through, and what is true of its task where it has not.
 *
 * @type {Map<string, [string, string]>}
 */
const WRITTEN = new Map([
  ["hold_flight", ["the flight is held", "nothing was held"]],
  ["book_flight", ["the flight is booked", "nothing was booked"]],
  ["book_hotel", ["the hotel is booked", "nothing was booked"]],
  ["book_car", ["the car is booked", "nothing was booked"]],
  ["cancel_booking", ["the booking is cancelled", "nothing was cancelled"]],
]);

/**
 * "Interrupted after 1.4 s: kept 12 flights; hotel search goes on"
 *
 * @param {Fold} fold
 */
export function foldTitle({ marker, receipt, left }) {
  const reason = receipt?.reason ?? left?.reason;
  const counts = receipt?.partial_results ?? countsOf(left);
  if (!reason || !counts) return marker.text;
  const length = lengthIn(marker.text);
  // What a withdrawn permission would have done, the calls say.
  const asked = receipt?.input_request && !receipt.tool_calls.some(({ outcome }) => outcome === "not_started");
  const why = receipt?.stopped_by === "operator" ? "Stopped by an operator" : REASONS.get(reason) ?? "Interrupted";
  const whole = goesOn(receipt);
  const waited = onlyWaited(receipt);
  const began = whole ? "Your search goes on" : waited ? "Question replaced by your message" : `${why}${length}`;
  const kept = waited && !Object.values(counts).some(Boolean) ? "" : keptWords(counts);
  const news = [kept, ...callWords(receipt, whole), asked && !waited ? "a question was withdrawn" : ""].filter(Boolean);
  return news.length ? `${began}: ${news.join("; ")}` : began;
}

/**
 * Whether an interrupted task did nothing any more but wait for its user: a newer message takes its question's place, and cuts
 * nothing short.
 *
 * @param {Receipt | undefined} receipt
 */
function onlyWaited(receipt) {
  const outcomes = (receipt?.tool_calls ?? []).map(({ outcome }) => outcome);
  const isDone = outcomes.every((outcome) => outcome === "completed" || outcome === "not_started");
  return receipt?.reason === "superseded" && Boolean(receipt.input_request) && isDone;
}

/**
 * Whether all that an interrupted task had begun is done or goes on for the next message, as where that only adds to it.
 *
 * @param {Receipt | undefined} receipt
 */
export function goesOn(receipt) {
  const outcomes = (receipt?.tool_calls ?? []).map(({ outcome }) => outcome);
  const isWhole = outcomes.every((outcome) => outcome === "adopted" || outcome === "completed");
  return receipt?.reason === "superseded" && isWhole && outcomes.includes("adopted");
}

/**
 * What became of every call, and what else there is to say, in this order.
 *
 * @param {Fold} fold
 * @returns {{calls: import("./calls.js").Account[], notes: string[]}}
 */
export function foldAccount({ marker, receipt }) {
  if (!receipt) return { calls: [], notes: [marker.text] };
  const notes = [
    receipt.tool_calls.length ? "" : "Nothing had been started.",
    receipt.text_kept ? "The reply so far is above." : "",
    receipt.input_request ? "The question was withdrawn; it can no longer be answered." : "",
    receipt.amended_at ? `What was unknown then was settled at ${clock(receipt.amended_at)}.` : "",
  ];
  return { calls: receipt.tool_calls.map(accountOf), notes: notes.filter(Boolean) };
}

/**
 * "12 flights", "1 hotel"; of agents that are not known, "3 results of weather"
 *
 * @param {string} agent
 * @param {number} count
 */
function countOf(agent, count) {
  const thing = THINGS.get(agent);
  return thing ? counted(count, thing) : counted(count, `result of ${agent}`, `results of ${agent}`);
}

/** @param {Object<string, number>} counts */
function keptWords(counts) {
  const kept = Object.entries(counts).filter(([, count]) => count > 0);
  if (!kept.length) return "nothing had been found";
  return `kept ${kept.map(([agent, count]) => countOf(agent, count)).join(" and ")}`;
}

/**
 * What people most want to know of the calls: what goes on, and what was or may have been done for good.
 *
 * @param {Receipt | undefined} receipt
 * @param {boolean} whole whether all goes on, as is told before
 */
function callWords(receipt, whole) {
  const words = (receipt?.tool_calls ?? []).map(({ tool, outcome, effect }) => {
    const [written, not] = WRITTEN.get(tool) ?? [`“${toolName(tool)}” is done`, `“${toolName(tool)}” was not done`];
    if (outcome === "adopted") return whole ? "" : ADOPTED.get(tool) ?? "one search goes on";
    if (outcome === "unknown") return `not known yet whether ${written}`;
    if (outcome === "completed_after_interrupt") return `${written} all the same`;
    if (effect !== "write") return "";
    // A tool that nobody declared counts as one that writes, and can be cut short in the middle of it.
    if (outcome === "cancelled") return `“${toolName(tool)}” was cut short and may have had an effect`;
    return outcome === "completed" ? written : not;
  });
  return [...new Set(words)];
}

/** @param {Interrupted | undefined} left */
function countsOf(left) {
  if (!left) return undefined;
  return Object.fromEntries(Object.entries(left.partials).map(([agent, offers]) => [agent, offers.length]));
}

/** " after 1.4 s": how long the task had been at work is told by its marker alone. @param {string} text */
function lengthIn(text) {
  return /^[^.]*?( after \d+(?:\.\d+)? s)\b/.exec(text)?.[1] ?? "";
}

/** @param {string} iso */
function clock(iso) {
  return new Date(iso).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}
