/** What waits to be taken in by the task that runs, in order: each can be edited, withdrawn, sent now or left for later. */

import { Component } from "../../lib/component.js";
import { component, element, keepChildren, setText } from "../../lib/dom.js";
import { addToMessageBox, goToMessageBox } from "../../lib/focus.js";
import { isOnItsWay } from "../../lib/pending.js";

/**
 * @typedef {import("../../lib/reduce.js").State} State
 * @typedef {import("../../lib/types.js").Pending} Pending
 * @typedef {import("../../lib/types.js").Changing} Changing
 *
 * @typedef {{message: Pending, changing: Changing | undefined, sending: boolean}} Waiting
 */

const LOST = "That message is no longer pending. Your edit is in the message box.";

/** @extends {Component<State>} */
class PendingMessages extends Component {
  #title = element("h2", { id: "pending-title" });
  #list = element("ol");
  #section = element("section", { hidden: true }, this.#title, this.#list);

  /** @override */
  build() {
    this.#section.setAttribute("aria-labelledby", this.#title.id);
    this.append(this.#section);
  }

  /** @override @param {State} state */
  update(state) {
    const shown = [...state.pending.map((message) => listed(state, message)), ...onItsWay(state)];
    // Where it is seen, it is not left nowhere; and a tap opens no keyboard.
    const hadFocus = this.querySelector(":focus-visible") !== null;
    const keys = new Set(shown.map(keyOf));
    for (const line of this.#list.querySelectorAll("pending-message")) this.#rescue(/** @type {PendingMessage} */ (line), keys);
    this.#section.hidden = shown.length === 0;
    setText(this.#title, shown.length === 1 ? "Waits to be taken in" : `${shown.length} messages wait to be taken in`);
    keepChildren(this.#list, shown, {
      key: keyOf,
      create: () => element("li", {}, component("pending-message")),
      update: (row, waiting) => Object.assign(/** @type {Element} */ (row.firstElementChild), { data: same(waiting) }),
    });
    if (hadFocus && !this.contains(document.activeElement)) goToMessageBox();
  }

  /** What was typed is not lost with the message that it was to change. @param {PendingMessage} line @param {Set<string>} keys */
  #rescue(line, keys) {
    if (!line.edit || !line.data || keys.has(keyOf(line.data))) return;
    addToMessageBox(line.edit);
    this.act("tell", { text: LOST });
  }
}

/** @param {State} state @param {Pending} message @returns {Waiting} */
function listed({ changing }, message) {
  return { message, changing: changing[message.message_id], sending: false };
}

/** @param {State} state @returns {Waiting[]} */
function onItsWay(state) {
  return state.outbox
    .filter((item) => isOnItsWay(state, item))
    .map(({ client_id, text }) => ({ message: { message_id: "", text, revision: 0, at: "", client_id }, changing: undefined, sending: true }));
}

/** What was sent from here stays the same line once the server lists it. @param {Waiting} waiting */
function keyOf({ message: { client_id, message_id } }) {
  return client_id ?? message_id;
}

/** @type {WeakMap<Pending, Waiting>} */
const known = new WeakMap();

/** The same value for the same message: nothing is drawn anew for it. @param {Waiting} waiting */
function same(waiting) {
  const had = known.get(waiting.message);
  if (had && had.changing === waiting.changing && had.sending === waiting.sending) return had;
  known.set(waiting.message, waiting);
  return waiting;
}

/** @extends {Component<Waiting>} */
class PendingMessage extends Component {
  #text = element("p", { className: "text", dir: "auto" });
  #state = element("span", { className: "state" });
  #acts = element("div", { className: "acts" });
  #box = element("textarea", { rows: 1, dir: "auto", maxLength: 8000, ariaLabel: "Edit the message" });
  #save = element("button", { type: "submit", className: "primary", textContent: "Save" });
  #newer = element("p", { className: "newer", dir: "auto", role: "status" });
  #form = element("form", { hidden: true, ariaLabel: "Edit the message" });
  #trouble = element("p", { className: "trouble", role: "status" });
  /** @type {HTMLButtonElement[]} */
  #buttons = [];
  #editing = false;
  /** The revision that the user sees, on which an edit is built. */
  #seen = 0;

