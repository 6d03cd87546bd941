/**
 * Everything the page knows, as one pure function: (state, event) -> state. No DOM, no clock, no network.
 *
 * Events are the frames of the WebSocket, and a few of the page's own (`page_*`). A numbered event is taken
 * once and in order: what was seen is dropped, and after a gap nothing is taken until it is replayed.
 */

const ENDED = new Set(["completed", "failed", "interrupted"]);
const EVENTS_KEPT = 200;

/** @param {string} userId */
export function initialState(userId) {
  return {
    userId,
    connection: "connecting",
    epoch: null,
    seq: 0,
    synced: false,
    gap: false,
    task: null,
    stopping: null,
    agents: {},
    partials: {},
    reply: "",
    requests: [],
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
    if (!concernsShown(state.task, event)) return state;
    const over = ENDED.has(event.status);
    const same = state.task?.task_id === event.task_id;
    const task = {
      task_id: event.task_id,
      status: event.status,
      reason: event.reason ?? null,
      message: event.message ?? (same ? state.task.message : ""),
    };
    return {
      ...state,
      task,
      agents: same ? state.agents : {},
      reply: same ? state.reply : "",
      requests: state.requests.filter((request) => request.task_id === task.task_id && !over),
      partials: event.partial_results ?? (same ? state.partials : {}),
    };
  },
  agent_update: (state, event) => {
    if (event.task_id !== state.task?.task_id) return state;
    const { agent, state: doing, detail, done, total, count } = event;
    return { ...state, agents: { ...state.agents, [agent]: { state: doing, detail, done, total, count } } };
  },
  partial_result: (state, event) => {
    if (event.task_id !== state.task?.task_id) return state;
    const had = state.partials[event.agent] ?? [];
    const ids = new Set(had.map((item) => item.offer_id));
    const fresh = event.items.filter((item) => item.offer_id === undefined || !ids.has(item.offer_id));
    return { ...state, partials: { ...state.partials, [event.agent]: [...had, ...fresh] } };
  },
  text_delta: (state, event) => {
    if (event.task_id !== state.task?.task_id) return state;
    return { ...state, reply: spliced(state.reply, event.offset, event.text) };
  },
  message: (state, event) => {
    const { message_id, role, text, task_id, at, interrupted } = event;
    const message = { message_id, role, text, task_id, at, interrupted: Boolean(interrupted) };
    const known = state.history.some((item) => item.message_id === message_id);
    const history = known
      ? changed(state.history, message_id, message, "message_id")
      : [...state.history, message];
    const sent = role === "user" ? state.outbox.find((item) => item.text === text) : undefined;
    return {
      ...state,
      history,
      outbox: sent ? without(state.outbox, sent.client_id) : state.outbox,
      reply: role === "assistant" && task_id === state.task?.task_id ? "" : state.reply,
    };
  },
  input_request: (state, event) => ({
    ...state,
    requests: [...without(state.requests, event.request_id, "request_id"), event],
  }),
  input_resolved: (state, event) => ({
    ...state,
    requests: without(state.requests, event.request_id, "request_id"),
  }),
};

function takeSnapshot(state, { seq, status, partial_results: partial, history }) {
  const task = status?.task_id
    ? { task_id: status.task_id, status: status.status, reason: status.reason, message: status.message }
    : null;
  const replied = (history ?? []).some((item) => item.role === "assistant" && item.task_id === task?.task_id);
  return {
    ...state,
    seq,
    synced: true,
    gap: false,
    task,
    agents: status?.agents ?? {},
    requests: status?.input_request ? [{ task_id: status.task_id, ...status.input_request }] : [],
    partials: partial?.partial_results ?? {},
    reply: replied ? "" : (partial?.text ?? ""),
    history: history ?? [],
    outbox: state.outbox.filter((item) => item.state !== "accepted"),
  };
}

/** A task stays shown until a later one starts: one that only queues behind it does not replace it. */
function concernsShown(task, event) {
  if (task === null || task.task_id === event.task_id) return true;
  if (event.task_id < task.task_id) return false;
  return event.status !== "queued" || !isActive(task);
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
