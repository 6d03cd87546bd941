/**
 * The HTTP calls of the page. Each resolves to the answer's JSON, or throws an `ApiError` fit to be shown.
 */

import { linkWords } from "./words.js";

/**
 * @typedef {import("./types.js").Fault} Fault
 * @typedef {import("./types.js").Receipt} Receipt
 */

const SIGN_IN = "/session";
/** How long the server may take to answer; what takes longer is told by the log, not by an answer. */
const ANSWER_MS = 30_000;
/** No answer at all, or one that says: not now. */
const PASSING = new Set([0, 502, 503, 504]);

/** What went wrong, as a sentence for a person. */
export class ApiError extends Error {
  /**
   * @param {string} message
   * @param {{status?: number, code?: string, details?: Fault[], about?: Object<string, any>}} [more] `status` is 0 where no
   *   answer came; `about` is what the answer told beside
   */
  constructor(message, { status = 0, code = "", details = [], about = {} } = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.about = about;
  }

  /** Whether the same call may succeed once the server, or what stands between, is back. */
  get isPassing() {
    return PASSING.has(this.status);
  }
}

/**
 * Send a message; the same `clientId` again starts nothing a second time.
 *
 * @param {string} userId
 * @param {string} message
 * @param {string} clientId
 * @param {string} [policy] what it does to the task that runs
 * @param {string} [from] the step that it goes back to
 * @returns {Promise<{task_id: string, seq: number, steer?: import("./types.js").Message["steer"]}>}
 */
export function sendMessage(userId, message, clientId, policy, from) {
  return post("/chat", { user_id: userId, message, client_id: clientId, policy, checkpoint_id: from });
}

/**
 * The last states of a graph's thread, the newest first.
 *
 * @param {string} userId
 * @returns {Promise<{states: import("./branches.js").StateView[]}>}
 */
export function askStates(userId) {
  return call(`/threads/${encodeURIComponent(userId)}/history?limit=100`);
}

/**
 * Change the text of a message that waits to be taken in.
 *
 * @param {string} userId
 * @param {string} messageId
 * @param {{message: string, revision: number}} body
 */
export function editPending(userId, messageId, body) {
  return send("PUT", pendingPath(userId, messageId), body);
}

/**
 * @param {string} userId
 * @param {string} messageId
 * @param {"withdraw" | "now" | "later"} how
 */
export function settlePending(userId, messageId, how) {
  const path = pendingPath(userId, messageId);
  return how === "withdraw" ? call(path, { method: "DELETE" }) : post(`${path}/${how}`, {});
}

/** @param {string} userId @param {string} messageId */
function pendingPath(userId, messageId) {
  return `/pending/${encodeURIComponent(userId)}/${encodeURIComponent(messageId)}`;
}

/**
 * The requests for which offers are kept, the newest first.
 *
 * @param {string} userId
 * @returns {Promise<{requests: import("./kept.js").KeptRequest[]}>}
 */
export function askKept(userId) {
  return call(`/requests/${encodeURIComponent(userId)}`);
}

/**
 * @param {string} userId
 * @param {string} taskId
 * @returns {Promise<{offers: Object<string, import("./types.js").Offer[]>}>}
 */
export function askKeptOffers(userId, taskId) {
  return call(`/requests/${encodeURIComponent(userId)}/${encodeURIComponent(taskId)}`);
}

/**
 * Stop a task, or one agent of it.
 *
 * @param {string} userId
 * @param {string} taskId
 * @param {{agent?: string, withdraws?: boolean}} [how] it may withdraw what waits to be taken in
 */
export function stopTask(userId, taskId, { agent, withdraws = false } = {}) {
  const pending = withdraws ? "withdraw" : undefined;
  return post(`/stop/${encodeURIComponent(userId)}`, { task_id: taskId, agent, pending });
}

/**
 * @param {string} userId
 * @param {{request_id: string, answer?: Object<string, unknown>, decision?: string}} body
 */
export function sendAnswer(userId, body) {
  return post(`/answer/${encodeURIComponent(userId)}`, body);
}

/**
 * @param {string} userId
 * @param {string} taskId
 * @returns {Promise<Receipt>}
 */
export function askReceipt(userId, taskId) {
  return call(`/receipts/${encodeURIComponent(userId)}/${encodeURIComponent(taskId)}`);
}

/**
 * What each tool call of a task was given, and what it came to.
 *
 * @param {string} userId
 * @param {string} taskId
 * @returns {Promise<{calls: import("./trail-calls.js").Called[]}>}
 */
export function askCalls(userId, taskId) {
  return call(`/calls/${encodeURIComponent(userId)}/${encodeURIComponent(taskId)}`);
}

/**
 * @param {string[]} texts in Markdown
 * @returns {Promise<{texts: import("./markdown.js").Block[][]}>}
 */
export function renderMarkdown(texts) {
  return post("/page/markdown", { texts });
}

