/** Tool calls in words: what a call was for, and what became of it. All of it is text, never markup. */

/**
 * @typedef {import("./types.js").Receipt} Receipt
 * @typedef {import("./types.js").Task} Task
 */

/** @type {Map<string, string>} */
const NAMES = new Map(Object.entries({
  search_flights: "Flight search",
  search_hotels: "Hotel search",
  plan_itinerary: "Itinerary",
  hold_flight: "Holding the flight",
  book_flight: "Booking the flight",
  book_hotel: "Booking the hotel",
  cancel_booking: "Cancellation",
  list_bookings: "List of bookings",
}));
/** @type {Map<string, string>} */
const OUTCOMES = new Map(Object.entries({
  completed: "done",
  adopted: "goes on for the next message",
  cancelled: "cut short",
  not_started: "was never started",
  denied: "not allowed",
  completed_after_interrupt: "had begun, and was finished",
  failed: "failed",
  unknown: "not known yet whether it went through",
}));
/** Outcomes of which the summary says something that the words do not. */
const SAY_MORE = new Set(["completed", "completed_after_interrupt", "failed"]);

/** @param {string} tool */
export function toolName(tool) {
  const name = NAMES.get(tool);
  if (name !== undefined) return name;
  const words = String(tool).replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * "Hotel search: cut short: 17 hotels from 1 of 2 sources"
 *
 * @param {{tool: string, outcome: string, summary: string}} call
 */
export function callLine({ tool, outcome, summary }) {
  const words = OUTCOMES.get(outcome) ?? outcome;
  if (outcome === "cancelled" && summary) return `${toolName(tool)}: ${summary}`;
  return [toolName(tool), words, SAY_MORE.has(outcome) ? summary : ""].filter(Boolean).join(": ");
}

/**
 * What became of every call of a task, a line each; a receipt that was amended says so.
 *
 * @param {Pick<Receipt, "tool_calls" | "amended_at"> | undefined} receipt
 */
export function receiptText(receipt) {
  const lines = (receipt?.tool_calls ?? []).map(callLine);
  return [...lines, receipt?.amended_at ? "What was open then is known by now." : ""].filter(Boolean).join("\n");
}

/**
 * "Taken over: flight search", for the calls that a task took over of the one before it; "" for none.
 *
 * @param {Pick<Task, "transfer" | "calls">} task
 */
export function takenOver({ transfer, calls }) {
  const tools = (transfer?.adopted ?? []).flatMap((id) => calls[id]?.tool ?? []);
  const names = new Set(tools.map((tool) => toolName(tool).toLowerCase()));
  return names.size ? `Taken over from your message before: ${[...names].join(", ")}` : "";
}
