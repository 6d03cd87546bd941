/** The conversation as a list of entries, one under the other: messages, folds, what is asked, and progress. */

import { foldTitle, goesOn } from "./folds.js";
import { askedIn, shownMessages } from "./messages.js";
import { outcomeLine } from "./permissions.js";
import { isActive } from "./tasks.js";
import { travellersAsked } from "./travellers.js";

/**
 * @typedef {import("./reduce.js").State} State
 * @typedef {import("./types.js").InputRequest} InputRequest
 * @typedef {import("./types.js").Message} Message
 * @typedef {{tag: string, key: string, data: any}} Entry the component that shows it, and its data
 */

/** Markers whose receipts are fetched without being asked for; older ones are, once they are opened. */
const EXPLAINED = 5;

/**
 * @param {State} state
 * @returns {Entry[]}
 */
export function entriesOf(state) {
  const messages = shownMessages(state);
  const [open, ...waiting] = state.requests;
  const place = open ? placeOfRequest(messages, open) : -1;
  const markers = new Set(markersOf(messages));
  const newestMarker = messages.findLast((message) => markers.has(message));
  const entries = messages.map((message, at) => {
    if (open && at === place) return requestEntry(state, open, waiting.length);
    return entryOfMessage(state, message, { isMarker: markers.has(message), isNewest: message === newestMarker });
  });
  if (open && place < 0) entries.push(requestEntry(state, open, waiting.length));
  return [...entries, ...state.outbox.map(outgoingEntry), ...finishingEntries(state), ...progressEntry(state), ...nextSteps(state)];
}

/** Where a request stands among the messages; -1 where it is not listed. @param {Message[]} messages @param {InputRequest} open */
export function placeOfRequest(messages, open) {
  return messages.findLastIndex((message) => asks(message, open));
}

/**
 * @param {State} state
 * @param {Message} message
 * @param {{isMarker: boolean, isNewest: boolean}} as whether it marks an interruption, and the newest one
 * @returns {Entry}
 */
export function entryOfMessage(state, message, { isMarker, isNewest }) {
  return isMarker ? foldEntry(state, message, isNewest) : messageEntry(state, message);
}

/** Tasks whose receipt should be fetched: those of the last markers. @param {State} state */
export function unexplained({ history, receipts }) {
  const markers = markersOf(history).slice(-EXPLAINED);
  return markers.map(({ task_id }) => task_id).filter((id) => !(id in receipts));
}

/**
 * The messages that mark an interruption: the first that the server itself says of a task. What it says later,
 * as once it is known what a call came to, is a message like others.
 *
 * @param {Message[]} messages
 */
export function markersOf(messages) {
  /** @type {Map<string, Message>} */
  const markers = new Map();
  for (const message of messages) {
    if (message.role === "system" && !markers.has(message.task_id)) markers.set(message.task_id, message);
  }
  return [...markers.values()];
}

/**
 * What is asked is in the history too, as what the assistant said.
 *
 * @param {Message} message
 * @param {InputRequest} request
 */
function asks({ role, text, task_id }, request) {
  return role === "assistant" && task_id === request.task_id && text === request.prompt;
}

/** @param {State} state @param {InputRequest} request @param {number} behind @returns {Entry} */
export function requestEntry({ answering, tasks, userId }, request, behind) {
  const people = travellersAsked(request);
  const tag = request.kind === "permission" ? "permission-card" : people ? "travellers-form" : "question-form";
  const understood = tasks[request.task_id]?.agents[request.agent]?.request;
  const data = { request, answering: answering[request.request_id], behind, understood, userId, people };
  return { tag, key: request.request_id, data };
}

/** Why a task ends without its user's doing. @type {Set<string>} */
const BY_SERVER = new Set(["lost", "shutdown"]);

/**
 * The entries of messages and markers, as long as nothing about them changes: what is the same is not drawn again.
 *
 * @type {WeakMap<Message, Entry>}
 */
const known = new WeakMap();

/** @param {State} state @param {Message} marker @param {boolean} newest @returns {Entry} */
function foldEntry(state, marker, newest) {
  const { receipts, interrupted, task, history } = state;
  const fold = { marker, receipt: receipts[marker.task_id], left: interrupted[marker.task_id] };
  const busy = isActive(task);
  const had = known.get(marker);
  const isSame = had?.data.receipt === fold.receipt && had?.data.left === fold.left;
  const retried = isRetried(state, fold);
  if (had && isSame && had.data.newest === newest && had.data.busy === busy && had.data.retried === retried) return had;
  const asked = askedIn(history, marker.task_id)?.text ?? "";
  const entry = { tag: "task-fold", key: marker.message_id, data: { ...fold, title: foldTitle(fold), asked, newest, busy, retried, whole: goesOn(fold.receipt) } };
  known.set(marker, entry);
  return entry;
}

