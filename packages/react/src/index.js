/** `useDetour`: a user's conversation in a React component. */

import { conversation, DetourClient, isActive, Session, taskToShow } from "@detour/client";
import { useMemo, useSyncExternalStore } from "react";

/**
 * The conversation of one user, up to date while the component is mounted. Components that share a `session` share
 * one line to the server.
 *
 * @param {import("../index.js").DetourOptions} options
 * @returns {import("../index.js").Detour}
 */
export function useDetour({ url = "", userId, token, session: shared }) {
  const session = useMemo(
    () => shared ?? new Session(new DetourClient({ url, userId, token })),
    [shared, url, userId, token],
  );
  const state = useSyncExternalStore(session.subscribe, session.getState, session.getState);
  const actions = useMemo(() => actionsOf(session), [session]);
  return useMemo(() => ({ ...shownOf(state), ...actions }), [state, actions]);
}

/** @param {import("@detour/client").State} state */
function shownOf(state) {
  const task = taskToShow(state.tasks);
  return {
    state,
    messages: conversation(state),
    pending: state.pending,
    task,
    isBusy: Object.values(state.tasks).some(isActive),
    text: task?.text ?? "",
    results: task?.results ?? {},
    agents: task?.agents ?? {},
    toolCalls: task?.toolCalls ?? [],
    questions: state.requests,
    receipts: state.receipts,
    connection: state.connection,
    error: state.error,
  };
}

/** @param {import("@detour/client").Session} session */
function actionsOf({ client, send, resend }) {
  return {
    send,
    resend,
    /** @param {string} text @param {import("@detour/client").SendOptions} [options] */
    steer: (text, options) => send(text, { ...options, policy: "steer" }),
    edit: client.edit.bind(client),
    withdraw: client.withdraw.bind(client),
    now: client.now.bind(client),
    later: client.later.bind(client),
    stop: client.stop.bind(client),
    answer: client.answer.bind(client),
    decide: client.decide.bind(client),
  };
}
