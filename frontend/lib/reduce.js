/**
 * Everything the page knows, as one pure function: (state, event) -> state. No DOM, no clock, no network.
 *
 * Events are the frames of the WebSocket, and a few of the page's own (`page_*`). A numbered event is taken
 * once and in order: what was seen is dropped, and after a gap nothing is taken until it is replayed.
 */

const ENDED = new Set(["completed", "failed", "interrupted"]);
const EVENTS_KEPT = 200;
const DECIDED_KEPT = 5;
const RECEIPTS_KEPT = 50;

/** @param {string} userId */
export function initialState(userId) {
  return {
    userId,
    connection: "connecting",
    epoch: null,
    seq: 0,
    synced: false,
    gap: false,
    tasks: {},
    task: null,
    stopping: null,
    requests: [],
    decided: [],
    receipts: {},
    history: [],
    outbox: [],
    notice: "",
    events: [],
  };
}

/** Whether a task is not over yet. */
export function isActive(task) {
  return task !== null && !ENDED.has(task.status);
}

export function reduce(state, event) {
  if (event.type in FRAMES) return FRAMES[event.type](state, event);
  if (typeof event.seq !== "number" || event.seq <= state.seq) return state;
  if (event.seq > state.seq + 1) return { ...state, gap: true };
  const next = event.type in HANDLERS ? HANDLERS[event.type](state, event) : state;
  return { ...next, seq: event.seq, gap: false, events: remember(state.events, event) };
}

/** Frames that are no events of the log, and what happens in the page. */
const FRAMES = {
  hello: (state, { epoch }) => ({ ...state, epoch, connection: "live", gap: false }),
  reset: (state) => ({ ...state, synced: false }),
  snapshot: takeSnapshot,
  page_connection: (state, { connection }) => ({ ...state, connection }),
  page_notice: (state, { text }) => ({ ...state, notice: text }),
  page_stopping: (state, { task_id }) => ({ ...state, stopping: task_id }),
  page_sending: (state, { client_id, text }) => ({
    ...state,
    notice: "",
    outbox: [...without(state.outbox, client_id), { client_id, text, state: "sending", error: "" }],
  }),
  page_accepted: (state, { client_id, task_id }) => {
    const sent = state.outbox.find((item) => item.client_id === client_id);
    if (!sent || arrived(state.history, sent.text, task_id)) {
      return { ...state, outbox: without(state.outbox, client_id) };
    }
    return { ...state, outbox: changed(state.outbox, client_id, { state: "accepted", task_id }) };
  },
  page_unsent: (state, { client_id, error }) => ({
    ...state,
    outbox: changed(state.outbox, client_id, { state: "unsent", error }),
  }),
};

/** The numbered events that change what is shown; the others only move the position and are listed. */
const HANDLERS = {
  status_update: (state, event) => {
    const { task_id, status, reason, message, partial_results: partials, seq } = event;
    const had = state.tasks[task_id] ?? newTask(task_id);
    const started = had.started || (status === "queued" || ENDED.has(status) ? 0 : seq);
    const task = {
      ...had,
      status,
      started,
      reason: reason ?? null,
      message: message ?? had.message,
      partials: partials ?? had.partials,
    };
    const requests = ENDED.has(status) ? without(state.requests, task_id, "task_id") : state.requests;
    return withTask({ ...state, requests }, task);
  },
  agent_update: (state, event) => {
    const { agent, state: doing, detail, done, total, count } = event;
    const progress = { state: doing, detail, done, total, count };
    return withChange(state, event, ({ agents }) => ({ agents: { ...agents, [agent]: progress } }));
  },
  partial_result: (state, event) =>
    withChange(state, event, ({ partials }) => {
      const had = partials[event.agent] ?? [];
      const ids = new Set(had.map((item) => item.offer_id));
      const fresh = event.items.filter((item) => item.offer_id === undefined || !ids.has(item.offer_id));
      return { partials: { ...partials, [event.agent]: [...had, ...fresh] } };
    }),
  text_delta: (state, event) =>
    withChange(state, event, ({ reply }) => ({ reply: spliced(reply, event.offset, event.text) })),
  message: (state, event) => {
    const { message_id, role, text, task_id, at, interrupted } = event;
    const message = { message_id, role, text, task_id, at, interrupted: Boolean(interrupted) };
    const known = state.history.some((item) => item.message_id === message_id);
    const history = known
      ? changed(state.history, message_id, message, "message_id")
      : inOrder(state.history, message);
    const sent = role === "user" ? state.outbox.find((item) => item.text === text) : undefined;
    const outbox = sent ? without(state.outbox, sent.client_id) : state.outbox;
    const next = { ...state, history, outbox };
    return role === "assistant" ? withChange(next, event, () => ({ reply: "" })) : next;
  },
  input_request: (state, event) => ({
    ...state,
    requests: [...without(state.requests, event.request_id, "request_id"), event],
  }),
  input_resolved: (state, { request_id, outcome }) => {
    const request = state.requests.find((item) => item.request_id === request_id);
    const requests = without(state.requests, request_id, "request_id");
    if (request?.kind !== "permission") return { ...state, requests };
    const decided = without(state.decided, request_id, "request_id");
    return { ...state, requests, decided: [...decided, { ...request, outcome }].slice(-DECIDED_KEPT) };
  },
  tool_update: (state, event) => {
    const { call_id, tool, state: doing } = event;
    return withChange(state, event, ({ calls }) => ({ calls: { ...calls, [call_id]: { tool, state: doing } } }));
  },
  context_transfer: (state, event) =>
    withChange(state, event, ({ adopted }) => ({ adopted: [...adopted, ...(event.adopted ?? [])] })),
  receipt: (state, event) => {
    const known = Object.entries({ ...state.receipts, [event.task_id]: event.receipt });
    return { ...state, receipts: Object.fromEntries(known.slice(-RECEIPTS_KEPT)) };
  },
};

