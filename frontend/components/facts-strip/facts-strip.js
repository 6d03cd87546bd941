/**
 * The facts of the trip, each a button that opens a small form; what is entered there is sent as an ordinary message.
 * Those that nobody asked for stand behind the last button, so that the results are not far below.
 *
 * What was asked for and is not used is struck through under them, in a line of its own that never folds; what nobody
 * said has a dashed border.
 *
 * Until its task has told that it follows, the old value stands there as being adjusted.
 */

import { Component } from "../../lib/component.js";
import { component, element, keepChildren, setText } from "../../lib/dom.js";
import { OPEN } from "../../lib/facts.js";

/**
 * @typedef {import("../../lib/facts.js").Fact} Fact
 * @typedef {{facts: Fact[], unused: string[], taskId: string, settled: boolean, unsent: string[], waiting: string[],
 *   month: import("../price-month/price-month.js").MonthShown | null}} FactsShown
 *   `unused`: the user's own words that nothing is searched by; `settled`: nothing sent is still on its way; `unsent`: texts that did not reach the server; `waiting`: those that are
 *   sent once it is back; `month`: what the prices around the day of departure are told by
 * @typedef {{name: typeof MORE} | Fact} Shown
 * @typedef {{text: string, sent: string, taskId: string, waited: boolean}} Pending what was shown when an edit was sent,
 *   the message, and whether that had to wait for the server
 */

/** The name of the button that is no fact: it shows the usual ones. */
const MORE = "more";
/** The fact whose editor shows what other days cost. */
const LEAVE = "leave";

/** @extends {Component<FactsShown>} */
class FactsStrip extends Component {
  #list = element("ul", { className: "facts", ariaLabel: "Facts of the trip" });
  #unused = element("ul", { className: "struck", ariaLabel: "Not used" });
  /** @type {Map<string, Pending>} */
  #pending = new Map();
  /** @type {string | null} */
  #editing = null;
  #all = false;