/**
 * @param {string} userId
 * @returns {Promise<{bookings: import("./bookings.js").Booking[]}>}
 */
export function askBookings(userId) {
  return call(`/bookings/${encodeURIComponent(userId)}`);
}

/**
 * Who travels with a user, as sellers know it.
 *
 * @param {string} userId
 * @returns {Promise<{travellers: import("./travellers.js").Traveller[]}>}
 */
export function askTravellers(userId) {
  return call(`/travellers/${encodeURIComponent(userId)}`);
}

/** @param {string} userId @param {import("./travellers.js").Traveller[]} travellers instead of those before */
export function keepTravellers(userId, travellers) {
  return send("PUT", `/travellers/${encodeURIComponent(userId)}`, { travellers });
}

/**
 * The cheapest total of each day around a date.
 *
 * @param {Object<string, string | number>} query
 * @returns {Promise<{days: import("./fares.js").DayFare[]}>}
 */
export function askFares(query) {
  return call(`/fares?${params(query)}`);
}

/**
 * Under which the state keeps the fares of a query.
 *
 * @param {Object<string, string | number>} query
 */
export function fareKey(query) {
  return params(query).toString();
}

/**
 * @param {string[]} codes
 * @returns {Promise<{airports: import("./route.js").Airports}>}
 */
export function askAirports(codes) {
  return call(`/airports?${params({ codes: codes.join(",") })}`);
}

/**
 * The places whose name begins with a text, the likeliest first.
 *
 * @param {string} text
 * @param {AbortSignal} signal
 * @returns {Promise<{places: import("./places.js").PlaceFound[]}>}
 */
export function askPlaces(text, signal) {
  return call(`/places?${params({ text })}`, { signal });
}

/** @returns {Promise<import("./land.js").LandAnswer>} */
export function askLand() {
  return call("/land");
}

/**
 * Where all that the server has stored of a trip is, as a file.
 *
 * @param {string} userId
 */
export function exportAddress(userId) {
  return `/users/${encodeURIComponent(userId)}/export`;
}

/**
 * Delete a trip and all the server knows of it.
 *
 * @param {string} userId
 */
export function forgetUser(userId) {
  return call(`/users/${encodeURIComponent(userId)}`, { method: "DELETE" });
}

/**
 * The conversations of whoever is signed in, the newest first.
 *
 * @returns {Promise<{conversations: {user_id: string, title: string}[]}>}
 */
export function askConversations() {
  return call("/conversations?limit=200");
}

/**
 * Where one is signed in.
 *
 * @typedef {{id: string, begun_at: string, used_at: string, expires_at: string, address: string, browser: string,
 *   current: boolean}} OwnSession
 *
 * @returns {Promise<{sessions: OwnSession[]}>}
 */
export function askSessions() {
  return call("/sessions");
}

/** End a session of one's own. @param {string} id */
export function endSession(id) {
  return call(`/sessions/${encodeURIComponent(id)}`, { method: "DELETE" });
}

/** End the session of this browser. */
export function signOut() {
  return call(SIGN_IN, { method: "DELETE" });
}

/**
 * Trade the token that a link carries in its fragment for a cookie, and take it out of the address.
 *
 * @param {(token: string, state: string | null) => Promise<boolean>} mayTake whether it is to be taken
 * @returns {Promise<boolean>} whether there was one, and it was
 */
export async function signInFromLink(mayTake) {
  const told = new URLSearchParams(location.hash.slice(1));
  const token = told.get("token");
  if (!token) return false;
  history.replaceState(null, "", location.pathname + location.search);
  if (!(await mayTake(token, told.get("state")))) return false;
  await post(SIGN_IN, { token });
  return true;
}

/**
 * @param {string} path
 * @param {Object<string, unknown>} body
 */
export function post(path, body) {
  return send("POST", path, body);
}

/**
 * @param {string} method
 * @param {string} path
 * @param {Object<string, unknown>} body
 */
function send(method, path, body) {
  return call(path, {
    method,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

/**
 * @param {string} path
 * @param {RequestInit} [init]
 * @returns {Promise<any>}
 */
export async function call(path, init) {
  let response;
  try {
    const limit = AbortSignal.timeout(ANSWER_MS);
    response = await fetch(path, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, limit]) : limit });
  } catch (error) {
    const late = error instanceof DOMException && error.name === "TimeoutError";
    throw new ApiError(late ? "The server did not answer in time." : "The server can’t be reached.");
  }
  const answer = response.status === 204 ? {} : await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const { message, code, details } = answer.error ?? {};
  const status = response.status;
  const told = status === 401 && path !== SIGN_IN ? linkWords("signed_out") : message;
  throw new ApiError(told ?? `The server answered ${status}.`, {
    status,
    code,
    details: Array.isArray(details) ? details : [],
    about: Array.isArray(details) ? {} : (details ?? {}),
  });
}

/** @param {Object<string, string | number>} query */
function params(query) {
  return new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
}