function takeSnapshot(state, { seq, epoch, status, partial_results: partial, history }) {
  const next = {
    ...state,
    seq,
    epoch: epoch ?? state.epoch,
    synced: true,
    gap: false,
    tasks: {},
    task: null,
    decided: [],
    receipts: {},
    requests: (status?.input_requests ?? []).map((request) => ({ task_id: status.task_id, ...request })),
    history: history ?? [],
    outbox: state.outbox.filter((item) => item.state !== "accepted"),
  };
  if (!status?.task_id) return next;
  const { task_id, status: name, reason, message, agents } = status;
  const replied = next.history.some((item) => item.role === "assistant" && item.task_id === task_id);
  return withTask(next, {
    ...newTask(task_id),
    status: name,
    started: name === "queued" ? 0 : seq,
    reason,
    message,
    agents: agents ?? {},
    partials: partial?.partial_results ?? {},
    reply: replied ? "" : (partial?.text ?? ""),
  });
}

/** `started` is the number of the event with which the task was at work, 0 before that. */
function newTask(taskId) {
  return {
    task_id: taskId,
    status: "queued",
    started: 0,
    reason: null,
    message: "",
    agents: {},
    partials: {},
    calls: {},
    adopted: [],
    reply: "",
  };
}

/** Change the task of an event; late news of one that is no longer remembered changes nothing. */
function withChange(state, event, change) {
  const task = state.tasks[event.task_id];
  return task ? withTask(state, { ...task, ...change(task) }) : state;
}

/** Take over a task, decide anew which one is shown, and forget those that can't be shown any more. */
function withTask(state, task) {
  const known = Object.values({ ...state.tasks, [task.task_id]: task });
  const ended = lastEnded(known);
  const kept = known.filter((item) => isActive(item) || item === ended);
  const tasks = Object.fromEntries(kept.map((item) => [item.task_id, item]));
  return { ...state, tasks, task: shownTask(kept, ended) };
}

/**
 * Of several tasks at work the newest is shown that searches. Small talk is answered beside a search, by a task
 * that never has agents; of a new task that has none yet one can't tell, so it has to wait until the one before
 * it has ended.
 */
function shownTask(tasks, ended) {
  const atWork = byStart(tasks.filter((task) => isActive(task) && task.status !== "queued"));
  return atWork.findLast(searches) ?? atWork[0] ?? ended ?? tasks.at(-1) ?? null;
}

/** The ended task that was the last to start, and of those with nothing to show only where there is no other. */
function lastEnded(tasks) {
  const ended = byStart(tasks.filter((task) => !isActive(task)));
  return ended.findLast(hasSomethingToShow) ?? ended.at(-1);
}

function byStart(tasks) {
  return tasks.toSorted((one, other) => one.started - other.started);
}

function searches({ agents, partials }) {
  return Object.keys(agents).length > 0 || Object.keys(partials).length > 0;
}

/** Whether there is more to say about a task than its answer in the conversation does. */
export function hasSomethingToShow(task) {
  return task.status !== "completed" || searches(task);
}

/**
 * Insert a message where the server's history has it: by turns, that is by task, and then by its position, which
 * stands behind the dot of its id.
 */
export function inOrder(history, message) {
  const next = history.findIndex((item) => precedes(message, item));
  return next < 0 ? [...history, message] : history.toSpliced(next, 0, message);
}

function precedes(one, other) {
  if (one.task_id !== other.task_id) return one.task_id < other.task_id;
  return position(one) < position(other);
}

function position({ message_id: id }) {
  return Number(id.slice(id.lastIndexOf(".") + 1));
}

/** Offsets count characters (code points), which JavaScript's string positions do not. */
function spliced(text, offset, piece) {
  const characters = Array.from(text);
  return characters.length === offset ? text + piece : characters.slice(0, offset).join("") + piece;
}

function remember(events, event) {
  return [{ seq: event.seq, type: event.type, summary: summary(event) }, ...events].slice(0, EVENTS_KEPT);
}

/** One short line about an event, for the list of events. */
export function summary(event) {
  switch (event.type) {
    case "status_update":
      return [event.status, event.reason].filter(Boolean).join(", ");
    case "agent_update":
      return [event.agent, event.state, event.detail].filter(Boolean).join(", ");
    case "partial_result":
      return `${event.agent}: ${event.items.length} more, ${event.count} in all`;
    case "text_delta":
      return `${Array.from(event.text).length} characters at ${event.offset}`;
    case "message":
      return `${event.role}${event.interrupted ? ", interrupted" : ""}`;
    case "tool_update":
      return [event.tool, event.state, event.summary].filter(Boolean).join(", ");
    case "input_request":
      return [event.kind, event.agent].filter(Boolean).join(", ");
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

function arrived(history, text, taskId) {
  return history.some((item) => item.role === "user" && item.task_id === taskId && item.text === text);
}

function without(items, id, key = "client_id") {
  return items.filter((item) => item[key] !== id);
}

function changed(items, id, change, key = "client_id") {
  return items.map((item) => (item[key] === id ? { ...item, ...change } : item));
}
