/** The calls of one user, and the user's events. */

import { DetourError, errorOf } from "./errors.js";
import { follow, pause, pauseBefore } from "./follow.js";
import { Reply } from "./reply.js";

/**
 * @typedef {import("../types.js").Frame} Frame
 * @typedef {import("../index.js").SendOptions} SendOptions
 * @typedef {import("../index.js").Position} Position
 */

const VERSION = "/v1";
/** How often a message is sent until the server has answered, with about 4 s of waiting in between. */
const ATTEMPTS = 5;

export class DetourClient {
  #base;
  #userId;
  /** @type {Record<string, string>} */
  #headers;
  #fetch;
  #timeoutMs;

  /** @param {import("../index.js").ClientOptions} options */
  constructor({ url = "", userId, token, timeoutMs = 20_000, fetch = (...asked) => globalThis.fetch(...asked) }) {
    this.#base = url.replace(/\/+$/, "") + VERSION;
    this.#userId = userId;
    this.#headers = token ? { authorization: `Bearer ${token}` } : {};
    this.#fetch = fetch;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * @param {string} message
   * @param {SendOptions} [options]
   * @returns {Promise<import("../types.js").ChatAnswer>}
   */
  async send(message, { clientId = newId(), taskId, checkpointId, ...options } = {}) {
    const ids = { user_id: this.#userId, client_id: clientId, task_id: taskId, checkpoint_id: checkpointId };
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#call("POST", "/chat", { ...options, ...ids, message });
      } catch (error) {
        const again = error instanceof DetourError && (error.status === 0 || error.status === 503);
        if (!again || attempt === ATTEMPTS) throw error;
        await pause(pauseBefore(attempt - 1));
      }
    }
  }

  /**
   * @param {string} message
   * @param {SendOptions & {signal?: AbortSignal}} [options]
   * @returns {AsyncGenerator<import("../index.js").Event | import("../types.js").SnapshotFrame, void, void>}
   */
  async *stream(message, { signal, ...options } = {}) {
    const accepted = await this.send(message, options);
    const { seq, epoch } = accepted;
    const reply = new Reply(accepted);
    for await (const frame of this.events({ position: { seq, epoch }, signal })) {
      if (frame.type === "connection" || frame.type === "hello" || frame.type === "reset") continue;
      if (!reply.hear(frame)) continue;
      yield frame;
      if (reply.hasEnded) return;
    }
  }

  /**
   * @param {{position?: Position | null, signal?: AbortSignal}} [options]
   * @returns {AsyncGenerator<Frame | import("../index.js").ConnectionFrame, void, void>}
   */
  events({ position = null, signal } = {}) {
    /** @param {Position | null} from */
    const address = (from) => {
      const query = new URLSearchParams(from ? { since: String(from.seq), epoch: from.epoch } : {});
      if (!from?.epoch) query.delete("epoch");
      return `${this.#base}/events/${this.#quotedId}?${query}`;
    };
    return follow(address, { position, signal, headers: this.#headers, fetch: this.#fetch });
  }

  /** @param {{taskId?: string, agent?: string, pending?: "keep" | "withdraw"}} [what] */
  stop({ taskId, agent, pending } = {}) {
    return this.#call("POST", `/stop/${this.#quotedId}`, { task_id: taskId, agent, pending });
  }

  pending() {
    return this.#call("GET", `/pending/${this.#quotedId}`);
  }

  /** @param {string} messageId @param {string} text @param {number} revision */
  edit(messageId, text, revision) {
    return this.#call("PUT", this.#pathOf(messageId), { message: text, revision });
  }

  /** @param {string} messageId */
  withdraw(messageId) {
    return this.#call("DELETE", this.#pathOf(messageId));
  }

  /** @param {string} messageId */
  now(messageId) {
    return this.#call("POST", `${this.#pathOf(messageId)}/now`);
  }

  /** @param {string} messageId */
  later(messageId) {
    return this.#call("POST", `${this.#pathOf(messageId)}/later`);
  }

  /** @param {string} requestId @param {unknown} values */
  answer(requestId, values) {
    return this.#call("POST", `/answer/${this.#quotedId}`, { request_id: requestId, answer: values });
  }

  /** @param {string} requestId @param {"allow" | "deny"} decision @param {string} [note] */
  decide(requestId, decision, note) {
    return this.#call("POST", `/answer/${this.#quotedId}`, { request_id: requestId, decision, note });
  }

  status() {
    return this.#call("GET", `/status/${this.#quotedId}`);
  }

  partialResults() {
    return this.#call("GET", `/partial-results/${this.#quotedId}`);
  }

  /** @param {{limit?: number, before?: string}} [page] */
  history(page = {}) {
    return this.#call("GET", `/history/${this.#quotedId}${queryOf(page)}`);
  }

  /** @param {string} taskId */
  receipt(taskId) {
    return this.#call("GET", `/receipts/${this.#quotedId}/${encodeURIComponent(taskId)}`);
  }

  /** @param {string} taskId */
  calls(taskId) {
    return this.#call("GET", `/calls/${this.#quotedId}/${encodeURIComponent(taskId)}`);
  }

  /** @param {{graph?: string}} [of] */
  state(of = {}) {
    return this.#call("GET", `/threads/${this.#quotedId}/state${queryOf(of)}`);
  }

  /** @param {{limit?: number, before?: string, graph?: string}} [page] */
  states(page = {}) {
    return this.#call("GET", `/threads/${this.#quotedId}/history${queryOf(page)}`);
  }

  /** @returns {Promise<void>} */
  async forget() {
    await this.#call("DELETE", `/users/${this.#quotedId}`);
  }

  get #quotedId() {
    return encodeURIComponent(this.#userId);
  }

  /** @param {string} messageId */
  #pathOf(messageId) {
    return `/pending/${this.#quotedId}/${encodeURIComponent(messageId)}`;
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [body] sent as JSON, without what is undefined
   * @returns {Promise<any>} the answer's JSON; null where it has none
   */
  async #call(method, path, body) {
    const headers = { ...this.#headers, ...(body && { "content-type": "application/json" }) };
    const asked = { method, headers, body: body && JSON.stringify(body), signal: AbortSignal.timeout(this.#timeoutMs) };
    try {
      const answer = await this.#fetch(this.#base + path, asked);
      if (!answer.ok) throw await errorOf(answer);
      return answer.status === 204 ? null : await answer.json();
    } catch (error) {
      if (error instanceof DetourError) throw error;
      throw new DetourError("The server cannot be reached.", { code: String(error) });
    }
  }
}

/** An id of a message; `randomUUID` is missing from pages that came over plain HTTP from another machine. */
export function newId() {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {Record<string, string | number | undefined>} fields */
function queryOf(fields) {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return given.length ? `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}` : "";
}
