/** The state that a snapshot tells: where a user's latest task stands, instead of all the events that led there. */

import { askedAt, inConversation, notListed } from "./messages.js";
import { length } from "./partials.js";
import { toldPending } from "./pending.js";
import { answeringOf } from "./requests.js";
import { isActive, lastInterrupted, newTask, withTask } from "./tasks.js";

/**
 * @typedef {import("./reduce.js").State} State
 * @typedef {import("./types.js").Message} Message
 * @typedef {import("./types.js").Task} Task
 *
 * @typedef {object} Snapshot
 * @property {number} seq
 * @property {string} [epoch]
 * @property {Standing | null} status
 * @property {Found | null} partial_results
 * @property {Message[]} history
 *
 * @typedef {Pick<Task, "task_id" | "status" | "reason" | "message" | "agents"> & {created_at: string,
 *   updated_at: string, queued: string[], pending?: import("./types.js").Pending[], input_requests: import("./types.js").InputRequest[]}} Standing
 * @typedef {{partial_results: Task["partials"], text: string, interrupted: Left[],
 *   results_sorted?: import("./types.js").Sorted}} Found
 * @typedef {Pick<import("./types.js").Interrupted, "task_id" | "message" | "reason" | "at" | "text"> &
 *   {partial_results: Task["partials"]}} Left
 */

/**
 * Nothing of before is shown any more, but what was sent from here and what a snapshot does not tell of: receipts,
 * and what became of questions.
 *
 * @param {State} state
 * @param {Snapshot} snapshot
 * @returns {State}
 */
export function takeSnapshot(state, { seq, epoch, status, partial_results: found, history: listed }) {
  const history = inConversation(listed ?? []);
  const pending = toldPending(status?.pending ?? [], history);
  const before = epoch === undefined ? state : inLog(state, epoch);
  const task = status?.task_id ? toldTask(status, { found, history, seq }) : null;
  const left = found?.interrupted ?? [];
  const requests = (status?.input_requests ?? []).map((request) => ({ ...request, task_id: task?.task_id ?? "" }));
  const next = {
    ...before,
    seq,
    synced: true,
    gap: false,
    tasks: {},
    task: null,
    queued: [...(status?.queued ?? [])],
    joined: isActive(task) ? task.task_id : null,
    pending,
    changing: Object.fromEntries(pending.flatMap(({ message_id: id }) => (before.changing[id] ? [[id, before.changing[id]]] : []))),
    history,
    outbox: notListed(before.outbox, history),
    requests,
    answering: answeringOf([...requests, ...before.resolved], before.answering),
    interrupted: lastInterrupted(left.map((context) => toldLeft(context, { before, history, task }))),
    stopping: isActive(task) && before.stopping === task.task_id ? before.stopping : null,
    stoppingAgents: isActive(task) ? before.stoppingAgents : [],
  };
  return task ? withTask(next, task) : next;
}

/**
 * Go on in a log of the server. What was known by another one is not true any more.
 *
 * @param {State} state
 * @param {string} epoch
 * @returns {State}
 */
export function inLog(state, epoch) {
  if (state.epoch === null || state.epoch === epoch) return { ...state, epoch };
  const forgotten = { resolved: [], answering: {}, receipts: {}, interrupted: {}, trails: {}, bookings: null, kept: null, keptOffers: {} };
  return { ...state, epoch, synced: false, ...forgotten };
}

/**
 * @param {Standing} status
 * @param {{found: Found | null, history: Message[], seq: number}} rest
 * @returns {Task}
 */
function toldTask(status, { found, history, seq }) {
  const { task_id, status: name, reason, message, agents, created_at, updated_at } = status;
  const replied = history.some((item) => item.role === "assistant" && item.task_id === task_id);
  const reply = replied ? "" : (found?.text ?? "");
  const task = { ...newTask(task_id), status: name };
  return {
    ...task,
    started: name === "queued" ? 0 : seq,
    reason: reason ?? null,
    message: message ?? "",
    began: created_at ?? null,
    ended: isActive(task) ? null : (updated_at ?? null),
    agents: agents ?? {},
    partials: found?.partial_results ?? {},
    ...(found?.results_sorted ? { sorted: found.results_sorted } : {}),
    reply,
    replied: length(reply),
  };
}

/**
 * @param {Left} left
 * @param {{before: State, history: Message[], task: Task | null}} known
 * @returns {import("./types.js").Interrupted}
 */
function toldLeft({ task_id, message, reason, at, partial_results, text }, { before, history, task }) {
  const had = before.interrupted[task_id];
  const agents = task?.task_id === task_id ? task.agents : (had?.agents ?? {});
  const began = had?.began ?? askedAt(history, task_id);
  return { task_id, message, reason, at, began, partials: partial_results, agents, text };
}
