/** A question that a task waits for, as a form: what is missing to fill in, what is taken for granted to correct. */

import { Component } from "../../lib/component.js";
import { element, setText } from "../../lib/dom.js";
import { draftOf, keepDraft } from "../../lib/storage.js";
import { keepExpiry } from "../../lib/expiry.js";
import { FACE } from "../../lib/face.js";
import { answerOf, canBeLeft, faultsOf, fieldsOf, reading, sortFaults } from "../../lib/forms.js";
import { of } from "../../lib/partials.js";
import { QuestionField } from "./question-field.js";

/**
 * @typedef {import("../../lib/types.js").Fault} Fault
 * @typedef {object} Asked
 * @property {import("../../lib/types.js").InputRequest} request
 * @property {import("../../lib/types.js").Answering | undefined} answering
 * @property {number} behind how many more wait to be asked
 * @property {Object<string, unknown>} [understood] what the agent that asks was asked to find
 */

let made = 0;

/** @extends {Component<Asked>} */
class QuestionForm extends Component {
  /** @type {import("../../lib/forms.js").Field[]} */
  #fields = [];
  /** @type {QuestionField[]} */
  #controls = [];
  #send = element("button", { type: "submit", className: "primary", textContent: "Answer" });
  #expiry = element("span");
  #behind = element("span");
  #error = element("p", { className: "error", dir: "auto", hidden: true });
  /** @type {import("../../lib/types.js").Answering | undefined} */
  #told;

  /** @override */
  build() {
    if (!this.data) return;
    made += 1;
    const { request, understood } = this.data;
    this.#fields = fieldsOf(request, understood);
    this.#controls = this.#fields.map((field) => new QuestionField(field));
    this.#restore();
    const title = element("h2", { id: `question-${made}`, tabIndex: -1 });
    title.append(element("span", { className: "kind" }, "Question"), " ");
    // What is asked is one line; what was taken from the message before stands below it.
    const [asked = "", ...told] = request.prompt.split("\n\n");
    title.append(element("span", { dir: "auto" }, asked));
    const noted = told.length ? element("p", { className: "hint", dir: "auto" }, told.join(" ")) : null;
    const form = element("form", { noValidate: true, autocomplete: "off" }, title, noted, ...this.#rows());
    form.ariaLabel = "Question";
    form.setAttribute("aria-describedby", title.id);
    const buttons = element("div", { className: "row" }, this.#send);
    if (canBeLeft(this.#fields)) buttons.append(this.#leaveButton());
    form.append(this.#error, buttons, element("p", { className: "terms" }, this.#expiry, this.#behind));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    form.addEventListener("input", () => this.#remember());
    this.append(form);
  }

  /** @override */
  listen() {
    if (this.data) keepExpiry(this.#expiry, this.data.request.expires_at, this.leaving);
  }

  /** Put the focus on the first field that is still empty. */
  enter() {
    const next = this.#controls.find((control) => control.value === "") ?? this.#controls[0];
    if (next) next.focus();
    else this.querySelector("h2")?.focus();
  }

  /** @override @param {Asked} asked */
  update({ answering, behind }) {
    const sending = answering?.state === "sending";
    setText(this.#send, sending ? "Sending…" : "Answer");
    this.#send.ariaDisabled = sending ? "true" : null;
    setText(this.#behind, behind ? `${behind} more ${behind === 1 ? "question" : "questions"} after this` : "");
    if (answering === this.#told) return;
    this.#told = answering;
    if (answering?.state === "refused") this.#showFaults(answering.details, answering.error);
  }

  /** What is missing or guessed stands open; of what the user has said, one line that opens. */
  #rows() {
    const open = this.#controls.filter((_, at) => this.#fields[at]?.guess || !this.#fields[at]?.filled);
    const taken = this.#controls.filter((control) => !open.includes(control));
    if (!open.length) return taken.map((control) => control.node);
    const rows = [element("div", { className: "fields" }, ...open.map((control) => control.node))];
    if (!taken.length) return rows;
    const words = this.#fields.filter((field) => taken.some(({ name }) => name === field.name));
    const told = words.map((field) => `${field.title}: ${reading(field)}`).join(" · ");
    const summary = element("summary", {}, element("span", { dir: "auto" }, told), " ");
    summary.append(element("span", { className: "change" }, "Change"));
    const changed = taken.some((control) => control.value !== this.#filled(control.name));
    const inside = element("div", { className: "fields" }, ...taken.map((control) => control.node));
    return [...rows, element("details", { className: "taken", open: changed }, summary, inside)];
  }

  #leaveButton() {
    const leave = element("button", { type: "button", className: "plain", textContent: `Let ${FACE.title} decide` });
    leave.addEventListener("click", () => this.#answer({}));
    return leave;
  }

  #submit() {
    const values = this.#values();
    const half = this.#controls.filter((control) => control.halfTyped);
    const faults = [
      ...half.map(({ name }) => ({ field: name, message: "This is incomplete." })),
      ...faultsOf(this.#fields, values).filter(({ field }) => !half.some(({ name }) => name === field)),
    ];
    this.#showFaults(faults, "");
    if (!faults.length) this.#answer(answerOf(this.#fields, values));
  }

  /** @param {Object<string, unknown>} answer */
  #answer(answer) {
    if (!this.data || this.data.answering?.state === "sending") return;
    this.act("answer", { requestId: this.data.request.request_id, answer });
  }

  /** @param {Fault[]} faults @param {string} error said of the whole where no field is to blame */
  #showFaults(faults, error) {
    const { byField, rest } = sortFaults(this.#fields, faults);
    for (const control of this.#controls) control.error = byField.get(control.name) ?? "";
    const wholly = rest.length ? rest.join(" ") : byField.size ? "" : error;
    this.#error.hidden = wholly === "";
    setText(this.#error, wholly);
    const faulty = this.#controls.find((control) => byField.has(control.name));
    const details = faulty?.node.closest("details");
    if (details) details.open = true;
    // Only who is answering is led to what is wrong.
    if (faulty && this.contains(document.activeElement)) faulty.focus();
  }

  #values() {
    return Object.fromEntries(this.#controls.map((control) => [control.name, control.value]));
  }

  /** @param {string} name */
  #filled(name) {
    return this.#fields.find((field) => field.name === name)?.filled ?? "";
  }

  #remember() {
    if (this.data) keepDraft(draftName(this.data.request), JSON.stringify(this.#values()));
  }

  #restore() {
    const values = this.data ? valuesIn(draftOf(draftName(this.data.request))) : {};
    for (const control of this.#controls) {
      const value = of(values, control.name);
      if (typeof value === "string") control.value = value;
    }
  }
}

/**
 * What is stored may be of another version, or of another hand.
 *
 * @param {string} draft
 * @returns {Object<string, unknown>}
 */
function valuesIn(draft) {
  try {
    return Object(JSON.parse(draft || "{}"));
  } catch {
    return {};
  }
}

/** @param {{request_id: string}} request */
function draftName({ request_id }) {
  return `form.${request_id}`;
}

customElements.define("question-form", QuestionForm);
