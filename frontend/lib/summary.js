/** The last events of the log in a line each, for the list of events. */

/** @typedef {{seq: number, type: string, summary: string}} Told */

const EVENTS_KEPT = 200;

/**
 * @param {Told[]} events newest first
 * @param {import("./reduce.js").PageEvent} event
 */
export function remember(events, event) {
  const told = { seq: event.seq, type: event.type, summary: summary(event) };
  return [told, ...(events.length < EVENTS_KEPT ? events : events.slice(0, EVENTS_KEPT - 1))];
}

/** @param {import("./reduce.js").PageEvent} event */
function summary(event) {
  switch (event.type) {
    case "status_update":
      return listed(event.status, event.reason);
    case "agent_update":
      return listed(event.agent, event.state, event.detail);
    case "partial_result":
      return `${event.agent}: ${event.items.length} more, ${event.count} in all`;
    case "text_delta":
      return `${event.text.length} characters at ${event.offset}`;
    case "message":
      return listed(event.role, event.interrupted && "interrupted");
    case "tool_update":
      return listed(event.tool, event.state, event.summary);
    case "input_request":
      return listed(event.kind, event.agent);
    case "input_resolved":
      return event.outcome;
    case "context_transfer":
      return `${event.relation ?? "carried over"}: ${event.adopted?.length ?? 0} searches taken over`;
    case "receipt":
      return event.receipt?.reason ?? "";
    default:
      return "";
  }
}

/** @param {...unknown} words */
function listed(...words) {
  return words.filter(Boolean).join(", ");
}
