/**
 * A list of offers that can be put in order, and does not move under who is at it.
 *
 * While the pointer or the focus is inside, or its beginning is scrolled out of sight, what is drawn keeps its order,
 * and new offers are counted in a button; they come in when it is pressed, or once nobody is there any more.
 */

import { arrange } from "../../lib/arrange.js";
import { Component } from "../../lib/component.js";
import { component, element, keepChildren, setText } from "../../lib/dom.js";
import { counted } from "../../lib/english.js";
import { gliding } from "../../lib/motion.js";
import { markOffer } from "../../lib/offer-parts.js";
import { ORDERS } from "../../lib/offers.js";

/**
 * @typedef {import("../../lib/types.js").Offer} Offer
 * @typedef {object} OffersShown
 * @property {import("../../lib/offers.js").Kind} kind
 * @property {Offer[]} offers
 * @property {Set<string>} booked the ids of those that are booked
 * @property {Set<string>} [asked] the ids of those that an earlier search found and that are asked for again
 */

/** How many are drawn at first, and how many more at a time. */
const PAGE = 30;
/** @type {Set<string>} */
const NOT_ONE = new Set();

/** @extends {Component<OffersShown>} */
class OfferList extends Component {
  #sorts = element("div", { className: "sorts", role: "group", ariaLabel: "Sort by" });
  #fresh = element("button", { type: "button", className: "fresh" });
  #list = element("ul", { className: "offers" });
  #more = element("button", { type: "button", className: "more" });
  #order = 0;
  #limit = PAGE;
  /** @type {Offer[]} */
  #drawn = [];
  /** @type {Offer[] | null} */
  #offers = null;
  /** @type {Set<string> | null} */
  #booked = null;
  #asked = 0;

  /** @override */
  build() {
    this.#fresh.hidden = true;
    this.#more.hidden = true;
    this.#fresh.addEventListener("click", () => this.#showFresh());
    this.#more.addEventListener("click", () => this.#showMore());
    this.append(element("div", { className: "bar" }, this.#sorts, this.#fresh), this.#list, this.#more);
    const left = () => setTimeout(() => this.#arrange());
    this.addEventListener("pointerleave", left);
    this.addEventListener("focusout", left);
  }

  /** @override @param {OffersShown} shown */
  update({ kind, offers, booked, asked = NOT_ONE }) {
    if (!this.#sorts.hasChildNodes()) this.#addSorts(kind);
    if (!isSame(offers, this.#offers)) {
      this.#offers = offers;
      this.#arrange();
    } else if (booked !== this.#booked || asked.size !== this.#asked) {
      this.#draw();
    }
    this.#booked = booked;
    this.#asked = asked.size;
  }

  /** @param {import("../../lib/offers.js").Kind} kind */
  #addSorts(kind) {
    const chips = (ORDERS[kind] ?? []).map(({ name, explanation }, at) => {
      const chip = element("button", { type: "button", title: explanation, ariaPressed: String(at === 0) }, name);
      chip.addEventListener("click", () => this.#sortBy(at));
      return chip;
    });
    this.#sorts.append(...chips);
  }

  /** @param {number} order */
  #sortBy(order) {
    this.#order = order;
    for (const [at, chip] of [...this.#sorts.children].entries()) chip.ariaPressed = String(at === order);
    this.#arrange({ held: false });
  }

  #showFresh() {
    this.#arrange({ held: false });
    /** @type {HTMLElement | undefined} */ ([...this.#sorts.children].find((chip) => chip.ariaPressed === "true"))?.focus();
  }

  #showMore() {
    const first = this.#limit;
    this.#limit += PAGE;
    this.#draw();
    const next = /** @type {HTMLElement | undefined} */ (this.#list.children[first]);
    next?.setAttribute("tabindex", "-1");
    next?.focus({ preventScroll: true });
  }

  /** @param {{held: boolean}} [how] */
  #arrange({ held } = { held: this.#isVisited() }) {
    const shown = this.data;
    if (!shown) return;
    const by = (ORDERS[shown.kind] ?? [])[this.#order]?.by ?? (() => 0);
    const { drawn, waiting } = arrange({ offers: shown.offers, before: this.#drawn, held, by });
    if (!drawn.length) this.#limit = PAGE;
    this.#drawn = drawn;
    this.#fresh.hidden = waiting === 0;
    if (waiting) setText(this.#fresh, `${waiting} more – show`);
    this.#draw();
  }

  #draw() {
    const { kind, booked, asked = NOT_ONE } = this.data ?? { kind: "flight", booked: NOT_ONE };
    gliding(this.#list, () =>
      keepChildren(this.#list, this.#drawn.slice(0, this.#limit), {
        key: (offer) => offer.offer_id,
        create: (offer) => element("li", {}, component(`${kind}-card`, offer)),
        update: (item, { offer_id: id }) => {
          item.classList.toggle("asked", asked.has(id));
          markOffer(/** @type {Element} */ (item.firstElementChild), booked.has(id) ? "Booked" : asked.has(id) ? "Asked again" : "");
        },
      }),
    );
    const rest = this.#drawn.length - this.#limit;
    this.#more.hidden = rest <= 0;
    if (rest > 0) setText(this.#more, `Show ${Math.min(PAGE, rest)} more of ${counted(this.#drawn.length, kind)}`);
  }

  /** Whether somebody is at the list: what moved now would move under them. */
  #isVisited() {
    if (this.matches(":hover, :focus-within")) return true;
    const { top, bottom } = this.#list.getBoundingClientRect();
    return bottom > 0 && top < (this.closest(".board")?.getBoundingClientRect().top ?? 0);
  }
}

/** @param {Offer[]} offers @param {Offer[] | null} before */
function isSame(offers, before) {
  return offers.length === before?.length && offers.every((offer, at) => offer === before[at]);
}

customElements.define("offer-list", OfferList);
