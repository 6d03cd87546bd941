/** The conversation in the state: what the server has listed, and what was sent and is not listed yet. */

/**
 * @typedef {import("./reduce.js").State} State
 * @typedef {import("./types.js").Message} Message
 * @typedef {import("./types.js").Outgoing} Outgoing
 * @typedef {import("./types.js").Task} Task
 */

/**
 * @param {State} state
 * @param {Message} event
 * @returns {State}
 */
export function takeMessage(state, { message_id, role, text, task_id, at, interrupted, client_id = null, suggestions, steer }) {
  /** @type {Message} */
  const message = {
    message_id,
    role,
    text,
    task_id,
    at,
    interrupted: Boolean(interrupted),
    client_id,
    ...(suggestions ? { suggestions } : {}),
    ...(steer ? { steer } : {}),
  };
  const known = state.history.some((item) => item.message_id === message_id);
  const history = known
    ? state.history.map((item) => (item.message_id === message_id ? message : item))
    : placed(state.history, message);
  const outbox = client_id === null ? state.outbox : without(state.outbox, client_id);
  return { ...state, history, outbox, pending: withListed(state.pending, message) };
}

/**
 * One that waits to be taken in waits as it was sent, until its own event says more.
 *
 * @param {State["pending"]} pending
 * @param {Message} message
 */
function withListed(pending, { message_id, text, at, client_id, steer }) {
  if (steer !== "pending" || pending.some((item) => item.message_id === message_id)) return pending;
  return [...pending, { message_id, text, revision: 0, at, client_id }];
}

/** Whether a message stands in the conversation: one that waits to be taken in does not yet. @param {Message} message */
export function isInTranscript({ steer }) {
  return steer !== "pending" && steer !== "withdrawn";
}

/**
 * The message that began a task, and none that its run took in, or has before that.
 *
 * @param {Message[]} history
 * @param {string} taskId
 */
export function askedIn(history, taskId) {
  return history.find((item) => item.role === "user" && item.task_id === taskId && !isOfAnother(item));
}

/**
 * The history of a snapshot in the order of the conversation: the server has it by the time of each message, and a message
 * that was taken in, or is queued, may have been sent before others of a task that comes first.
 *
 * @param {Message[]} history
 */
export function inConversation(history) {
  const listed = history.filter(({ steer }) => steer !== "withdrawn");
  return listed.toSorted((one, other) => {
    if (one.task_id !== other.task_id) return one.task_id < other.task_id ? -1 : 1;
    return Number(other.steer === "merged") - Number(one.steer === "merged");
  });
}

/**
 * What was sent and is not in a snapshot of the server's either. What the server had accepted is in it, or older
 * than what it tells.
 *
 * @param {Outgoing[]} outbox
 * @param {Message[]} history
 */
export function notListed(outbox, history) {
  const listed = new Set(history.map((message) => message.client_id));
  return outbox.filter((item) => item.state !== "accepted" && !listed.has(item.client_id));
}

/**
 * When the message of a task was sent, where the history still has it.
 *
 * @param {Message[]} history
 * @param {string} taskId
 */
export function askedAt(history, taskId) {
  return askedIn(history, taskId)?.at ?? null;
}

