/**
 * Where messages are written, at any time: Enter sends, Esc stops, and what is asked is pinned above it. On the page of a graph
 * it says what Enter does to the task that runs, and a second key does the other.
 */

import { Component } from "../../lib/component.js";
import { component, element, setText } from "../../lib/dom.js";
import { draftOf, keepDraft } from "../../lib/storage.js";
import { FACE } from "../../lib/face.js";
import { goToMessageBox, goToRequest } from "../../lib/focus.js";
import { otherPolicy, policyOf } from "../../lib/policies.js";
import { isActive } from "../../lib/tasks.js";

/** @typedef {import("../../lib/reduce.js").State} State */

/** How long a message may be for the server, and from where on it is counted here. */
const LONGEST = 8000;
const COUNTED_FROM = 7500;
/** What the box's borders add to the height of its content, in pixels. */
const BORDERS = 2;
/** What browsers tell of a key that went to an input method, as for Japanese. */
const TAKEN_BY_INPUT_METHOD = 229;

/** @extends {Component<State>} */
class MessageComposer extends Component {
  #box = element("textarea", { id: "message", rows: 1, dir: "auto", enterKeyHint: "send" });
  #send = element("button", { type: "submit", className: "primary", textContent: "Send" });
  #stop = element("button", { type: "button", className: "stop", textContent: "Stop", disabled: true });
  #pinned = element("span", { className: "prompt", dir: "auto" });
  #pin = element("div", { className: "pin", hidden: true });
  #told = element("span", { dir: "auto" });
  #notice = element("div", { className: "notice", hidden: true });
  #count = element("p", { className: "count", hidden: true });
  #wait = element("span");
  #keep = element("button", { type: "button" });
  #withdraw = element("button", { type: "button" });
  #choice = element("div", { className: "choice", role: "group", ariaLabel: "Stop", hidden: true });
  /** @type {Component<State> | null} */
  #policy = FACE.isGraph ? component("send-policy") : null;
  #composing = false;
  #userId = "";

