/** What a task did on the way to its reply, a line each: tool calls, steps of the graph, and words between them. */

import { serverNow } from "../../lib/expiry.js";
import { Component } from "../../lib/component.js";
import { component, element, icon, keepChildren, setText } from "../../lib/dom.js";
import { isRunning, lengthOf, nameOf, readable, stateOf, summaryOf } from "../../lib/steps.js";

/**
 * @typedef {import("../../lib/trails.js").Step} Step
 * @typedef {object} ShownSteps
 * @property {string} taskId
 * @property {Step[]} steps
 * @property {Object<string, import("../../lib/trails.js").Account>} accounts
 */

/** How many of many steps are shown until all are asked for. */
const SHOWN = 8;
const TICK_MS = 1000;
const LONGEST = 20_000;

/** @extends {Component<ShownSteps>} */
class StepList extends Component {
  #earlier = element("button", { type: "button", className: "plain earlier", hidden: true, ariaExpanded: "false" });
  #list = element("ol", { ariaLabel: "Steps" });
  #open = false;

  /** @override */
  build() {
    this.#earlier.addEventListener("click", () => {
      this.#open = !this.#open;
      if (this.data) this.update(this.data);
    });
    this.append(this.#earlier, this.#list);
  }

  /** @override @param {ShownSteps} shown */
  update({ taskId, steps, accounts }) {
    const left = this.#open ? 0 : Math.max(0, steps.length - SHOWN);
    this.#earlier.hidden = steps.length <= SHOWN;
    this.#earlier.ariaExpanded = String(this.#open);
    setText(this.#earlier, this.#open ? "Fewer steps" : `${left} earlier ${left === 1 ? "step" : "steps"}`);
    keepChildren(this.#list, steps.slice(left), {
      key: ({ key }) => key,
      create: (step) => element("li", { className: step.kind }, lineOf(step)),
      update: (row, step) => {
        const line = /** @type {any} */ (row.firstElementChild);
        if (step.kind === "said" && step.reply) line.data = { text: step.text ?? "", streaming: false };
        else line.data = { taskId, step, account: accounts[step.key] };
      },
    });
  }
}

/** @param {Step} step */
function lineOf({ kind, reply }) {
  return component(kind === "said" && reply ? "markdown-text" : "step-line");
}

/**
 * @typedef {object} ShownStep
 * @property {string} taskId
 * @property {Step} step
 * @property {import("../../lib/trails.js").Account | undefined} account
 */

/** @extends {Component<ShownStep>} */
class StepLine extends Component {
  #sign = element("span", { className: "sign" });
  #name = element("strong", { dir: "auto" });
  #state = element("span", { className: "state" });
  #summary = element("span", { className: "summary", dir: "auto" });
  #length = element("span", { className: "length" });
  #words = element("span", { className: "words" }, this.#name, " ", this.#state, " ", this.#summary);
  #body = element("div", { className: "body" });
  /** @type {HTMLElement} */
  #line = this;
  #told = "";

  /** @override */
  build() {
    const isNode = this.data?.step.kind === "node";
    const parts = [this.#sign, this.#words, this.#length];
    if (isNode) {
      this.append(element("div", { className: "line" }, ...parts));
      return;
    }
    const fold = element("details", {}, element("summary", { className: "line" }, ...parts), this.#body);
    fold.addEventListener("toggle", () => this.#opened(fold.open));
    this.#line = fold;
    this.append(fold);
  }

  /** @override */
  listen() {
    const ticking = setInterval(() => this.#tick(), TICK_MS);
    this.leaving.addEventListener("abort", () => clearInterval(ticking));
  }

  /** @override @param {ShownStep} shown */
  update({ step, account }) {
    if (step.kind === "said") this.#showSaid(step);
    else this.#showState(step);
    this.#tick();
    if (this.#line instanceof HTMLDetailsElement && this.#line.open) this.#showBody(step, account);
  }

  /** @param {Step} step */
  #showState(step) {
    const { sign, words } = stateOf(step);
    if (this.dataset.state !== sign) {
      this.dataset.state = sign;
      this.#sign.replaceChildren(icon(sign));
    }
    setText(this.#name, nameOf(step));
    setText(this.#state, words);
    setText(this.#summary, summaryOf(step));
  }

  /** @param {Step} step */
  #showSaid({ name, text = "" }) {
    if (!this.dataset.state) this.#sign.replaceChildren(icon("edit"));
    this.dataset.state = "said";
    setText(this.#name, nameOf({ .../** @type {Step} */ (this.data?.step), kind: "node", name }));
    setText(this.#state, "said");
    setText(this.#summary, text.slice(0, 200));
  }

  #tick() {
    const step = this.data?.step;
    if (!step || step.kind === "said") return;
    if (step.until || isRunning(step)) setText(this.#length, lengthOf(step, serverNow()));
  }

  /** @param {boolean} isOpen */
  #opened(isOpen) {
    if (!this.data || !isOpen) return;
    const { taskId, step, account } = this.data;
    if (step.kind === "call" && (!account || !this.#isWhole())) this.act("trace", { taskId });
    this.#showBody(step, account);
  }

  /** What was fetched while it ran lacks what it came to. */
  #isWhole() {
    const account = /** @type {any} */ (this.data?.account);
    return account?.state === this.data?.step.state;
  }

  /** @param {Step} step @param {import("../../lib/trails.js").Account | undefined} account */
  #showBody(step, account) {
    const told = step.kind === "said" ? (step.text ?? "") : JSON.stringify(account ?? null);
    if (told === this.#told && this.#body.hasChildNodes()) return;
    this.#told = told;
    if (step.kind === "said") this.#body.replaceChildren(element("p", { dir: "auto", className: "said-text" }, step.text ?? ""));
    else if (account) this.#body.replaceChildren(...part("Arguments", account.arguments), ...part("Result", account.result));
    else this.#body.replaceChildren(element("p", { className: "quiet" }, "Fetching…"));
  }
}

/** @param {string} title @param {unknown} value */
function part(title, value) {
  const text = readable(value);
  if (text === "" || text === "{}") return [];
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  const code = element("pre", { tabIndex: 0, ariaLabel: title, role: "group" }, element("code", { dir: "auto" }, shown));
  return [element("h4", {}, title), code];
}

customElements.define("step-line", StepLine);
customElements.define("step-list", StepList);
