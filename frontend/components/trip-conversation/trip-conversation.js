/** The conversation: messages, what interruptions did, what is asked, and how far the task is, in their order. */

import { Component } from "../../lib/component.js";
import { component, element, keepChildren } from "../../lib/dom.js";
import { entriesOf, unexplained } from "../../lib/entries.js";
import { FACE } from "../../lib/face.js";
import { isActive } from "../../lib/tasks.js";
import { focusIsFree, goToMessageBox, goToRequest, REQUEST } from "../../lib/focus.js";

/** @typedef {import("../../lib/reduce.js").State} State */

const WHERE = "Where would you like to go?";
const INVITATION = "Say it in your own words. What is called demo is invented, and nothing of it is bought. Or watch one that changes its mind:";
/** Messages, each with the change of mind that is sent once something was found. @type {[text: string, then: string][]} */
const EXAMPLES = [
  ["Flights from Berlin to Tokyo on 10 March, and a hotel for 5 nights", "Actually make it Osaka"],
  ["A hotel in Lisbon next weekend, under 150 euros a night", "Four stars or more, please"],
  ["Flights from London to Rome on 5 March, back on the 8th", "Only nonstop, leaving after 9"],
];
/** @type {[text: string, then: string][]} */
export const OWN_EXAMPLES = FACE.examples.map((text) => [text, ""]);
/** How far from its end the log still counts as being read there, in pixels. */
const NEAR_END = 96;
/** What stays free above what is kept in sight, in pixels. */
const GAP = 12;

/** @extends {Component<State>} */
export class TripConversation extends Component {
  #list = element("div", { className: "entries" });
  #empty = element("div", { className: "empty", hidden: true });
  #newest = element("button", { type: "button", className: "newest", hidden: true, textContent: "Jump to latest" });
  /** @type {Set<string>} */
  #explained = new Set();
  #userId = "";
  /** The change of mind of the example that was chosen. */
  #then = "";
  #ownMessages = 0;
  /** @type {string | null} */
  #asked = null;
  #follows = true;
  /** Where it was scrolled to last, in pixels: who scrolls up from there reads, and is not pulled down. */
  #place = 0;

  /** @override */
  build() {
    this.role = "log";
    this.ariaLabel = "Messages";
    this.tabIndex = 0;
    const { title, words, examples } = this.invitation();
    this.#empty.append(
      element("h2", {}, title),
      element("p", { className: "quiet" }, words),
      element("ul", { hidden: examples.length === 0 }, ...examples.map(([text, then]) => this.#example(text, then))),
    );
    this.#newest.addEventListener("click", () => this.#toEnd());
    this.append(this.#empty, this.#list, this.#newest);
  }

  /** What an empty conversation says, and offers to send. @returns {{title: string, words: string, examples: [text: string, then: string][]}} */
  invitation() {
    return { title: WHERE, words: INVITATION, examples: FACE.examples.length ? OWN_EXAMPLES : EXAMPLES };
  }

  /** @param {State} state @returns {import("../../lib/entries.js").Entry[]} */
  entries(state) {
    return entriesOf(state);
  }

  /** @override */
  listen() {
    this.addEventListener("scroll", () => this.#scrolled(), { passive: true, signal: this.leaving });
    const resized = new ResizeObserver(() => this.#follow());
    resized.observe(this);
    this.leaving.addEventListener("abort", () => resized.disconnect());
  }

  /** @override @param {State} state */
  update(state) {
    const arrives = this.#userId !== state.userId;
    if (arrives) this.#begin(state.userId);
    this.#changeMind(state);
    const answered = this.#focusedRequest();
    const entries = this.entries(state);
    this.ariaBusy = String(entries.some(({ data }) => data.streaming));
    keepChildren(this.#list, entries, {
      key: ({ key }) => key,
      create: ({ tag, data }) => component(tag, data),
      update: (node, { data }) => Object.assign(node, { data }),
    });
    this.#empty.hidden = entries.length > 0 || !state.synced;
    for (const taskId of unexplained(state)) this.#explain(taskId);
    this.#keepPlace(entries);
    if (answered && !this.contains(answered)) goToMessageBox();
    this.#offerRequest(state);
  }

  /** @param {string} userId */
  #begin(userId) {
    this.#userId = userId;
    this.#then = "";
    this.#explained.clear();
    this.#ownMessages = 0;
    this.#asked = null;
    this.#follows = true;
    this.#list.replaceChildren();
  }

  /** @param {string} text @param {string} then */
  #example(text, then) {
    const button = element("button", { type: "button", dir: "auto" }, text, then ? element("span", {}, ` … then “${then}”`) : null);
    button.addEventListener("click", () => {
      this.#then = then;
      this.act("send", { text });
      goToMessageBox();
    });
    return element("li", {}, button);
  }

  /** An example changes its mind in mid-search; what its user says or stops meanwhile ends it. @param {State} state */
  #changeMind({ task, history, outbox }) {
    const said = outbox.length + history.filter(({ role }) => role === "user").length;
    const hasFound = Object.values(task?.agents ?? {}).some(({ count }) => count);
    if (!this.#then || !said || (said === 1 && !hasFound && (task === null || isActive(task)))) return;
    const text = this.#then;
    this.#then = "";
    if (said === 1 && task?.status !== "interrupted") this.act("send", { text });
  }

  /** @param {string} taskId */
  #explain(taskId) {
    if (this.#explained.has(taskId)) return;
    this.#explained.add(taskId);
    this.act("explain", { taskId });
  }

  #focusedRequest() {
    const active = document.activeElement;
    const request = active?.closest(REQUEST) ?? null;
    return request && this.contains(request) ? request : null;
  }

  /** Go to a question only when it is new, and nothing is typed or focused. @param {State} state */
  #offerRequest({ requests, synced }) {
    const asked = requests[0]?.request_id ?? "";
    if (!synced || asked === this.#asked) return;
    const isNew = this.#asked !== null && asked !== "";
    this.#asked = asked;
    if (isNew && focusIsFree()) goToRequest();
  }

  /** Stay at the end while it is read there, and go there with every message of one's own. */
  #keepPlace(/** @type {import("../../lib/entries.js").Entry[]} */ entries) {
    const own = entries.filter(({ data }) => data.role === "user" && !data.takenIn).length;
    if (own > this.#ownMessages) this.#follows = true;
    this.#ownMessages = own;
    if (!this.#follow()) this.#scrolled();
  }

  /** Whoever fills a form in is left where they are. */
  #follow() {
    const may = this.#follows && !this.#focusedRequest();
    if (may) this.#toEnd();
    return may;
  }

  /** The end; but what is asked or one's newest message stays in sight: what follows is read from its beginning. */
  #toEnd() {
    this.#follows = true;
    const end = this.scrollHeight - this.clientHeight;
    const kept = [...this.querySelectorAll(`${REQUEST}, [data-role="user"]`)].at(-1);
    const least = kept instanceof HTMLElement ? Math.min(end, kept.offsetTop - GAP) : end;
    if (this.scrollTop < least) this.scrollTo(0, least); // whoever has read on below it is not pulled up
    this.#place = this.scrollTop;
    this.#newest.hidden = true;
  }

  #scrolled() {
    const left = this.scrollHeight - this.clientHeight - this.scrollTop;
    if (this.scrollTop < this.#place) this.#follows = false;
    if (left < NEAR_END) this.#follows = true;
    this.#place = this.scrollTop;
    this.#newest.hidden = this.#follows;
  }
}

customElements.define("trip-conversation", TripConversation);
