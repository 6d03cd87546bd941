/** What an interruption did, folded into one line; a click opens it to what became of every call. */

import { Component } from "../../lib/component.js";
import { element, keepChildren, setText, svg } from "../../lib/dom.js";
import { foldAccount } from "../../lib/folds.js";
import { takeUpAgain } from "../../lib/phrases.js";

/**
 * @typedef {object} Around
 * @property {string} title
 * @property {string} asked what the interrupted task was asked
 * @property {boolean} newest whether no later interruption is shown
 * @property {boolean} busy whether a task is at work
 * @property {boolean} retried whether the server has taken the task's message up again by itself
 * @property {boolean} whole whether nothing of the task was cut short
 *
 * @typedef {import("../../lib/folds.js").Fold & Around} ShownFold
 */

let made = 0;

/** @extends {Component<ShownFold>} */
class TaskFold extends Component {
  #title = element("span", { dir: "auto" });
  #line = element("button", { type: "button", className: "line", ariaExpanded: "false" });
  #again = element("button", { type: "button", className: "plain again", textContent: "Pick it up again" });
  #calls = element("dl");
  #notes = element("div", { className: "notes" });
  #body = element("div", { className: "body", hidden: true }, this.#calls, this.#notes);

  /** @override */
  build() {
    made += 1;
    this.#body.id = `fold-${made}`;
    this.#title.id = `fold-title-${made}`;
    this.#line.setAttribute("aria-controls", this.#body.id);
    this.#again.setAttribute("aria-describedby", this.#title.id);
    const arrow = svg("svg", { viewBox: "0 0 12 12", "aria-hidden": "true", class: "arrow" });
    arrow.append(svg("path", { d: "M4 2l4 4-4 4" }));
    this.#line.append(arrow, this.#title);
    this.#line.addEventListener("click", () => this.#toggle());
    this.#again.addEventListener("click", () => this.#takeUp());
    this.append(this.#line, this.#again, this.#body);
  }

  /** @override @param {ShownFold} fold */
  update(fold) {
    setText(this.#title, fold.title);
    const { calls, notes } = foldAccount(fold);
    keepChildren(this.#calls, calls.map((call, at) => ({ ...call, at })), {
      key: ({ at }) => at,
      create: () => element("div", {}, element("dt", { dir: "auto" }), element("dd", { dir: "auto" })),
      update: (row, { name, words, open }) => {
        row.classList.toggle("open", open);
        setText(/** @type {Element} */ (row.firstElementChild), name);
        setText(/** @type {Element} */ (row.lastElementChild), words);
      },
    });
    keepChildren(this.#notes, notes.map((text, at) => ({ text, at })), {
      key: ({ at }) => at,
      create: () => element("p", { dir: "auto" }),
      update: (note, { text }) => setText(note, text),
    });
    this.#showAgain();
  }

  #toggle() {
    const opens = this.#body.hidden;
    this.#body.hidden = !opens;
    this.#line.ariaExpanded = String(opens);
    this.#showAgain();
    if (opens && this.data && !this.data.receipt) this.act("explain", { taskId: this.data.marker.task_id });
  }

  /** Beside the line while this is what one may want next, and else once it is opened. */
  #showAgain() {
    const next = this.data?.newest && !this.data.busy;
    this.#again.hidden = this.data?.whole || this.data?.retried || (this.#body.hidden && !next);
  }

  /** Ask for what was searched; where that is not known any more, ask the same again. */
  #takeUp() {
    if (!this.data) return;
    const { left, asked, newest } = this.data;
    const known = left && Object.keys({ ...left.agents, ...left.partials }).length > 0;
    this.act("send", { text: known || newest || !asked ? takeUpAgain(left ?? {}) : asked });
  }
}

customElements.define("task-fold", TaskFold);
