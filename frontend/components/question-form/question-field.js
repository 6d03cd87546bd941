/** One field of a question: its label, a control of the browser's own, a mark where it is a guess, and its error. */

import { component, element, setText } from "../../lib/dom.js";
import { FEW } from "../../lib/forms.js";

/**
 * @typedef {import("../../lib/forms.js").Field} Field
 * @typedef {import("../place-input/place-input.js").PlaceInput} PlaceInput
 */

const GUESS = "A guess: change it if it is wrong. ";

let made = 0;

/** The controls of one field, as one value: the text that `lib/forms.js` reads. */
export class QuestionField {
  #field;
  /** @type {HTMLInputElement | HTMLSelectElement | null} */
  #control = null;
  /** @type {HTMLInputElement[]} */
  #chips = [];
  #error;
  #guess;

  /** @param {Field} field @param {number} [few] how many choices still stand beside each other */
  constructor(field, few = FEW) {
    made += 1;
    this.#field = field;
    this.#error = element("p", { className: "error", id: `field-error-${made}`, dir: "auto", hidden: true });
    this.#guess = element("span", {}, GUESS);
    const about = element("p", { className: "hint", id: `field-hint-${made}`, dir: "auto" }, this.#guess, field.hint);
    about.hidden = !field.guess && field.hint === "";
    const described = `${about.id} ${this.#error.id}`;
    this.node = field.kind === "choice" && field.choices.length <= few ? this.#asChips() : this.#asControl();
    for (const control of this.#controls) control.setAttribute("aria-describedby", described);
    this.node.append(about, this.#error);
    this.node.addEventListener("input", () => this.#markGuess());
    this.value = field.filled;
  }

  get name() {
    return this.#field.name;
  }

  get value() {
    if (this.#chips.length) return this.#chips.find((chip) => chip.checked)?.value ?? "";
    if (this.#field.kind === "check") return String(/** @type {HTMLInputElement} */ (this.#control).checked);
    return this.#control?.value ?? "";
  }

  set value(value) {
    for (const chip of this.#chips) chip.checked = chip.value === value;
    if (this.#field.kind === "check") /** @type {HTMLInputElement} */ (this.#control).checked = value === "true";
    else if (this.#control) this.#control.value = value;
    this.#markGuess();
  }

  /** Whether something is in the control that the browser can't read, such as half a date. */
  get halfTyped() {
    return Boolean(this.#control?.validity.badInput);
  }

  /** @param {string} error "" for none */
  set error(error) {
    this.#error.hidden = error === "";
    setText(this.#error, error);
    for (const control of this.#controls) control.ariaInvalid = error ? "true" : null;
  }

  /** Let the browser fill it in. @param {string} what as HTML names it */
  complete(what) {
    this.#control?.setAttribute("autocomplete", what);
  }

  focus() {
    (this.#chips.find((chip) => chip.checked) ?? this.#controls[0])?.focus();
  }

  /** What was changed is no guess any more. */
  #markGuess() {
    this.#guess.hidden = !this.#field.guess || this.value !== this.#field.filled;
  }

  get #controls() {
    return this.#control ? [this.#control] : this.#chips;
  }

  #asControl() {
    const { kind, title, choices, minimum, maximum } = this.#field;
    const id = `field-${made}`;
    const label = element("label", { htmlFor: id, dir: "auto" }, title);
    if (kind === "place") {
      const place = /** @type {PlaceInput} */ (component("place-input", { id, value: "", required: false }));
      this.#control = place.input;
      this.#control.id = id;
      return element("div", { className: "field" }, label, place);
    }
    if (kind === "choice") {
      const options = choices.map((choice, at) => element("option", { value: String(at) }, choice.title));
      this.#control = element("select", { id }, element("option", { value: "" }, "Please choose"), ...options);
    } else {
      this.#control = element("input", { id, type: inputType(kind), autocomplete: "off", dir: "auto" });
      if (kind === "number") this.#control.inputMode = "decimal";
      if (minimum !== undefined) this.#control.min = String(minimum);
      if (maximum !== undefined) this.#control.max = String(maximum);
    }
    return element("div", { className: `field ${kind}` }, label, this.#control);
  }

  /** A few choices stand beside each other, as radio buttons that look like chips. */
  #asChips() {
    const name = `chips-${made}`;
    const chips = this.#field.choices.map(({ title }, at) => {
      const chip = element("input", { type: "radio", name, value: String(at) });
      this.#chips.push(chip);
      return element("label", { className: "chip", dir: "auto" }, chip, title);
    });
    const legend = element("legend", { dir: "auto" }, this.#field.title);
    return element("fieldset", { className: "field" }, legend, element("div", { className: "chips" }, ...chips));
  }
}

/** @param {Exclude<Field["kind"], "place">} kind */
function inputType(kind) {
  if (kind === "check") return "checkbox";
  return kind === "json" ? "text" : kind;
}
