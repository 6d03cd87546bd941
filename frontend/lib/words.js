/** States and reasons in words, in one voice all over the page. What has no word here is told as it is. */

/** @type {Map<string, string>} */
const LINKS = new Map([
  ["connecting", "Connecting…"],
  ["live", "Connected"],
  ["reconnecting", "Reconnecting – your search continues"],
  ["offline", "You are offline – your search continues"],
  ["signed_out", "You are not signed in: open the link that the server printed when it started."],
  ["refused", "The server does not know this address of a trip."],
]);

const STATUS = new Map([
  ["queued", "Waiting its turn"],
  ["running", "Working on it"],
  ["input_required", "Needs you"],
  ["cancelling", "Stopping, once what had started is finished"],
  ["completed", "Done"],
  ["failed", "Failed"],
  ["interrupted", "Interrupted"],
]);

const REASONS = new Map([
  ["superseded", "by a newer message"],
  ["stopped", "by you"],
  ["timed_out", "because time ran out"],
  ["shutdown", "because the server restarted"],
  ["lost", "because the server went away"],
]);

const AGENTS = new Map([
  ["waiting", "waiting"],
  ["working", "searching"],
  ["input_required", "needs you"],
  ["done", "done"],
  ["interrupted", "interrupted"],
  ["failed", "failed"],
]);

const OUTCOMES = new Map([
  ["answered", "Answered"],
  ["allowed", "Allowed"],
  ["denied", "Not allowed"],
  ["withdrawn", "No longer asked"],
  ["expired", "Not answered in time"],
]);

/** Why an answer came too late, by what had become of the question by then. */
const REFUSALS = new Map([
  ["answered", "This was answered already, perhaps in another window."],
  ["allowed", "This was allowed already, perhaps in another window."],
  ["denied", "This was turned down already, perhaps in another window."],
  ["withdrawn", "This is no longer asked: something else came in between."],
  ["expired", "The time to answer this is over."],
]);

/** @param {import("./types.js").Link} link */
export function linkWords(link) {
  return LINKS.get(link) ?? link;
}

/** @param {import("./types.js").Status} status */
export function statusWords(status) {
  return STATUS.get(status) ?? status;
}

/**
 * "by a newer message": what interrupted a task; "" where nothing did.
 *
 * @param {import("./types.js").Reason | null} reason
 */
export function reasonWords(reason) {
  return reason === null ? "" : (REASONS.get(reason) ?? reason);
}

/** @param {import("./types.js").Agent["state"]} state */
export function agentWords(state) {
  return AGENTS.get(state) ?? state;
}

/** @param {import("./types.js").Outcome} outcome */
export function outcomeWords(outcome) {
  return OUTCOMES.get(outcome) ?? outcome;
}

/**
 * Why an answer was not taken, by the outcome of what it answers or the code of the server's 409; undefined where
 * it was refused for another reason.
 *
 * @param {string | undefined} code
 */
export function refusal(code) {
  return code === undefined ? undefined : REFUSALS.get(code);
}
