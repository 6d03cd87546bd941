/** What is told to a screen reader and seen by nobody: news at a pace that can be listened to, alarms at once. */

import { newsOf } from "../../lib/announcements.js";
import { serverNow, SOON_MS } from "../../lib/expiry.js";
import { Component } from "../../lib/component.js";
import { element } from "../../lib/dom.js";

/** @typedef {import("../../lib/reduce.js").State} State */

/** How long news gather before they are told, in milliseconds. */
const PACE_MS = 2000;
/** How long what was told stays to be found again, in milliseconds; after that it would be stale. */
const STALE_MS = 15_000;

/** @extends {Component<State>} */
class LiveAnnouncer extends Component {
  #status = element("p", { role: "status", className: "unseen" });
  #alert = element("p", { role: "alert", className: "unseen" });
  /** @type {State | null} */
  #before = null;
  /** @type {Map<string, string>} */
  #pending = new Map();
  /** @type {number | undefined} */
  #telling;
  /** @type {number | undefined} */
  #ending;
  #watched = "";

  /** @override */
  build() {
    this.append(this.#status, this.#alert);
  }

  /** @override @param {State} state */
  update(state) {
    const { said, urgent } = newsOf(this.#before ?? state, state);
    this.#before = state;
    if (urgent.length) this.#put(this.#alert, urgent);
    this.#gather(said);
    this.#watchExpiry(state.requests[0]);
  }

  /** @param {Map<string, string>} said */
  #gather(said) {
    for (const [subject, sentence] of said) this.#pending.set(subject, sentence);
    if (this.#pending.size) this.#telling ??= setTimeout(() => this.#tell(), PACE_MS);
  }

  #tell() {
    this.#telling = undefined;
    this.#put(this.#status, [...this.#pending.values()]);
    this.#pending.clear();
  }

  /** @param {HTMLElement} node @param {string[]} sentences */
  #put(node, sentences) {
    const text = sentences.join(" ");
    node.textContent = text;
    setTimeout(() => {
      if (node.textContent === text) node.textContent = "";
    }, STALE_MS);
  }

  /** @param {import("../../lib/types.js").InputRequest | undefined} request */
  #watchExpiry(request) {
    const id = request?.request_id ?? "";
    if (id === this.#watched) return;
    this.#watched = id;
    clearTimeout(this.#ending);
    const pause = Date.parse(request?.expires_at ?? "") - SOON_MS - serverNow();
    // Longer than a day is longer than anybody waits, and than a timer should.
    if (!(pause >= 0 && pause < 86_400_000)) return;
    const soon = new Map([["expiry", "Less than 2 minutes are left to answer."]]);
    this.#ending = setTimeout(() => this.#gather(soon), pause);
  }
}

customElements.define("live-announcer", LiveAnnouncer);
