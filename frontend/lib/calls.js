/** Tool calls in words: what a call was for, and what became of it. All of it is text, never markup. */

import { inWords } from "./english.js";

/**
 * @typedef {import("./types.js").Receipt} Receipt
 * @typedef {import("./types.js").ReceiptCall} ReceiptCall
 * @typedef {{name: string, words: string, open: boolean}} Account of a call; `open` where it may still change
 */

const NAMES = new Map([
  ["search_flights", "Flight search"],
  ["search_hotels", "Hotel search"],
  ["plan_itinerary", "Itinerary"],
  ["hold_flight", "Holding the flight"],
  ["book_flight", "Booking the flight"],
  ["book_hotel", "Booking the hotel"],
  ["book_car", "Booking the car"],
  ["cancel_booking", "Cancellation"],
  ["list_bookings", "List of bookings"],
]);

/** What each outcome means, as the end of a sentence that begins with the call. */
const OUTCOMES = new Map([
  ["completed", "done"],
  ["adopted", "not cut short: it continues for your next message"],
  ["cancelled", "cut short; what had arrived is kept"],
  ["not_started", "never started, so nothing was done"],
  ["denied", "you said no, so nothing was done"],
  ["completed_after_interrupt", "had already begun when you interrupted, so it was completed"],
  ["failed", "failed"],
  ["unknown", "had begun, and the provider has not yet said whether it went through; this line will be updated"],
]);

/** How a search tells that it was cut short, and that it had found something by then. */
const FOUND_SOMETHING = /^cut short: (?!0 )/;
/** How much of the search that was: the server's figures. */
const OF_SOURCES = / from \d+ of \d+ sources/;
/** Outcomes of which the summary says something that the words do not. */
const SAY_MORE = new Set(["completed", "completed_after_interrupt", "failed", "unknown"]);

/** @param {string} tool */
export function toolName(tool) {
  return NAMES.get(tool) ?? inWords(String(tool));
}

/**
 * What became of a call.
 *
 * @param {Pick<ReceiptCall, "tool" | "outcome" | "summary">} call
 * @returns {Account}
 */
export function accountOf({ tool, outcome, summary }) {
  const words = OUTCOMES.get(outcome) ?? String(outcome);
  const found = summary.replace(OF_SOURCES, "");
  const cut = FOUND_SOMETHING.test(summary) ? `${found}; what had arrived is kept` : found;
  const told = outcome === "cancelled" && summary ? cut : words;
  const more = SAY_MORE.has(outcome) && summary ? `: ${found}` : "";
  return { name: toolName(tool), words: told + more, open: outcome === "unknown" || outcome === "adopted" };
}

/**
 * "Goes on from your previous message: flight search"; "" where a task has taken over nothing.
 *
 * @param {Pick<import("./types.js").Task, "transfer" | "calls">} task
 */
export function takenOver({ transfer, calls }) {
  const tools = (transfer?.adopted ?? []).flatMap((id) => calls[id]?.tool ?? []);
  const names = new Set(tools.map((tool) => toolName(tool).toLowerCase()));
  return names.size ? `Goes on from your previous message: ${[...names].join(", ")}` : "";
}