/**
 * Whether the server has taken the message of a task up again by itself: a task came after it, and before the user's next
 * message, that no message of its own began. A message that was lost too often has no such task.
 *
 * @param {State} state
 * @param {import("./folds.js").Fold} fold
 */
function isRetried({ tasks, history }, { marker, receipt, left }) {
  if (!BY_SERVER.has(receipt?.reason ?? left?.reason ?? "")) return false;
  // Ids of tasks sort by time.
  const later = [...Object.keys(tasks), ...history.map(({ task_id }) => task_id)].filter((id) => id > marker.task_id).sort();
  return later.length > 0 && !askedIn(history, later[0] ?? "");
}

/** @param {State} state @param {Message} message @returns {Entry} */
function messageEntry({ history, resolved, requests, answering, tasks, interrupted: left, receipts, queued }, message) {
  const { message_id, role, text, task_id, interrupted, client_id, steer } = message;
  const streaming = message_id === `${task_id}.Infinity` && isActive(tasks[task_id] ?? null);
  const was = role === "assistant" ? resolved.findLast((request) => asks(message, request)) : undefined;
  const next = requests.slice(1).some((request) => asks(message, request));
  const reason = receipts[task_id]?.reason ?? left[task_id]?.reason ?? null;
  const late = was ? answering[was.request_id]?.error : "";
  const remarks = [
    interrupted ? "Interrupted here" : "",
    steer === "taken_in" ? "Taken in here" : "",
    was ? outcomeLine(was, reason) : "",
    late ?? "",
    next ? "Asked after the question above" : "",
  ];
  const about = remarks.filter(Boolean).join(" ");
  const waits = role === "user" && queued.includes(task_id) ? { taskId: task_id } : null;
  const had = known.get(message);
  if (had?.data.about === about && had.data.streaming === streaming && Boolean(had.data.waits) === Boolean(waits)) return had;
  const begins = role === "user" && !waits && askedIn(history, task_id) === message ? task_id : "";
  const data = { role, text, streaming, sending: false, about, unsent: null, waits, begins, takenIn: steer === "taken_in" };
  // What was sent from here stays what it is on the page when the server lists it.
  const entry = { tag: "chat-message", key: client_id ?? message_id, data };
  known.set(message, entry);
  return entry;
}

/** @param {import("./types.js").Outgoing} outgoing @returns {Entry} */
export function outgoingEntry({ client_id, text, state, error }) {
  const unsent = state === "unsent" ? { clientId: client_id, error } : null;
  const waits = state === "waiting" ? { clientId: client_id } : null;
  const data = { role: "user", text, streaming: false, sending: state === "sending", about: "", unsent, waits };
  return { tag: "chat-message", key: client_id, data };
}

/**
 * What an interrupted task had begun and can't be cut short is still being finished.
 *
 * @param {State} state
 * @returns {Entry[]}
 */
function finishingEntries({ tasks, task: shown, queued }) {
  const finishing = Object.values(tasks).filter((task) => task.status === "cancelling" && task !== shown);
  return finishing.map((task) => {
    const data = { task, stopping: true, stoppingAgents: [], queued };
    return { tag: "progress-lines", key: `finishing ${task.task_id}`, data };
  });
}

/** What a reply suggests to say next, until something is said or done. @param {State} state @returns {Entry[]} */
function nextSteps({ task, history, outbox, requests }) {
  const last = history.at(-1);
  if (!last?.suggestions?.length || outbox.length || requests.length || isActive(task)) return [];
  return [{ tag: "next-steps", key: `next ${last.message_id}`, data: last }];
}

/** @param {State} state @returns {Entry[]} */
export function progressEntry({ task, stopping, stoppingAgents, queued }) {
  if (!task || !isActive(task)) return [];
  const works = Object.values(task.agents).some(({ state }) => state === "working" || state === "waiting");
  if (task.status === "input_required" && !works && stopping !== task.task_id) return []; // the request says so
  const data = { task, stopping: stopping === task.task_id, stoppingAgents, queued };
  return [{ tag: "progress-lines", key: "progress", data }];
}
