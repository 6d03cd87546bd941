/** Tool calls in words: what a call was for, and what became of it. All of it is text, never markup. */

const NAMES = {
  search_flights: "Flight search",
  search_hotels: "Hotel search",
  plan_itinerary: "Itinerary",
  hold_flight: "Holding the flight",
  book_flight: "Booking the flight",
  book_hotel: "Booking the hotel",
  cancel_booking: "Cancellation",
  list_bookings: "List of bookings",
};
const OUTCOMES = {
  completed: "done",
  adopted: "goes on for the next message",
  cancelled: "cut short",
  not_started: "was never started",
  denied: "not allowed",
  completed_after_interrupt: "had begun, and was finished",
  failed: "failed",
  unknown: "not known yet whether it went through",
};
/** Outcomes of which the summary says something that the words do not. */
const SAY_MORE = new Set(["completed", "completed_after_interrupt", "failed"]);

export function toolName(tool) {
  if (Object.hasOwn(NAMES, tool)) return NAMES[tool];
  const words = String(tool).replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** "Hotel search: cut short: 17 hotels from 1 of 2 sources" */
export function callLine({ tool, outcome, summary }) {
  const words = Object.hasOwn(OUTCOMES, outcome) ? OUTCOMES[outcome] : outcome;
  if (outcome === "cancelled" && summary) return `${toolName(tool)}: ${summary}`;
  return [toolName(tool), words, SAY_MORE.has(outcome) ? summary : ""].filter(Boolean).join(": ");
}

/** What became of every call of a task, a line each; a receipt that was amended says so. */
export function receiptText(receipt) {
  const lines = (receipt?.tool_calls ?? []).map(callLine);
  return [...lines, receipt?.amended_at ? "What was open then is known by now." : ""].filter(Boolean).join("\n");
}

/** "Taken over: flight search", for the calls that a task took over of the one before it; "" for none. */
export function takenOver({ adopted, calls }) {
  const names = adopted.filter((id) => Object.hasOwn(calls, id)).map((id) => toolName(calls[id].tool).toLowerCase());
  return names.length ? `Taken over from your message before: ${[...new Set(names)].join(", ")}` : "";
}
