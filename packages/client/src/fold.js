/**
 * What a user's frames add up to, as one pure function: `fold(state, frame) -> state`. No clock, no network.
 *
 * Beside the server's frames it takes `connection` and what a session does: `sending`, `accepted`, `unsent`, `refused`,
 * `calls`.
 * An event that was taken before changes nothing.
 */

import { isActive, TASKS, withKeptCalls, withReceipt, withTask } from "./tasks.js";

/**
 * @typedef {import("../index.js").State} State
 * @typedef {import("../index.js").Task} Task
 * @typedef {import("../index.js").Outgoing} Outgoing
 * @typedef {import("../types.js").MessageView} Message
 * @typedef {(state: State, frame: any) => State} Handler
 */

const RECEIPTS_KEPT = 50;
/** As many as the server tells of. */
const INTERRUPTED_KEPT = 5;

/** @returns {State} */
export function initialState() {
  return {
    connection: "connecting",
    error: null,
    epoch: null,
    seq: 0,
    synced: false,
    messages: [],
    pending: [],
    outbox: [],
    tasks: {},
    queued: [],
    requests: [],
    receipts: {},
    interrupted: [],
  };
}

/**
 * @param {State} state
 * @param {import("../index.js").Foldable} frame
 * @returns {State}
 */
export function fold(state, frame) {
  const take = UNNUMBERED.get(frame.type);
  if (take) return take(state, frame);
  if (!("seq" in frame) || frame.seq <= state.seq) return state;
  const next = NUMBERED.get(frame.type)?.(state, frame) ?? state;
  return { ...next, seq: frame.seq, synced: true };
}

/** @type {Map<string, Handler>} */
const UNNUMBERED = new Map(
  Object.entries(
    /** @type {Record<string, Handler>} */ ({
      connection: (state, { state: connection }) => ({ ...state, connection, error: null }),
      refused: (state, { error }) => ({ ...state, connection: "refused", error }),
      hello: (state, { epoch }) => inLog(state, epoch),
      reset: (state) => ({ ...state, synced: false }),
      snapshot: takeSnapshot,
      calls: withKeptCalls,
      sending: (state, { client_id, text }) => ({
        ...state,
        outbox: [...without(state.outbox, client_id), { client_id, text, state: "sending", error: "" }],
      }),
      accepted: (state, { client_id, seq }) => {
        // The log may have told of the message before the answer to its call came.
        if (seq <= state.seq || isListed(state.messages, client_id)) {
          return { ...state, outbox: without(state.outbox, client_id) };
        }
        return withOutgoing(state, client_id, { state: "accepted", error: "" });
      },
      unsent: (state, { client_id, error }) => withOutgoing(state, client_id, { state: "unsent", error }),
    }),
  ),
);

/** @type {Map<string, Handler>} */
const NUMBERED = new Map(
  Object.entries(
    /** @type {Record<string, Handler>} */ ({
      ...TASKS,
      status_update: (state, frame) => {
        const next = TASKS.status_update(state, frame);
        const task = next.tasks[frame.task_id];
        const waiting = state.queued.filter((id) => id !== frame.task_id);
        const queued = frame.status === "queued" ? [...waiting, frame.task_id] : waiting;
        if (!task || isActive(task)) return { ...next, queued };
        const requests = state.requests.filter((request) => request.task_id !== frame.task_id);
        return { ...next, queued, requests, interrupted: withLeft(state.interrupted, task, frame.at) };
      },
      message: (state, { seq: _seq, type: _type, ...message }) => {
        const outbox = message.client_id === null ? state.outbox : without(state.outbox, message.client_id);
        const next = { ...state, outbox, messages: inOrder(state.messages, message) };
        const task = next.tasks[message.task_id];
        return message.role === "assistant" && task?.text ? withTask(next, { ...task, text: "", textLength: 0 }) : next;
      },
      steer: (state, frame) => ({
        ...state,
        pending: withPending(state.pending, frame),
        messages: state.messages.map((each) => (each.message_id === frame.message_id ? steered(each, frame) : each)),
      }),
      input_request: (state, { seq: _seq, type: _type, at: _at, ...request }) => {
        const others = state.requests.filter((each) => each.request_id !== request.request_id);
        return { ...state, requests: [...others, request] };
      },
      input_resolved: (state, { request_id }) => ({
        ...state,
        requests: state.requests.filter((request) => request.request_id !== request_id),
      }),
      receipt: (state, { task_id, receipt }) => {
        const receipts = Object.entries({ ...state.receipts, [task_id]: receipt });
        const next = { ...state, receipts: Object.fromEntries(receipts.slice(-RECEIPTS_KEPT)) };
        return withReceipt(next, task_id, receipt);
      },
    }),
  ),
);

/**
 * The conversation as it is to be shown: the history, what tasks have said of their replies, what was just sent.
 * What waits to be taken in is in it as `pending`, what is withdrawn is not.
 *
 * @param {State} state
 * @returns {import("../index.js").ShownMessage[]}
 */
