/**
 * A field for a place that proposes names while one types: a combobox with a list, as the ARIA practices have it.
 *
 * The focus stays in the field. Up and Down go through the list, Enter takes the marked name and sends nothing yet,
 * Escape closes the list before it closes anything else. Any other text may be left as it is: the server reads it.
 */

import { Component } from "../../lib/component.js";
import { element, keepChildren, setText } from "../../lib/dom.js";
import { counted } from "../../lib/english.js";
import { PlaceSearch } from "../../lib/places.js";

/**
 * @typedef {import("../../lib/places.js").PlaceFound} PlaceFound
 * @typedef {import("../../lib/places.js").PlacesFound} PlacesFound
 * @typedef {{id: string, value: string, required: boolean}} PlaceField
 */

const MOST_CODES = 3;

/** @extends {Component<PlaceField>} */
export class PlaceInput extends Component {
  #input = element("input", { type: "text", name: "value", autocomplete: "off", autocapitalize: "words", spellcheck: false });
  #list = element("ul", { role: "listbox", ariaLabel: "Places", hidden: true });
  #status = element("p", { className: "hint", role: "status" });
  #search = new PlaceSearch((found) => this.#show(found));
  /** @type {PlaceFound[]} */
  #places = [];
  /** Which of them is marked; -1 for none. */
  #marked = -1;

  /** @override */
  build() {
    const input = this.#input;
    input.role = "combobox";
    input.ariaAutoComplete = "list";
    input.ariaExpanded = "false";
    input.addEventListener("input", () => this.#search.ask(input.value));
    input.addEventListener("keydown", (event) => this.#press(event));
    input.addEventListener("blur", () => this.#close());
    // The field keeps the focus, and with it a phone its keyboard, while a name is chosen.
    this.#list.addEventListener("pointerdown", (event) => event.preventDefault());
    this.append(input, this.#list, this.#status);
  }

  /** @override */
  listen() {
    this.leaving.addEventListener("abort", () => this.#search.stop());
  }

  /** The field itself, for a form that reads it before the component is in the document. */
  get input() {
    return this.#input;
  }

  /** @override @param {PlaceField} field */
  update({ id, value, required }) {
    Object.assign(this.#input, { id, defaultValue: value, required }); // what is typed already stays
    this.#list.id = `${id}-places`;
    this.#input.setAttribute("aria-controls", this.#list.id);
  }

  /** @param {PlacesFound} found */
  #show({ text, places, error }) {
    this.#places = places;
    const isOpen = places.length > 0 && document.activeElement === this.#input;
    keepChildren(this.#list, places, { key: ({ name }) => name, create: (place) => this.#option(place) });
    [...this.#list.children].forEach((option, at) => (option.id = `${this.#list.id}-${at}`));
    this.#list.hidden = !isOpen;
    this.#input.ariaExpanded = String(isOpen);
    this.#mark(-1);
    const none = text ? "No matching places." : "";
    setText(this.#status, error ? `Suggestions are unavailable: ${error}` : isOpen ? `${counted(places.length, "place")}.` : none);
    this.#status.classList.toggle("unseen", isOpen); // who sees the list needs no count of it
    if (isOpen) this.#list.scrollIntoView({ block: "nearest" });
  }

  #close() {
    this.#search.stop();
    this.#show({ text: "", places: [], error: "" });
  }

  /** @param {PlaceFound} place */
  #option({ name, title, area, codes }) {
    const option = element(
      "li",
      { role: "option", ariaSelected: "false" },
      element("span", { className: "title" }, title),
      element("span", { className: "area" }, area),
      element("span", { className: "codes" }, codes.slice(0, MOST_CODES).join(", ")),
    );
    option.addEventListener("click", () => this.#take(name));
    return option;
  }

  /** @param {number} at */
  #mark(at) {
    this.#marked = at;
    const options = [...this.#list.children];
    for (const [index, option] of options.entries()) option.ariaSelected = String(index === at);
    const marked = options[at];
    if (marked) this.#input.setAttribute("aria-activedescendant", marked.id);
    else this.#input.removeAttribute("aria-activedescendant");
    marked?.scrollIntoView({ block: "nearest" });
  }

  /** @param {string} name */
  #take(name) {
    this.#input.value = name;
    this.#input.dispatchEvent(new Event("input", { bubbles: true })); // as if it were typed, for the form
    this.#close(); // after the event, which asks for names again
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.isComposing) return;
    const { key } = event;
    const count = this.#places.length;
    const isOpen = !this.#list.hidden;
    if (key === "ArrowDown" || key === "ArrowUp") {
      event.preventDefault();
      if (isOpen) this.#mark(key === "ArrowDown" ? (this.#marked + 1) % count : (this.#marked <= 0 ? count : this.#marked) - 1);
      else this.#search.ask(this.#input.value);
    } else if (key === "Enter" && isOpen && this.#marked >= 0) {
      event.preventDefault();
      this.#take(this.#places[this.#marked]?.name ?? this.#input.value);
    } else if (key === "Escape" && isOpen) {
      event.stopPropagation();
      this.#close();
    }
  }
}

customElements.define("place-input", PlaceInput);
