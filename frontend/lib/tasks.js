/** The tasks in the state: how far each is, what it found, which one is shown, and what interrupted ones left. */

import { askedAt, takeMessage } from "./messages.js";
import { of, spliced, withItems, withSameLists } from "./partials.js";
import { dropRequestsOf } from "./requests.js";

/**
 * @typedef {import("./reduce.js").State} State
 * @typedef {import("./types.js").Task} Task
 * @typedef {import("./types.js").Offer} Offer
 * @typedef {import("./types.js").Interrupted} Interrupted
 * @typedef {import("./types.js").Receipt} Receipt
 * @typedef {{task_id: string, at: string, seq: number}} Numbered
 */

/** How many interrupted tasks are remembered with what they left; the server keeps as many. */
const INTERRUPTED_KEPT = 5;
const RECEIPTS_KEPT = 50;
const ENDED = new Set(["completed", "failed", "interrupted"]);
const AGENT_ENDED = new Set(["done", "interrupted", "failed"]);

export const TASKS = {
  /**
   * @param {State} state
   * @param {Numbered & Pick<Task, "status" | "reason" | "message"> & {partial_results?: Task["partials"]}} event
   * @returns {State}
   */
  status_update: (state, { task_id, at, seq, status, reason, message, partial_results }) => {
    const had = state.tasks[task_id] ?? newTask(task_id);
    const over = ENDED.has(status);
    const task = {
      ...had,
      status,
      reason: reason ?? null,
      message: message ?? had.message,
      started: had.started || (over || status === "queued" ? 0 : seq),
      began: had.began ?? askedAt(state.history, task_id) ?? (over ? null : (at ?? null)),
      ended: over ? (at ?? null) : null,
      partials: partial_results ? withSameLists(had.partials, partial_results) : had.partials,
    };
    const waiting = state.queued.filter((id) => id !== task_id);
    const queued = status === "queued" ? [...waiting, task_id] : waiting;
    const next = withTask({ ...state, queued }, task);
    return over ? settled(next, task) : next;
  },
  /**
   * @param {State} state
   * @param {Numbered & import("./types.js").Agent & {agent: string}} event
   * @returns {State}
   */
  agent_update: (state, event) => {
    const { agent, state: doing, detail, done, total, count, request, since, until } = event;
    const next = withChange(state, event, ({ agents }) => {
      const asked = request ?? of(agents, agent)?.request;
      const progress = {
        state: doing,
        detail,
        done,
        total,
        count,
        since: since ?? null,
        until: until ?? null,
        ...(asked ? { request: asked } : {}),
      };
      return { agents: { ...agents, [agent]: progress } };
    });
    if (next === state || !hasEnded(event) || !state.stoppingAgents.includes(agent)) return next;
    return { ...next, stoppingAgents: state.stoppingAgents.filter((name) => name !== agent) };
  },
  /**
   * @param {State} state
   * @param {Numbered & {agent: string, items: Offer[]}} event
   * @returns {State}
   */
  partial_result: (state, event) =>
    withChange(state, event, ({ partials }) => {
      const { agent, items } = event;
      return { partials: { ...partials, [agent]: withItems(of(partials, agent) ?? [], items) } };
    }),
  /**
   * @param {State} state
   * The text of a node that does not reply has offsets of its own, and is no part of the reply.
   *
   * @param {Numbered & {text: string, offset: number, reply?: boolean}} event
   * @returns {State}
   */
  text_delta: (state, event) =>
    event.reply === false ? state : withChange(state, event, (task) => spliced(task, event)),
  /**
   * @param {State} state
   * @param {import("./types.js").Message} event
   * @returns {State}
   */
  message: (state, event) => {
    const next = takeMessage(state, event);
    const task = next.tasks[event.task_id];
    return event.role === "assistant" && task?.reply ? withTask(next, { ...task, reply: "", replied: 0 }) : next;
  },
  /**
   * Of a task that has ended too: what became of a call may be known only then.
   *
   * @param {State} state
   * @param {Numbered & import("./types.js").Call} event
   * @returns {State}
   */
  tool_update: (state, { task_id, call_id, tool, state: doing, effect, summary }) => {
    const task = state.tasks[task_id];
    if (!task) return state;
    const call = { call_id, tool, state: doing, effect, summary };
    return withTask(state, { ...task, calls: { ...task.calls, [call_id]: call } });
  },
  /**
   * @param {State} state
   * @param {Numbered & import("./types.js").Transfer} event
   * @returns {State}
   */
  context_transfer: (state, event) => {
    const { from_task_id, relation, carried = {}, adopted = [], dropped = [] } = event;
    return withChange(state, event, ({ transfer: had }) => ({
      transfer: {
        from_task_id,
        relation,
        carried,
        adopted: [...new Set([...(had?.adopted ?? []), ...adopted])],
        dropped,
      },
    }));
  },
  /**
   * @param {State} state
   * @param {Numbered & import("./types.js").Sorted} event
   * @returns {State}
   */
  results_sorted: (state, event) => {
    const { from_task_id, results } = event;
    return withChange(state, event, () => ({ sorted: { from_task_id, results } }));
  },
  /**
   * @param {State} state
   * @param {{task_id: string, receipt: Receipt}} event
   * @returns {State}
   */
  receipt: takeReceipt,
};

