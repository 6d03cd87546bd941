/** The tasks in a folded state: how far each is, and what it has found and said. */

import { atEnd, withAnswer, withAsked, withKept, withOutcomes, withUpdate } from "./tool-calls.js";

/**
 * @typedef {import("../index.js").State} State
 * @typedef {import("../index.js").Task} Task
 * @typedef {(state: State, frame: any) => State} Handler
 */

const TASKS_KEPT = 20;
const ACTIVE = new Set(["queued", "running", "input_required", "cancelling"]);

/** @satisfies {Record<string, Handler>} */
export const TASKS = {
  /** @type {Handler} */
  status_update: (state, { task_id, status, reason, message, partial_results }) =>
    withChange(state, task_id, ({ toolCalls: had }) => {
      const toolCalls = ACTIVE.has(status) ? had : atEnd(had);
      return { status, reason, message, results: partial_results, isResting: false, toolCalls };
    }),
  /** @type {Handler} */
  task_resting: (state, { task_id }) => withChange(state, task_id, () => ({ isResting: true })),
  /** @type {Handler} */
  agent_update: (state, { seq: _seq, type: _type, task_id, at: _at, agent, ...progress }) =>
    withChange(state, task_id, ({ agents, isResting }) => {
      // An update without a request leaves it as it was.
      const request = progress.request ?? own(agents, agent)?.request;
      const known = { ...agents, [agent]: request === undefined ? progress : { ...progress, request } };
      // After one of several answers the task still has the status `input_required`.
      return { agents: known, isResting: isResting && progress.state !== "working" };
    }),
  /** @type {Handler} */
  partial_result: (state, { task_id, agent, items }) =>
    withChange(state, task_id, ({ results }) => ({
      results: { ...results, [agent]: [...(own(results, agent) ?? []), ...items] },
    })),
  /** @type {Handler} */
  text_delta: (state, { task_id, text: piece, offset, reply = true }) =>
    // The text of a node that does not reply has offsets of its own.
    reply ? withChange(state, task_id, (task) => spliced(task, piece, offset)) : state,
  /** @type {Handler} */
  tool_call: (state, frame) => withChange(state, frame.task_id, ({ toolCalls }) => ({ toolCalls: withAsked(toolCalls, frame) })),
  /** @type {Handler} */
  tool_update: (state, frame) => withChange(state, frame.task_id, ({ toolCalls }) => ({ toolCalls: withUpdate(toolCalls, frame) })),
  /** @type {Handler} */
  graph_message: (state, frame) => withChange(state, frame.task_id, ({ toolCalls }) => ({ toolCalls: withAnswer(toolCalls, frame) })),
  /** @type {Handler} */
  context_transfer: (state, { seq: _seq, type: _type, task_id, at: _at, ...transfer }) =>
    withChange(state, task_id, ({ transfer: had }) => ({
      transfer: { ...transfer, adopted: [...new Set([...(had?.adopted ?? []), ...transfer.adopted])] },
    })),
};

/** With what the server keeps of a task's calls. @param {State} state @param {{task_id: string, calls: import("../types.js").CallView[]}} told */
export function withKeptCalls(state, { task_id, calls }) {
  if (!own(state.tasks, task_id)) return state;
  return withChange(state, task_id, ({ toolCalls }) => ({ toolCalls: withKept(toolCalls, calls) }));
}

/** A receipt may be amended long after its task. @param {State} state @param {string} taskId @param {import("../types.js").ReceiptAnswer} receipt */
export function withReceipt(state, taskId, receipt) {
  if (!own(state.tasks, taskId)) return state;
  return withChange(state, taskId, ({ toolCalls }) => ({ toolCalls: withOutcomes(toolCalls, receipt) }));
}

/** @param {Pick<Task, "status"> | null | undefined} task */
export function isActive(task) {
  return Boolean(task && ACTIVE.has(task.status));
}

/**
 * The task to show: the newest active one that searches, else the last that ended with something to show. Small
 * talk is answered beside a search, by a task without agents and results.
 *
 * @param {State["tasks"]} tasks
 * @returns {Task | null}
 */
export function taskToShow(tasks) {
  const known = Object.values(tasks).toSorted((one, other) => (one.task_id < other.task_id ? -1 : 1));
  const started = known.filter((task) => isActive(task) && task.status !== "queued");
  const ended = known.filter((task) => !isActive(task));
  const inTurn = [started.filter(searches), started, ended.filter(searches), ended, known];
  return inTurn.find((some) => some.length)?.at(-1) ?? null;
}

/** @param {State} state @param {Task} task @returns {State} */
export function withTask(state, task) {
  const kept = Object.entries({ ...state.tasks, [task.task_id]: task }).slice(-TASKS_KEPT);
  return { ...state, tasks: Object.fromEntries(kept) };
}

/**
 * @param {State} state
 * @param {string} taskId
 * @param {(task: Task) => Partial<Task>} change
 */
function withChange(state, taskId, change) {
  const task = own(state.tasks, taskId) ?? newTask(taskId);
  return withTask(state, { ...task, ...change(task) });
}

/**
 * What a table has under a name; names of agents may be those of an object's own methods.
 *
 * @template T
 * @param {Record<string, T>} table
 * @param {string} name
 */
function own(table, name) {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** @param {string} taskId @returns {Task} */
function newTask(taskId) {
  return {
    task_id: taskId,
    status: "running",
    reason: null,
    message: "",
    agents: {},
    results: {},
    toolCalls: [],
    transfer: null,
    isResting: false,
    text: "",
    textLength: 0,
  };
}

/** @param {Task} task */
function searches({ agents, results }) {
  return Object.keys(agents).length > 0 || Object.keys(results).length > 0;
}

/**
 * Put a piece of text at its place. Offsets count characters (code points), which JavaScript's positions do not.
 *
 * @param {Task} task
 * @param {string} piece
 * @param {number} offset
 * @returns {Pick<Task, "text" | "textLength">}
 */
function spliced({ text, textLength }, piece, offset) {
  const before = offset < textLength ? Array.from(text).slice(0, offset).join("") : text;
  return { text: before + piece, textLength: Math.min(offset, textLength) + Array.from(piece).length };
}
