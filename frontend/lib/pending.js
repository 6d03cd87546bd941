/** Messages that wait for the running task to take them in, in the state: what waits, and what became of the rest. */

import { isInTranscript, placed } from "./messages.js";
import { isActive } from "./tasks.js";

/**
 * @typedef {import("./reduce.js").State} State
 * @typedef {import("./types.js").Message} Message
 * @typedef {import("./types.js").Outgoing} Outgoing
 * @typedef {import("./types.js").Pending} Pending
 * @typedef {import("./types.js").Changing} Changing
 * @typedef {{task_id: string, at: string, message_id: string, steer: NonNullable<Message["steer"]>, text: string,
 *   revision: number}} Steered
 */

export const PENDING = {
  /**
   * @param {State} state
   * @param {Steered} event
   * @returns {State}
   */
  steer: (state, event) => (event.steer === "pending" ? waiting(state, event) : withEnd(state, event)),
};

export const PAGE_PENDING = {
  /**
   * @param {State} state
   * @param {{message_id: string, how: Changing["how"]}} event
   * @returns {State}
   */
  page_changing: (state, { message_id, how }) => withChanging(state, message_id, { how, error: "" }),
  /**
   * @param {State} state
   * @param {{message_id: string, text: string, revision: number}} event
   * @returns {State}
   */
  page_changed: (state, event) => withChanging(edited(state, event), event.message_id, null),
  /**
   * Where the message does not wait any more, the page says it for itself.
   *
   * @param {State} state
   * @param {{message_id: string, how: Changing["how"], error: string, current?: Partial<Pending>}} event `current` is what a
   *   stale edit was told
   * @returns {State}
   */
  page_change_refused: (state, { message_id, how, error, current }) => {
    if (!state.pending.some((item) => item.message_id === message_id)) return { ...state, notice: error };
    const known = current ? edited(state, { message_id, ...current }) : state;
    return withChanging(known, message_id, { how, error });
  },
};

/**
 * What a snapshot tells to wait.
 *
 * @param {Omit<Pending, "client_id">[]} told
 * @param {Message[]} history
 * @returns {Pending[]}
 */
export function toldPending(told, history) {
  const sentAs = new Map(history.map(({ message_id, client_id }) => [message_id, client_id]));
  return told.map((item) => ({ ...item, client_id: sentAs.get(item.message_id) ?? null }));
}

/** Whether what was sent is on its way to what waits, and not to the conversation. @param {State} state @param {Outgoing} item */
export function isOnItsWay({ task, requests }, { policy, state }) {
  return policy === "steer" && (state === "sending" || state === "accepted") && isActive(task) && requests.length === 0;
}

/** @param {State} state @param {Steered} event @returns {State} */
function waiting(state, { message_id, text, revision, at }) {
  if (state.pending.some((item) => item.message_id === message_id)) return edited(state, { message_id, text, revision });
  const client_id = state.history.find((message) => message.message_id === message_id)?.client_id ?? null;
  return { ...state, pending: [...state.pending, { message_id, text, revision, at, client_id }] };
}

/** @param {State} state @param {{message_id: string, text?: string, revision?: number}} told @returns {State} */
function edited(state, { message_id, text = "", revision = 0 }) {
  const had = state.pending.find((item) => item.message_id === message_id);
  if (!had || revision <= had.revision) return state;
  const pending = state.pending.map((item) => (item === had ? { ...item, text, revision } : item));
  const history = state.history.map((item) => (item.message_id === message_id ? { ...item, text } : item));
  return { ...state, pending, history };
}

/**
 * It stands where the model reads it; one that was withdrawn stands nowhere.
 *
 * @param {State} state
 * @param {Steered} event
 * @returns {State}
 */
function withEnd(state, { message_id, steer, text, task_id, at }) {
  const pending = state.pending.filter((item) => item.message_id !== message_id);
  const next = withChanging({ ...state, pending }, message_id, null);
  const had = state.history.find((message) => message.message_id === message_id);
  if (!had) return next;
  const others = state.history.filter((message) => message !== had);
  const { steer: _was, ...message } = { ...had, text, task_id };
  if (steer === "own_task") return { ...next, history: placed(others, message) };
  /** @type {Message} */
  const settled = { ...message, steer, ...(steer === "taken_in" ? { taken_in_at: at } : {}) };
  return { ...next, history: isInTranscript(settled) ? placed(others, settled) : others };
}

/** @param {State} state @param {string} messageId @param {Changing | null} changing @returns {State} */
function withChanging(state, messageId, changing) {
  const { [messageId]: had, ...others } = state.changing;
  if (!had && !changing) return state;
  return { ...state, changing: changing ? { ...others, [messageId]: changing } : others };
}