export const PAGE_TASKS = {
  page_receipt: takeReceipt,
  /**
   * @param {State} state
   * @param {{task_id: string, agent?: string}} event
   * @returns {State}
   */
  page_stopping: (state, { task_id, agent }) => {
    if (agent === undefined) return { ...state, notice: "", stopping: task_id };
    return { ...state, notice: "", stoppingAgents: [...new Set([...state.stoppingAgents, agent])] };
  },
  /**
   * @param {State} state
   * @param {{error: string, agent?: string}} event
   * @returns {State}
   */
  page_not_stopped: (state, { error, agent }) => {
    if (agent === undefined) return { ...state, notice: error, stopping: null };
    return { ...state, notice: error, stoppingAgents: state.stoppingAgents.filter((name) => name !== agent) };
  },
};

/**
 * A task that nothing is known of yet. `started` is the number of the event with which it was at work.
 *
 * @param {string} taskId
 * @returns {Task}
 */
export function newTask(taskId) {
  return {
    task_id: taskId,
    status: "queued",
    started: 0,
    began: null,
    ended: null,
    reason: null,
    message: "",
    agents: {},
    partials: {},
    calls: {},
    transfer: null,
    reply: "",
    replied: 0,
  };
}

/**
 * Whether a task is not over yet.
 *
 * @param {Task | null | undefined} task
 * @returns {task is Task}
 */
export function isActive(task) {
  return Boolean(task && !ENDED.has(task.status));
}

/** Whether an agent is over, in whichever way. @param {Pick<import("./types.js").Agent, "state">} agent */
export function hasEnded({ state }) {
  return AGENT_ENDED.has(state);
}

/**
 * Whether there is more to say about a task than its answer in the conversation does.
 *
 * @param {Task} task
 */
export function hasSomethingToShow(task) {
  return task.status !== "completed" || searches(task);
}

/**
 * Take over a task, decide anew which one is shown, and forget those that can't be shown any more.
 *
 * @param {State} state
 * @param {Task} task
 * @returns {State}
 */
export function withTask(state, task) {
  const known = Object.values({ ...state.tasks, [task.task_id]: task });
  const ended = lastEnded(known);
  const kept = known.filter((item) => isActive(item) || item === ended);
  const tasks = Object.fromEntries(kept.map((item) => [item.task_id, item]));
  return { ...state, tasks, task: shownTask(kept, ended) };
}

/**
 * Keep what the last interrupted tasks left, oldest first: ids of tasks sort by time.
 *
 * @param {Interrupted[]} contexts
 * @returns {Object<string, Interrupted>}
 */
export function lastInterrupted(contexts) {
  const inTurn = contexts.toSorted((one, other) => (one.task_id < other.task_id ? -1 : 1));
  return Object.fromEntries(inTurn.slice(-INTERRUPTED_KEPT).map((context) => [context.task_id, context]));
}

/**
 * What the end of a task means for the rest: what it asked and was told is over, and what it leaves is kept.
 *
 * @param {State} state
 * @param {Task} task
 * @returns {State}
 */
function settled(state, task) {
  const next = {
    ...dropRequestsOf(state, task.task_id),
    stopping: state.stopping === task.task_id ? null : state.stopping,
    stoppingAgents: state.stoppingAgents.filter((name) => !Object.hasOwn(task.agents, name)),
  };
  if (task.status !== "interrupted") return next;
  const { task_id, message, reason, began, ended: at, partials, agents, reply: text } = task;
  const left = { task_id, message, reason, at, began, partials, agents, text };
  return { ...next, interrupted: lastInterrupted([...Object.values(state.interrupted), left]) };
}

/**
 * Change the task of an event; late news of one that has ended, or is not remembered, changes nothing.
 *
 * @param {State} state
 * @param {{task_id: string}} event
 * @param {(task: Task) => Partial<Task>} change
 * @returns {State}
 */
function withChange(state, event, change) {
  const task = state.tasks[event.task_id];
  return isActive(task) ? withTask(state, { ...task, ...change(task) }) : state;
}

/**
 * Of several tasks at work the newest is shown that searches. Small talk is answered beside a search, by a task
 * that never has agents; of a new task that has none yet one can't tell, so it has to wait until the one before
 * it has ended.
 *
 * @param {Task[]} tasks
 * @param {Task | undefined} ended
 */
function shownTask(tasks, ended) {
  const atWork = byStart(tasks.filter((task) => isActive(task) && task.status !== "queued"));
  return atWork.findLast(searches) ?? atWork[0] ?? ended ?? tasks.at(-1) ?? null;
}

/**
 * The ended task that was the last to start, and of those with nothing to show only where there is no other.
 *
 * @param {Task[]} tasks
 */
function lastEnded(tasks) {
  const ended = byStart(tasks.filter((task) => !isActive(task)));
  return ended.findLast(hasSomethingToShow) ?? ended.at(-1);
}

/** @param {Task[]} tasks */
function byStart(tasks) {
  return tasks.length < 2 ? tasks : tasks.toSorted((one, other) => one.started - other.started);
}

/** @param {Task} task */
function searches({ agents, partials }) {
  return Object.keys(agents).length > 0 || Object.keys(partials).length > 0;
}

/**
 * @param {State} state
 * @param {{task_id: string, receipt: Receipt}} event
 * @returns {State}
 */
function takeReceipt(state, { task_id, receipt }) {
  const known = Object.entries({ ...state.receipts, [task_id]: receipt });
  return { ...state, receipts: Object.fromEntries(known.slice(-RECEIPTS_KEPT)) };
}