  /** @override */
  build() {
    this.append(this.#list, this.#unused);
    this.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.#editing) return;
      event.stopPropagation();
      this.#close();
    });
  }

  /** @override */
  listen() {
    const elsewhere = (/** @type {Event} */ { target }) => {
      const item = this.#editing && this.#itemOf(this.#editing);
      if (item && !item.contains(/** @type {Node} */ (target))) this.#close();
    };
    document.addEventListener("pointerdown", elsewhere, { signal: this.leaving });
  }

  /** @override @param {FactsShown} shown */
  update({ facts, taskId, settled, unsent, waiting }) {
    for (const [name, pending] of this.#pending) {
      const { text, sent, taskId: before, waited } = pending;
      const withdrawn = waited && settled && !waiting.includes(sent);
      pending.waited ||= waiting.includes(sent);
      const fact = facts.find((each) => each.name === name);
      const followed = fact?.text !== text || (settled && taskId !== before);
      if (followed || withdrawn || unsent.includes(sent)) this.#pending.delete(name);
    }
    this.#showAll();
    this.#showMonth();
  }

  #showAll() {
    const { facts = [], unused = [] } = this.data ?? {};
    const [said, usual] = [facts.filter((fact) => !fact.usual), facts.filter((fact) => fact.usual)];
    const shown = [...said, ...(this.#all ? usual : []), ...(usual.length ? [{ name: MORE }] : [])];
    keepChildren(this.#list, /** @type {Shown[]} */ (shown), {
      key: ({ name }) => name,
      create: (each) => (each.name === MORE ? this.#moreItem() : this.#factItem(each.name)),
      update: (node, fact) => {
        if ("text" in fact) this.#show(node, fact);
        else this.#showMore(node, usual);
      },
    });
    this.#unused.hidden = unused.length === 0;
    keepChildren(this.#unused, unused, { key: (words) => words, create: unusedItem });
  }

  #moreItem() {
    const button = element("button", { type: "button", className: "plain" });
    button.addEventListener("click", () => {
      this.#all = !this.#all;
      this.#close();
      this.#showAll();
    });
    return element("li", { className: MORE }, button);
  }

  /** @param {HTMLElement} node @param {Fact[]} usual */
  #showMore(node, usual) {
    const button = /** @type {HTMLButtonElement} */ (node.firstElementChild);
    setText(button, this.#all ? "Less" : "More");
    button.ariaExpanded = String(this.#all);
    button.title = usual.map(({ label, text }) => `${label}: ${text}`).join(", ");
  }

  /** @param {string} name */
  #factItem(name) {
    const button = element("button", { type: "button" }, element("span", { className: "label" }), element("span", { className: "value", dir: "auto" }));
    button.addEventListener("click", () => this.#open(name));
    return element("li", {}, button);
  }

  /** @param {HTMLElement} node @param {Fact} fact */
  #show(node, { name, label, text, assumed }) {
    const button = /** @type {HTMLButtonElement} */ (node.querySelector("button"));
    const [labelled, value] = /** @type {HTMLCollectionOf<HTMLElement>} */ (button.children);
    const pending = this.#pending.has(name);
    if (labelled) setText(labelled, label);
    if (value) setText(value, text);
    node.classList.toggle("pending", pending);
    node.classList.toggle("open", text === OPEN);
    node.classList.toggle("assumed", assumed);
    button.title = assumed ? "Assumed: you have not said so" : "";
    button.ariaLabel = `${label}: ${text}${assumed ? ", assumed" : ""}${pending ? ", being adjusted" : ""}. Change`;
    button.ariaExpanded = String(this.#editing === name);
  }

  /** Open the editor of a fact, as a click on it does. @param {string} name */
  edit(name) {
    if (this.#editing !== name) this.#open(name);
    this.#itemOf(name)?.scrollIntoView({ block: "nearest" });
  }

  /** @param {string} name */
  #open(name) {
    const was = this.#editing;
    this.#close();
    if (was === name) return;
    const fact = this.data?.facts.find((each) => each.name === name);
    const item = this.#itemOf(name);
    if (!fact || !item) return;
    this.#editing = name;
    const form = formOf(fact, () => this.#close());
    item.classList.add("editing");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const input = /** @type {HTMLInputElement} */ (form.elements.namedItem("value"));
      this.#close();
      if (input.value.trim() !== fact.control.value) this.#send(fact, input.value.trim());
    });
    form.classList.toggle("with-month", fact.name === LEAVE);
    if (fact.name === LEAVE) form.querySelector(".acts")?.before(this.#monthFor(fact));
    item.append(form);
    this.#showMonth();
    this.#keepOnBoard(form);
    item.querySelector("button")?.setAttribute("aria-expanded", "true");
    const input = /** @type {HTMLInputElement} */ (form.elements.namedItem("value"));
    input.focus();
    if (input.type === "text" || input.type === "number") input.select();
  }

  /** The board cuts off what reaches beyond it: a form there begins further left, but not before the board. @param {HTMLElement} form */
  #keepOnBoard(form) {
    const board = (this.closest(".body") ?? this).getBoundingClientRect();
    const { left, right } = form.getBoundingClientRect();
    const shift = Math.min(right - board.right, left - board.left);
    if (shift > 0) form.style.setProperty("left", `${-shift}px`);
  }

  /** Choosing a day of the month is the same as saying it. @param {Fact} fact */
  #monthFor(fact) {
    const month = component("price-month");
    month.addEventListener("choose", (event) => {
      this.#close();
      this.#send(fact, /** @type {CustomEvent<{date: string}>} */ (event).detail.date);
    });
    return month;
  }

  #showMonth() {
    const month = /** @type {Component<import("../price-month/price-month.js").MonthShown> | null} */ (this.querySelector("price-month"));
    const shown = this.data?.month;
    if (month) month.hidden = !shown;
    if (month && shown) month.data = shown;
  }

  #close() {
    const item = this.#editing && this.#itemOf(this.#editing);
    this.#editing = null;
    if (!item) return;
    const button = item.querySelector("button");
    const hadFocus = item.querySelector("form")?.contains(document.activeElement);
    item.querySelector("form")?.remove();
    item.classList.remove("editing");
    button?.setAttribute("aria-expanded", "false");
    if (hadFocus) button?.focus();
  }

  /** @param {Fact} fact @param {string} value */
  #send({ name, text, say }, value) {
    const sent = say(value);
    this.#pending.set(name, { text, sent, taskId: this.data?.taskId ?? "", waited: false });
    if (this.data) this.update(this.data);
    this.act("send", { text: sent });
  }

  /** @param {string} name */
  #itemOf(name) {
    return /** @type {HTMLElement | null} */ (this.#list.querySelector(`[data-key="${CSS.escape(name)}"]`));
  }
}

/** @param {string} words */
function unusedItem(words) {
  const label = element("span", { className: "label" }, "Not used");
  const struck = element("s", { className: "value", dir: "auto" }, words);
  return element("li", { className: "unused" }, label, element("span", { className: "unseen" }, ": "), struck);
}

/** @param {Fact} fact @param {() => void} close */
function formOf({ name, label, control }, close) {
  const id = `fact-${name}`;
  const hint = control.hint ? element("p", { className: "hint", id: `${id}-hint` }, control.hint) : null;
  const input = inputOf(control, id);
  if (hint) input.setAttribute("aria-describedby", hint.id);
  const cancel = element("button", { type: "button", className: "plain" }, "Cancel");
  cancel.addEventListener("click", close);
  return element(
    "form",
    {},
    element("label", { htmlFor: id }, label),
    input,
    hint,
    element("div", { className: "acts" }, element("button", { className: "primary" }, "Change"), cancel),
  );
}

/** @param {import("../../lib/facts.js").Control} control @param {string} id */
function inputOf({ type, value, required, min, max, options }, id) {
  if (type === "place") return component("place-input", { id, value, required });
  if (type === "select") {
    const select = element("select", { id, name: "value" });
    select.append(...(options ?? []).map(([each, text]) => new Option(text, each, each === value, each === value)));
    return select;
  }
  const input = element("input", { id, type, name: "value", value, required, autocomplete: "off" });
  if (min !== undefined) input.min = String(min);
  if (max !== undefined) input.max = String(max);
  return input;
}

customElements.define("facts-strip", FactsStrip);