  /** @override */
  build() {
    const go = element("button", { type: "button", className: "plain", textContent: "Go to question" });
    go.addEventListener("click", goToRequest);
    this.#pin.append(this.#pinned, go);
    const dismiss = element("button", { type: "button", className: "plain", textContent: "Dismiss" });
    dismiss.addEventListener("click", () => this.act("dismiss", {}));
    this.#notice.append(this.#told, dismiss);
    this.#stop.addEventListener("click", () => this.#stopTask());
    this.#buildChoice();
    const form = element("form", { ariaLabel: "Write a message" });
    form.append(
      element("label", { htmlFor: "message", className: "unseen" }, "Message"),
      this.#box,
      element("div", { className: "buttons" }, this.#stop, this.#send),
    );
    if (this.#policy) {
      form.append(this.#policy);
      this.#box.setAttribute("aria-describedby", "enter-does");
    }
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#sendMessage();
    });
    this.#listenToBox();
    this.append(this.#pin, this.#notice, this.#choice, this.#count, form);
  }

  /** A stop while messages wait to be taken in: they start at once, or are withdrawn with it. */
  #buildChoice() {
    const goOn = element("button", { type: "button", className: "plain", textContent: "Don’t stop" });
    this.#keep.addEventListener("click", () => this.#stopNow(false));
    this.#withdraw.addEventListener("click", () => this.#stopNow(true));
    goOn.addEventListener("click", () => this.#closeChoice());
    this.#choice.append(this.#wait, element("div", { className: "answers" }, this.#keep, this.#withdraw, goOn));
    this.#choice.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      this.#closeChoice();
    });
  }

  /** @override */
  listen() {
    document.addEventListener("keydown", (event) => this.#shortcut(event), { signal: this.leaving });
  }

  /** @override @param {State} state */
  update(state) {
    if (state.userId !== this.#userId) this.#begin(state.userId);
    const { task, stopping, requests, notice, pending } = state;
    if (this.#policy) this.#policy.data = state;
    const stops = task !== null && isActive(task) && (stopping === task.task_id || task.status === "cancelling");
    const hadFocus = document.activeElement === this.#stop;
    this.#stop.disabled = !isActive(task) || stops;
    if (hadFocus && this.#stop.disabled) this.#box.focus();
    setText(this.#stop, stops ? "Stopping…" : "Stop");
    if (this.#stop.disabled) this.#closeChoice();
    this.#showChoice(pending.length);
    this.#box.placeholder = isActive(task) ? "Change anything" : FACE.placeholder;
    const [open] = requests;
    this.#pin.hidden = !open;
    setText(this.#pinned, open ? open.prompt : "");
    this.#notice.hidden = notice === "";
    setText(this.#told, notice);
  }

  /** @param {string} userId */
  #begin(userId) {
    this.#userId = userId;
    this.#box.value = draftOf(draftName(userId));
    this.#grow();
  }

  #listenToBox() {
    this.#box.addEventListener("input", () => {
      keepDraft(draftName(this.#userId), this.#box.value);
      this.#grow();
    });
    this.#box.addEventListener("compositionstart", () => (this.#composing = true));
    // Safari ends a composition before the keydown of the Enter that ended it.
    this.#box.addEventListener("compositionend", () => setTimeout(() => (this.#composing = false)));
    this.#box.addEventListener("keydown", (event) => this.#pressed(event));
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.isComposing || event.keyCode === TAKEN_BY_INPUT_METHOD || this.#composing) return;
    if (event.key === "Escape") {
      event.preventDefault();
      this.#stopTask();
    }
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    if (!event.repeat) this.#sendMessage({ isOther: event.ctrlKey || event.metaKey });
  }

  /** @param {KeyboardEvent} event */
  #shortcut(event) {
    if ((event.ctrlKey || event.metaKey) && event.key === ".") {
      event.preventDefault();
      this.#stopTask();
    }
    // On a Mac the key itself types a letter with Alt, so its place counts.
    if (event.altKey && event.code === "KeyQ") {
      event.preventDefault();
      goToRequest();
    }
  }

  #sendMessage({ isOther = false } = {}) {
    const text = this.#box.value.trim();
    if (!text || text.length > LONGEST) return;
    this.#box.value = "";
    keepDraft(draftName(this.#userId), "");
    this.#grow();
    goToMessageBox();
    this.act("send", { text, policy: this.#policyOf(isOther) });
  }

  /** @param {boolean} isOther whether the second key was pressed */
  #policyOf(isOther) {
    if (!this.#policy || !this.data) return undefined;
    const policy = policyOf(this.data.policy, FACE.steers);
    return isOther ? otherPolicy(policy, FACE.steers) : policy;
  }

  #stopTask() {
    if (this.#stop.disabled) return;
    if (!this.data?.pending.length) return this.#stopNow(false);
    this.#showChoice(this.data.pending.length);
    this.#choice.hidden = false;
    this.#keep.focus();
  }

  /** @param {boolean} withdraws */
  #stopNow(withdraws) {
    const task = this.data?.task;
    if (task && !this.#stop.disabled) this.act("stop", { taskId: task.task_id, ...(withdraws ? { withdraws } : {}) });
    this.#closeChoice();
  }

  #closeChoice() {
    const hadFocus = this.#choice.contains(document.activeElement);
    this.#choice.hidden = true;
    if (hadFocus) this.#box.focus();
  }

  /** What waited may have been taken in meanwhile: then there is nothing left to choose. @param {number} count */
  #showChoice(count) {
    const [them, wait] = count === 1 ? ["it", "message waits"] : ["them", "messages wait"];
    setText(this.#wait, count ? `${count} ${wait} to be taken in.` : "Nothing waits any more.");
    setText(this.#keep, count ? `Stop, then start ${them}` : "Stop");
    setText(this.#withdraw, `Stop and withdraw ${them}`);
    if (count === 0 && document.activeElement === this.#withdraw) this.#keep.focus();
    this.#withdraw.hidden = count === 0;
  }

  #grow() {
    const { style } = this.#box;
    style.removeProperty("height");
    if (this.#box.value) style.setProperty("height", `${this.#box.scrollHeight + BORDERS}px`);
    const { length } = this.#box.value.trim();
    this.#count.hidden = length < COUNTED_FROM;
    this.#count.classList.toggle("over", length > LONGEST);
    const over = length > LONGEST ? ": too long to send" : "";
    setText(this.#count, `${length.toLocaleString("en")} of ${LONGEST.toLocaleString("en")} characters${over}`);
  }
}

/** @param {string} userId */
function draftName(userId) {
  return `message.${userId}`;
}

customElements.define("message-composer", MessageComposer);