export const PAGE_MESSAGES = {
  /**
   * @param {State} state
   * @param {Pick<Outgoing, "client_id" | "text" | "policy" | "from">} event
   * @returns {State}
   */
  page_sending: (state, event) => ({ ...state, notice: "", outbox: inItsPlace(state.outbox, outgoing(event, "sending")) }),
  /**
   * It found no server. The server may have listed it all the same, and have gone before it could answer.
   *
   * @param {State} state
   * @param {Pick<Outgoing, "client_id" | "text" | "policy" | "from">} event
   * @returns {State}
   */
  page_waiting: (state, event) => {
    if (state.history.some((message) => message.client_id === event.client_id)) return state;
    return { ...state, outbox: inItsPlace(state.outbox, outgoing(event, "waiting")) };
  },
  /**
   * @param {State} state
   * @param {{client_id: string}} event
   * @returns {State}
   */
  page_withdrawn: (state, { client_id }) => ({ ...state, outbox: without(state.outbox, client_id) }),
  /**
   * @param {State} state
   * @param {{client_id: string, task_id: string, seq?: number, steer?: Message["steer"]}} event `seq` is where the log stood
   *   behind it
   * @returns {State}
   */
  page_accepted: (state, { client_id, task_id, seq = Infinity, steer }) => {
    const sent = state.outbox.find((item) => item.client_id === client_id);
    if (!sent) return state;
    const listed = seq <= state.seq || state.history.some((message) => message.client_id === client_id);
    if (listed) return { ...state, outbox: without(state.outbox, client_id) };
    /** @type {Outgoing} */
    const accepted = { ...sent, state: "accepted", error: "", task_id, ...(steer === "own_task" ? { policy: "interrupt" } : {}) };
    return { ...state, outbox: state.outbox.map((item) => (item === sent ? accepted : item)) };
  },
  /**
   * @param {State} state
   * @param {{client_id: string, error: string}} event
   * @returns {State}
   */
  page_unsent: (state, { client_id, error }) => ({
    ...state,
    outbox: state.outbox.map((item) => (item.client_id === client_id ? { ...item, state: "unsent", error } : item)),
  }),
};

/**
 * @param {Pick<Outgoing, "client_id" | "text" | "policy" | "from">} event
 * @param {Outgoing["state"]} state
 * @returns {Outgoing}
 */
function outgoing({ client_id, text, policy, from }, state) {
  return { client_id, text, state, error: "", ...(policy ? { policy } : {}), ...(from ? { from } : {}) };
}

/** What was sent later stays behind it. @param {Outgoing[]} outbox @param {Outgoing} item */
function inItsPlace(outbox, item) {
  const known = outbox.some(({ client_id }) => client_id === item.client_id);
  return known ? outbox.map((each) => (each.client_id === item.client_id ? item : each)) : [...outbox, item];
}

/**
 * @param {Outgoing[]} outbox
 * @param {string} clientId
 */
function without(outbox, clientId) {
  return outbox.filter((item) => item.client_id !== clientId);
}

/** @type {WeakMap<Message[], {tasks: State["tasks"], messages: Message[]}>} */
const shown = new WeakMap();

/**
 * The conversation with what tasks have said so far, each as the last message of its turn.
 *
 * @param {State} state
 * @returns {Message[]} the same list as before where nothing in it changed
 */
export function shownMessages({ history, tasks }) {
  const had = shown.get(history);
  if (had?.tasks === tasks) return had.messages;
  const replying = Object.values(tasks).filter((task) => task.reply);
  const listed = history.every(isInTranscript) ? history : history.filter(isInTranscript);
  const messages = replying.map(streamedReply).reduce(placed, listed);
  shown.set(history, { tasks, messages });
  return messages;
}

/**
 * @param {Task} task
 * @returns {Message}
 */
function streamedReply({ task_id, reply }) {
  const message_id = `${task_id}.Infinity`;
  return { message_id, task_id, role: "assistant", text: reply, at: "", interrupted: false, client_id: null };
}

/**
 * Insert a message where it stands in the conversation: by task, and then by its position, which stands behind the dot of its
 * id. A message of another task that was taken in stands behind all that was there, and before what comes later.
 *
 * @param {Message[]} history
 * @param {Message} message
 */
export function placed(history, message) {
  const place = history.findLastIndex((item) => !precedes(message, item)) + 1;
  return history.toSpliced(place, 0, message);
}

/**
 * @param {Message} one
 * @param {Message} other
 */
function precedes(one, other) {
  if (one.task_id !== other.task_id) return one.task_id < other.task_id;
  if (one.steer === "merged") return other.steer !== "merged";
  if (isOfAnother(one) || isOfAnother(other)) return false;
  return position(one) < position(other);
}

/** Whether a message was to begin a task of its own, and came into the run of this one. @param {Message} message */
function isOfAnother({ steer }) {
  return steer === "taken_in" || steer === "merged";
}

/** @param {Message} message */
function position({ message_id: id }) {
  return Number(id.slice(id.lastIndexOf(".") + 1));
}
