/**
 * Messages that found no server: they wait, in the order in which they were written, and are sent once it is back.
 *
 * Each keeps its client id, so one that the server had taken without being able to say so is no second message.
 */

/**
 * @typedef {import("./types.js").Outgoing} Outgoing
 */

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 15_000;

export class Waiting {
  #next;
  #deliver;
  #isLive;
  #isSending = false;
  #failures = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #retry;

  /**
   * @param {{next: () => Outgoing | undefined, deliver: (item: Outgoing) => Promise<void>, isLive: () => boolean}} how
   *   `next` is the first one that waits; `isLive` tells whether the server is heard: where it is not, the connection
   *   finds out when it is back, and calls `send`
   */
  constructor({ next, deliver, isLive }) {
    this.#next = next;
    this.#deliver = deliver;
    this.#isLive = isLive;
  }

  /** Send all of them, one after the other; after one that fails again the rest waits on. */
  async send() {
    clearTimeout(this.#retry);
    if (this.#isSending) return;
    this.#isSending = true;
    let last;
    for (let item = this.#next(); item && item.client_id !== last; item = this.#next()) {
      last = item.client_id;
      await this.#deliver(item);
    }
    this.#isSending = false;
    this.#failures = this.#next() ? this.#failures + 1 : 0;
    this.later();
  }

  /** Try again after a pause that doubles: calls may fail although the server is heard. */
  later() {
    clearTimeout(this.#retry);
    if (this.#isSending || !this.#next() || !this.#isLive()) return;
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, this.#failures - 1));
    this.#retry = setTimeout(() => this.send(), pause);
  }
}
