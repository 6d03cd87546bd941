/** The state of one user, kept up to date while anybody is subscribed, with what was sent from here in it at once. */

import { newId } from "./client.js";
import { DetourError } from "./errors.js";
import { fold, initialState } from "./fold.js";

/**
 * @typedef {import("../index.js").State} State
 * @typedef {import("../index.js").SendOptions} SendOptions
 */

export class Session {
  #client;
  #state = initialState();
  /** @type {Set<() => void>} */
  #listeners = new Set();
  /** @type {Map<string, SendOptions["policy"]>} by the client id of what is not accepted yet */
  #policies = new Map();
  /** @type {AbortController | null} */
  #following = null;
  #isNews = false;

  /** @param {import("../index.js").Client} client */
  constructor(client) {
    this.#client = client;
  }

  get client() {
    return this.#client;
  }

  /** @returns {State} */
  getState = () => this.#state;

  /**
   * Call a function after each change, and follow the user's events meanwhile.
   *
   * @param {() => void} listener
   * @returns {() => void} to call when it is enough; after the last one the line is closed
   */
  subscribe = (listener) => {
    this.#listeners.add(listener);
    if (!this.#following) this.#follow();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size) return;
      this.#following?.abort();
      this.#following = null;
    };
  };

  /**
   * Send a message, which is shown at once. Resolves to null where it could not be sent; the state says why.
   *
   * @param {string} text
   * @param {SendOptions} [options]
   */
  send = async (text, { clientId = newId(), ...options } = {}) => {
    this.#take({ type: "sending", client_id: clientId, text });
    this.#policies.set(clientId, options.policy);
    try {
      const accepted = await this.#client.send(text, { ...options, clientId });
      this.#take({ type: "accepted", client_id: clientId, seq: accepted.seq });
      this.#policies.delete(clientId);
      return accepted;
    } catch (error) {
      if (!(error instanceof DetourError)) throw error;
      this.#take({ type: "unsent", client_id: clientId, error: error.message });
      return null;
    }
  };

  /**
   * Send again what could not be sent, under its old id: the server takes it once, whatever it took before.
   *
   * @param {string} clientId
   * @param {SendOptions} [options] with the policy that it was sent with, unless given
   */
  resend = async (clientId, options = {}) => {
    const unsent = this.#state.outbox.find((each) => each.client_id === clientId);
    return unsent ? this.send(unsent.text, { policy: this.#policies.get(clientId), ...options, clientId }) : null;
  };

  async #follow() {
    const following = new AbortController();
    this.#following = following;
    const { synced, seq, epoch } = this.#state;
    const position = synced && epoch !== null ? { seq, epoch } : null;
    try {
      for await (const frame of this.#client.events({ position, signal: following.signal })) {
        if (following.signal.aborted) return;
        this.#take(frame);
        // A snapshot has no calls.
        if (frame.type === "snapshot" && frame.status) void this.#lookBack(frame.status.task_id);
      }
    } catch (error) {
      if (!(error instanceof DetourError)) throw error;
      if (this.#following !== following) return;
      this.#following = null; // the next subscriber tries again
      this.#take({ type: "refused", error: { code: error.code, message: error.message } });
    }
  }

  /** @param {string} taskId */
  async #lookBack(taskId) {
    try {
      const { calls } = await this.#client.calls(taskId);
      this.#take({ type: "calls", task_id: taskId, calls });
    } catch (error) {
      if (!(error instanceof DetourError)) throw error; // else it is told by the next events, or by none
    }
  }

  /** @param {import("../index.js").Foldable} frame */
  #take(frame) {
    const next = fold(this.#state, frame);
    if (next === this.#state) return;
    this.#state = next;
    if (this.#isNews) return;
    // Once for all frames of one piece of the stream: a reply may come in hundreds of them.
    this.#isNews = true;
    setTimeout(() => {
      this.#isNews = false;
      for (const listener of [...this.#listeners]) listener();
    });
  }
}
