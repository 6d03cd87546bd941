/** What a task did on the way to its reply, a line each: tool calls, steps of the graph, and words between them. */

import { serverNow } from "../../lib/expiry.js";
import { Component } from "../../lib/component.js";
import { component, element, icon, keepChildren, setText } from "../../lib/dom.js";
import { aboutOf, givenTo, isRunning, lengthOf, nameOf, stateOf, summaryOf } from "../../lib/steps.js";
import { readable } from "../../lib/values.js";

/**
 * @typedef {import("../../lib/trails.js").Step} Step
 * @typedef {object} ShownSteps
 * @property {string} taskId
 * @property {Step[]} steps
 */

/** How many of many steps are shown until all are asked for. */
const SHOWN = 8;
const TICK_MS = 1000;

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
  update({ taskId, steps }) {
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
        else line.data = { taskId, step };
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
 */

/** @extends {Component<ShownStep>} */
class StepLine extends Component {
  #sign = element("span", { className: "sign" });
  #name = element("strong", { dir: "auto" });
  #state = element("span", { className: "state" });
  #summary = element("span", { className: "summary", dir: "auto" });
  // The log is read aloud as it grows: what changes all the time, or is opened by a click, is not.
  #length = element("span", { className: "length", ariaLive: "off" });
  #words = element("span", { className: "words" }, this.#name, " ", this.#state, " ", this.#summary);
  #given = part("Arguments");
  #result = part("Result");
  #wait = element("p", { className: "quiet", hidden: true }, "Fetching…");
  #said = element("p", { className: "said-text", dir: "auto" });
  #body = element("div", { className: "body", ariaLive: "off" });
  /** @type {HTMLElement} */
  #line = this;
  /** In which state of its call the server was asked for the rest. */
  #asked = "";

  /** @override */
  build() {
    const kind = this.data?.step.kind;
    const parts = [this.#sign, this.#words, this.#length];
    if (kind === "node") {
      this.append(element("div", { className: "line" }, ...parts));
      return;
    }
    this.#body.append(...(kind === "said" ? [this.#said] : [this.#given, this.#result, this.#wait]));
    const arrow = element("span", { className: "arrow" }, icon("unfold"));
    const fold = element("details", {}, element("summary", { className: "line" }, ...parts, arrow), this.#body);
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
  update({ step }) {
    if (step.kind === "said") this.#showSaid(step);
    else this.#showState(step);
    this.#tick();
    if (this.#line instanceof HTMLDetailsElement && this.#line.open) this.#showBody(step);
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
    const summary = summaryOf(step);
    this.#summary.classList.toggle("about", !summary);
    this.#summary.ariaLive = summary ? null : "off";
    setText(this.#summary, summary || aboutOf(step));
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
    this.#asked = "";
    this.#showBody(this.data.step);
  }

  /** @param {Step} step */
  #showBody(step) {
    if (step.kind === "said") setText(this.#said, step.text ?? "");
    else this.#showCall(step);
  }

  /** @param {Step} step */
  #showCall(step) {
    const isMissing = Boolean(step.call) && !step.isWhole;
    show(this.#given, step.given ?? step.asked?.text, () => givenTo(step));
    show(this.#result, step.result, () => readable(step.result));
    this.#wait.hidden = !isMissing;
    if (!isMissing || this.#asked === step.state || !this.data) return;
    this.#asked = step.state;
    this.act("trace", { taskId: this.data.taskId });
  }
}

/** What a call was given, or what it came to, under its title. @param {string} title */
function part(title) {
  const view = component("value-view");
  return element("div", { className: "part", role: "group", ariaLabel: title, hidden: true }, element("h4", {}, title), view);
}

/**
 * @param {HTMLElement} part
 * @param {unknown} source what it is read from: of the same one it was read before
 * @param {() => unknown} read
 */
function show(part, source, read) {
  const view = /** @type {any} */ (part.lastElementChild);
  if (source === undefined || view.data?.source === source) return;
  const value = read();
  part.hidden = value === undefined;
  view.data = { label: part.ariaLabel ?? "", value, source };
}

customElements.define("step-line", StepLine);
customElements.define("step-list", StepList);