  /** What was typed and is not saved; "" where nothing is. */
  get edit() {
    const text = this.#box.value.trim();
    return this.#editing && text !== this.data?.message.text ? text : "";
  }

  /** @override */
  build() {
    this.#buttons = [
      this.#button("Edit", "change its text", () => this.#begin()),
      this.#button("Withdraw", "take it back", () => this.#settle("withdraw")),
      this.#button("Now", "interrupt the current run with it", () => this.#settle("now")),
      this.#button("Later", "send it after the current run", () => this.#settle("later")),
    ];
    this.#acts.append(this.#state, ...this.#buttons);
    const cancel = element("button", { type: "button", className: "plain", textContent: "Cancel" });
    cancel.addEventListener("click", () => this.#end());
    this.#box.addEventListener("keydown", (event) => this.#pressed(event));
    this.#box.addEventListener("input", () => this.#grow());
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#revise();
    });
    this.#form.append(this.#newer, this.#box, element("div", { className: "acts" }, cancel, this.#save));
    this.append(this.#text, this.#acts, this.#form, this.#trouble);
  }

  /** @override @param {Waiting} waiting */
  update({ message: { text, revision }, changing, sending }) {
    const isBusy = changing?.error === "";
    if (this.#editing && this.#isSaved(text)) this.#end();
    const isNewer = this.#editing && revision !== this.#seen && !isBusy;
    setText(this.#newer, isNewer ? `It was edited meanwhile: “${text}”` : "");
    this.#newer.hidden = !isNewer;
    setText(this.#text, text);
    this.#text.hidden = this.#acts.hidden = this.#editing;
    this.#form.hidden = !this.#editing;
    this.classList.toggle("busy", isBusy);
    for (const button of this.#buttons) button.hidden = sending;
    this.#save.disabled = isBusy;
    setText(this.#state, sending ? "Sending…" : "");
    const trouble = changing?.error && !isNewer ? changing.error : "";
    this.#trouble.hidden = trouble === "";
    setText(this.#trouble, trouble);
  }

  /** @param {string} name @param {string} does @param {() => void} act */
  #button(name, does, act) {
    const button = element("button", { type: "button", className: "plain", textContent: name, title: `${name}: ${does}` });
    button.addEventListener("click", act);
    return button;
  }

  /** @param {"withdraw" | "now" | "later"} how */
  #settle(how) {
    const messageId = this.data?.message.message_id;
    if (messageId) this.act("settle", { messageId, how });
  }

  #begin() {
    if (!this.data) return;
    const { text, revision } = this.data.message;
    this.#editing = true;
    this.#seen = revision;
    this.#box.value = text;
    this.update(this.data);
    this.#grow();
    this.#box.focus();
  }

  #end() {
    const hadFocus = this.contains(document.activeElement);
    this.#editing = false;
    if (this.data) this.update(this.data);
    if (hadFocus) this.#buttons[0]?.focus();
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") {
      event.preventDefault();
      this.#end();
    }
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    if (!event.repeat) this.#revise();
  }

  /** What is newer was shown, so that the next edit is one of that. */
  #revise() {
    const text = this.#box.value.trim();
    if (!text || !this.data || this.#save.disabled) return;
    const { message_id: messageId, text: had, revision } = this.data.message;
    if (text === had) return this.#end();
    this.#seen = revision;
    this.act("revise", { messageId, text, revision });
  }

  /** @param {string} text */
  #isSaved(text) {
    return this.data?.changing === undefined && text === this.#box.value.trim() && this.data?.message.revision !== this.#seen;
  }

  #grow() {
    const { style } = this.#box;
    style.removeProperty("height");
    style.setProperty("height", `${this.#box.scrollHeight + 2}px`);
  }
}

customElements.define("pending-message", PendingMessage);
customElements.define("pending-messages", PendingMessages);
