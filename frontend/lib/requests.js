/** What the user was asked, in the state: what is open, what became of the rest, and how it goes with answers. */

import { refusal } from "./words.js";

/**
 * @typedef {import("./reduce.js").State} State
 * @typedef {import("./types.js").InputRequest} InputRequest
 * @typedef {import("./types.js").Outcome} Outcome
 * @typedef {import("./types.js").Answering} Answering
 * @typedef {import("./types.js").Fault} Fault
 */

const RESOLVED_KEPT = 10;

export const REQUESTS = {
  /**
   * @param {State} state
   * @param {InputRequest & {seq: number, type: string, at: string}} event
   * @returns {State}
   */
  input_request: (state, { seq: _seq, type: _type, ...request }) => ({
    ...state,
    requests: [...without(state.requests, request.request_id), request],
  }),
  /**
   * @param {State} state
   * @param {{request_id: string, outcome: Outcome}} event
   * @returns {State}
   */
  input_resolved: (state, { request_id, outcome }) => {
    const request = state.requests.find((item) => item.request_id === request_id);
    return request ? resolved(state, request, outcome) : state;
  },
};

export const PAGE_REQUESTS = {
  /**
   * @param {State} state
   * @param {{request_id: string}} event
   * @returns {State}
   */
  page_answering: (state, { request_id }) =>
    withAnswering(state, request_id, { state: "sending", error: "", details: [] }),
  /**
   * An answer that was taken stays as it is until the log says so, so that it is not given twice meanwhile.
   *
   * @param {State} state
   * @param {{request_id: string}} event
   * @returns {State}
   */
  page_answered: (state, { request_id }) => {
    const open = state.requests.some((item) => item.request_id === request_id);
    return open ? state : withAnswering(state, request_id, null);
  },
  /**
   * Where nothing is left to say it beside, the page says it for itself.
   *
   * @param {State} state
   * @param {{request_id: string, error: string, details?: Fault[], code?: string}} event
   * @returns {State}
   */
  page_answer_refused: (state, { request_id, error, details, code }) => {
    const ended = state.resolved.find((item) => item.request_id === request_id);
    const why = refusal(ended?.outcome ?? code) ?? error;
    const shown = ended || state.requests.some((item) => item.request_id === request_id);
    if (!shown) return { ...withAnswering(state, request_id, null), notice: why };
    const faults = Array.isArray(details) ? details : [];
    return withAnswering(state, request_id, { state: "refused", error: why, details: faults });
  },
};

/**
 * What a task asked is no longer asked once it has ended.
 *
 * @param {State} state
 * @param {string} taskId
 * @returns {State}
 */
export function dropRequestsOf(state, taskId) {
  const left = state.requests.filter((request) => request.task_id === taskId);
  return left.reduce((next, request) => resolved(next, request, "withdrawn"), state);
}

/**
 * @param {State} state
 * @param {InputRequest} request
 * @param {Outcome} outcome
 * @returns {State}
 */
function resolved(state, request, outcome) {
  const { request_id } = request;
  const known = [...without(state.resolved, request_id), { ...request, outcome }].slice(-RESOLVED_KEPT);
  const next = { ...state, requests: without(state.requests, request_id), resolved: known };
  return withAnswering(next, request_id, state.answering[request_id]?.state === "sending" ? null : undefined);
}

/**
 * Say how it goes with an answer; null says nothing more of it, undefined what was said before. What is said of
 * requests that are not remembered is forgotten.
 *
 * @param {State} state
 * @param {string} requestId
 * @param {Answering | null | undefined} answering
 * @returns {State}
 */
function withAnswering(state, requestId, answering) {
  const told = answeringOf([...state.requests, ...state.resolved], state.answering);
  if (answering) told[requestId] = answering;
  if (answering === null) delete told[requestId];
  return { ...state, answering: told };
}

/**
 * What is said of answers to these requests.
 *
 * @param {InputRequest[]} requests
 * @param {State["answering"]} answering
 * @returns {State["answering"]}
 */
export function answeringOf(requests, answering) {
  const known = new Set(requests.map((request) => request.request_id));
  return Object.fromEntries(Object.entries(answering).filter(([id]) => known.has(id)));
}

/**
 * @template {{request_id: string}} R
 * @param {R[]} requests
 * @param {string} requestId
 */
function without(requests, requestId) {
  return requests.filter((item) => item.request_id !== requestId);
}
