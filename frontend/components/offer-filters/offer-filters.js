/**
 * The filters over a list, a button each, pressed where the request has it. A choice is sent as an ordinary message,
 * and the one that holds takes itself back.
 */

import { Component } from "../../lib/component.js";
import { element, keepChildren, setText } from "../../lib/dom.js";
import { filtersOf } from "../../lib/filters.js";

/**
 * @typedef {import("../../lib/filters.js").Filter} Filter
 * @typedef {{kind: import("../../lib/offers.js").Kind, request: Object<string, any> | null,
 *   offers: import("../../lib/types.js").Offer[]}} FiltersShown
 */

/** @extends {Component<FiltersShown>} */
class OfferFilters extends Component {
  #list = element("ul", { ariaLabel: "Filters" });
  /** The filter whose choices are open. @type {string | null} */
  #open = null;

  /** @override */
  build() {
    this.append(this.#list);
    this.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || this.#open === null) return;
      event.stopPropagation();
      const button = this.#list.querySelector(`[data-key="${this.#open}"] > button`);
      this.#show(null);
      if (button instanceof HTMLElement) button.focus();
    });
  }

  /** @override */
  listen() {
    const elsewhere = (/** @type {Event} */ { target }) => {
      if (this.#open !== null && !this.contains(/** @type {Node} */ (target))) this.#show(null);
    };
    for (const type of ["pointerdown", "focusin"]) document.addEventListener(type, elsewhere, { signal: this.leaving });
  }

  /** @override @param {FiltersShown} shown */
  update({ kind, request, offers }) {
    const filters = filtersOf(kind, request, offers);
    this.hidden = filters.length === 0;
    keepChildren(this.#list, filters, {
      key: ({ name }) => name,
      create: ({ name }) => this.#item(name),
      update: (item, filter) => this.#draw(item, filter),
    });
  }

  /** @param {string | null} name */
  #show(name) {
    this.#open = name;
    if (this.data) this.update(this.data);
  }

  /** @param {string} name */
  #item(name) {
    const button = element("button", { type: "button" });
    const choices = element("ul", { className: "choices", id: `filter-${name}` });
    button.setAttribute("aria-controls", choices.id);
    button.addEventListener("click", () => this.#show(this.#open === name ? null : name));
    return element("li", {}, button, choices);
  }

  /** @param {HTMLElement} item @param {Filter} filter */
  #draw(item, { name, label, chosen, choices }) {
    const [button, list] = /** @type {any[]} */ ([...item.children]);
    setText(button, chosen || label);
    button.ariaLabel = chosen ? `${label}: ${chosen}` : label;
    button.ariaExpanded = String(this.#open === name);
    item.classList.toggle("set", chosen !== "");
    list.hidden = this.#open !== name;
    list.ariaLabel = label;
    keepChildren(list, choices, {
      key: (choice) => choice.name,
      create: (choice) => element("li", {}, this.#choice(choice.name, name)),
      update: (node, choice) => {
        const option = /** @type {HTMLButtonElement} */ (node.firstElementChild);
        option.ariaPressed = String(choice.chosen);
        option.title = choice.say;
      },
    });
  }

  /** @param {string} text @param {string} name */
  #choice(text, name) {
    const button = element("button", { type: "button", dir: "auto" }, text);
    button.addEventListener("click", () => {
      const said = button.title;
      const opener = /** @type {HTMLElement | null} */ (this.#list.querySelector(`[data-key="${name}"] > button`));
      this.#show(null);
      opener?.focus();
      this.act("send", { text: said });
    });
    return button;
  }
}

customElements.define("offer-filters", OfferFilters);