export function conversation({ messages, tasks, outbox }) {
  /** @type {import("../index.js").ShownMessage[]} */
  const shown = messages
    .filter(({ steer }) => steer !== "withdrawn")
    .map((message) => ({
      ...message,
      id: message.message_id,
      state: message.steer === "pending" ? "pending" : "listed",
      error: "",
    }));
  for (const { task_id, text } of Object.values(tasks)) {
    if (!text) continue;
    const place = shown.findLastIndex((message) => message.task_id <= task_id) + 1;
    const id = `${task_id}.streamed`;
    shown.splice(place, 0, { id, task_id, role: "assistant", text, interrupted: false, state: "streamed", error: "" });
  }
  for (const { client_id, text, state, error } of outbox) {
    shown.push({ id: client_id, task_id: "", role: "user", text, interrupted: false, state, error, client_id });
  }
  return shown;
}

/**
 * @param {State} state
 * @param {import("../types.js").SnapshotFrame} snapshot
 * @returns {State}
 */
function takeSnapshot(state, { seq, epoch, status, partial_results: found, history }) {
  /** @type {State} */
  const next = {
    ...inLog(state, epoch),
    seq,
    synced: true,
    messages: history,
    pending: status?.pending ?? [],
    // What was accepted is in the history, or older than the part of it that a snapshot has.
    outbox: state.outbox.filter((each) => each.state !== "accepted" && !isListed(history, each.client_id)),
    tasks: {},
    queued: status?.queued ?? [],
    requests: (status?.input_requests ?? []).map((request) => ({ ...request, task_id: status?.task_id ?? "" })),
    interrupted: (found?.interrupted ?? []).toReversed(),
  };
  if (!status) return next;
  const { task_id, reason, message, agents } = status;
  const replied = history.some((each) => each.role === "assistant" && each.task_id === task_id);
  const text = replied ? "" : (found?.text ?? "");
  const results = found?.partial_results ?? {};
  const task = { task_id, status: status.status, reason, message, agents, results, toolCalls: [], transfer: null };
  // A snapshot has no word for it: a task that has asked rests once no agent works beside the question.
  const isResting = status.status === "input_required" && Object.values(agents).every(({ state }) => state !== "working");
  return withTask(next, { ...task, isResting, text, textLength: Array.from(text).length });
}

/**
 * Continue in a log of the server; what another log told is not true any more.
 *
 * @param {State} state
 * @param {string} epoch
 * @returns {State}
 */
function inLog(state, epoch) {
  if (state.epoch === null || state.epoch === epoch) return { ...state, epoch };
  return { ...initialState(), connection: state.connection, outbox: state.outbox, epoch };
}

/**
 * @param {State["interrupted"]} interrupted
 * @param {Task} task
 * @param {string} at
 */
function withLeft(interrupted, { task_id, status, message, reason, results, text }, at) {
  if (status !== "interrupted") return interrupted;
  const left = { task_id, message, reason: reason ?? "lost", at, partial_results: results, text, asked: [] };
  return [...interrupted.filter((each) => each.task_id !== task_id), left].slice(-INTERRUPTED_KEPT);
}

/**
 * @param {State["pending"]} pending
 * @param {import("../types.js").Steered} frame
 * @returns {State["pending"]}
 */
function withPending(pending, { message_id, steer, text, revision, at }) {
  if (steer !== "pending") return pending.filter((each) => each.message_id !== message_id);
  if (!pending.some((each) => each.message_id === message_id)) return [...pending, { message_id, text, revision, at }];
  return pending.map((each) => (each.message_id === message_id ? { ...each, text, revision } : each));
}

/**
 * A message with what became of it. It keeps its place: what its task said before stands before it, and what its task
 * says from then on will stand after it.
 *
 * @param {Message} message
 * @param {import("../types.js").Steered} frame
 * @returns {Message}
 */
function steered({ steer: _was, ...message }, { steer, text, task_id }) {
  if (steer === "own_task") return { ...message, text };
  return { ...message, text, steer, task_id: steer === "pending" || steer === "withdrawn" ? message.task_id : task_id };
}

/** @param {Message[]} messages @param {string} clientId */
function isListed(messages, clientId) {
  return messages.some((message) => message.client_id === clientId);
}

/** @param {Outgoing[]} outbox @param {string} clientId */
function without(outbox, clientId) {
  return outbox.filter((each) => each.client_id !== clientId);
}

/** @param {State} state @param {string} clientId @param {Pick<Outgoing, "state" | "error">} news @returns {State} */
function withOutgoing(state, clientId, news) {
  const outbox = state.outbox.map((each) => (each.client_id === clientId ? { ...each, ...news } : each));
  return { ...state, outbox };
}

/**
 * Put a message at its place in the server's history: by task, and by the number behind the dot of its id.
 *
 * @param {Message[]} messages
 * @param {Message} message
 */
function inOrder(messages, message) {
  const others = messages.filter((each) => each.message_id !== message.message_id);
  const place = others.findLastIndex((each) => !precedes(message, each)) + 1;
  return others.toSpliced(place, 0, message);
}

/** @param {Message} one @param {Message} other */
function precedes(one, other) {
  if (one.task_id !== other.task_id) return one.task_id < other.task_id;
  return numberOf(one) < numberOf(other);
}

/** @param {Message} message */
function numberOf({ message_id: id }) {
  return Number(id.slice(id.lastIndexOf(".") + 1));
}
