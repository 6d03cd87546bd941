/**
 * A list of offers that can be put in order, and does not move under who is at it.
 *
 * While the pointer or the focus is inside, or its beginning is scrolled out of sight, what is drawn keeps its order,
 * and new offers are counted in a button; they come in when it is pressed, or once nobody is there any more.
 */

import { arrange, orderAsked, ORDERS } from "../../lib/offers.js";
import { Component } from "../../lib/component.js";
import { component, element, keepChildren, setText } from "../../lib/dom.js";
import { counted } from "../../lib/english.js";
import { serverNow } from "../../lib/expiry.js";
import { glide, placesIn } from "../../lib/motion.js";
import { compareButton, keepOffer, markOffer } from "../../lib/offer-parts.js";
import { endOf } from "../../lib/terms.js";

/**
 * @typedef {import("../../lib/types.js").Offer} Offer
 * @typedef {import("../city-map/city-map.js").Pointed} Pointed
 * @typedef {object} OffersShown
 * @property {import("../../lib/offers.js").Kind} kind
 * @property {Offer[]} offers
 * @property {Set<string>} booked the ids of those that are booked
 * @property {Object<string, any> | null} [request] what was asked for; no filters without it
 * @property {Set<string>} [asked] the ids of those that an earlier search found and that are asked for again
 * @property {Set<string>} [fits] the ids of those that an earlier search found and that still fit
 * @property {Set<string>} [confirmed] the ids of those that both searches found
 */

/** How many are drawn at first, and how many more at a time. */
const PAGE = 30;
/** A timer holds 2^31 milliseconds at most. */
const LONGEST_MS = 86_400_000;
/** @type {Set<string>} */
const NOT_ONE = new Set();
/** @type {OffersShown} */
const NOTHING = { kind: "flight", offers: [], booked: NOT_ONE };

/** @extends {Component<OffersShown>} */
class OfferList extends Component {
  #sorts = element("div", { className: "sorts", role: "group", ariaLabel: "Sort by" });
  #fresh = element("button", { type: "button", className: "fresh" });
  #list = element("ul", { className: "offers" });
  #more = element("button", { type: "button", className: "more" });
  /** @type {import("../../lib/offers.js").Order[]} */
  #orders = [];
  #filters = /** @type {Component<any>} */ (component("offer-filters"));
  #compare = /** @type {Component<any>} */ (component("offer-compare"));
  /** The ids of those that are compared, two at most. @type {string[]} */
  #compared = [];
  #order = 0;
  /** @type {import("../../lib/spoken.js").OrderAsked | undefined} */
  #orderAsked;
  /** The ids of the offers that the last reply spoke of. @type {string[]} */
  #spokenOf = [];
  /** The offer that is looked at on the map. */
  #pointed = "";
  #limit = PAGE;
  /** @type {Offer[]} */
  #drawn = [];
  /** @type {Offer[] | null} */
  #offers = null;
  /** @type {Set<string> | null} */
  #booked = null;
  /** How many of them are marked, in each way. */
  #marked = "";
  /** How it stands with the list before a drawing changes anything. @type {{isVisited: boolean, places: import("../../lib/motion.js").Places} | null} */
  #before = null;
  /** The timer of the next offer whose time is over. */
  #nextEnd = 0;
  /** Whether what has changed its place glides there once the drawing is done. */
  #glides = false;

  /** @override */
  build() {
    this.#fresh.hidden = true;
    this.#more.hidden = true;
    this.#fresh.addEventListener("click", () => this.#showFresh());
    this.#more.addEventListener("click", () => this.#showMore());
    this.#compare.addEventListener("close", () => this.#compareOnly([]));
    this.append(element("div", { className: "bar" }, this.#sorts, this.#fresh, this.#filters), this.#compare, this.#list, this.#more);
    const left = () => setTimeout(() => this.#arrange());
    this.addEventListener("pointerleave", left);
    this.addEventListener("focusout", left);
  }

  /** @override */
  listen() {
    const point = (/** @type {Event} */ event) => this.#pointAt(/** @type {CustomEvent<Pointed>} */ (event).detail);
    document.addEventListener("point", point, { signal: this.leaving });
  }

  /** Mark the offer that is looked at on the map, and bring it into view once it is chosen there. @param {Pointed} pointed */
  #pointAt({ id = "", isChosen, takesFocus = false }) {
    const isHere = this.#offers?.some(({ offer_id }) => offer_id === id) ?? false;
    this.#pointed = isHere ? id : "";
    if (isChosen && isHere) {
      if (!this.#drawn.some(({ offer_id }) => offer_id === id)) this.#arrange({ held: false });
      this.#limit = Math.max(this.#limit, this.#drawn.findIndex(({ offer_id }) => offer_id === id) + 1);
      this.#draw();
      const item = /** @type {HTMLElement | null} */ (this.#list.querySelector(":scope > .pointed"));
      item?.scrollIntoView({ block: "nearest" });
      item?.setAttribute("tabindex", "-1");
      if (takesFocus) item?.focus({ preventScroll: true });
    } else {
      this.#markPointed();
    }
  }

  #markPointed() {
    for (const item of this.#list.children) item.classList.toggle("pointed", /** @type {HTMLElement} */ (item).dataset.key === this.#pointed);
  }

  /** @override @param {OffersShown} shown */
  update({ kind, offers, booked, asked = NOT_ONE, fits = NOT_ONE, confirmed = NOT_ONE }) {
    const { request = null } = this.data ?? {};
    this.#filters.data = { kind, request, offers };
    const marked = `${asked.size} ${fits.size} ${confirmed.size}`;
    if (!this.#sorts.hasChildNodes()) this.#addSorts(kind);
    if (!isSame(offers, this.#offers)) {
      this.#offers = offers;
      this.#arrange();
    } else if (booked !== this.#booked || marked !== this.#marked) {
      this.#draw();
    }
    this.#booked = booked;
    this.#marked = marked;
  }

  /**
   * See how it stands with the list, for the drawing that follows at once. The page is laid out then; in the middle of
   * a drawing each look would lay it out anew.
   */
  look() {
    if (!this.#before) queueMicrotask(() => (this.#before = null));
    this.#before = { isVisited: this.#isVisited(), places: placesIn(this.#list) };
    return this.#before;
  }

  /** @param {import("../../lib/offers.js").Kind} kind */
  #addSorts(kind) {
    for (const order of ORDERS[kind] ?? []) this.#addSort(order);
  }

  /** @param {import("../../lib/offers.js").Order} order */
  #addSort(order) {
    const at = this.#orders.push(order) - 1;
    const { name, explanation } = order;
    const chip = element("button", { type: "button", title: explanation, ariaPressed: String(at === 0) }, name);
    chip.addEventListener("click", () => this.#sortBy(at));
    this.#sorts.append(chip);
  }

  /**
   * Mark the offers that a reply spoke of, and sort as was asked for in words: the same as a click on a chip.
   *
   * @param {{ids: string[] | undefined, order: import("../../lib/spoken.js").OrderAsked | undefined}} spoken
   */
  speakOf({ ids = [], order }) {
    if (!this.data) return;
    const isNew = ids !== this.#spokenOf && ids.join() !== this.#spokenOf.join();
    this.#spokenOf = ids;
    if (order && order !== this.#orderAsked) {
      this.#orderAsked = order;
      const wanted = orderAsked(this.data.kind, order);
      if (wanted && !this.#orders.some(({ key }) => key === wanted.key)) this.#addSort(wanted);
      if (wanted) this.#sortBy(this.#orders.findIndex(({ key }) => key === wanted.key));
    }
    if (isNew) this.#showSpokenOf();
  }

  /** Draw as many as it takes to see them, and bring the first into view unless somebody is at the list. */
  #showSpokenOf() {
    const last = this.#drawn.findLastIndex(({ offer_id: id }) => this.#spokenOf.includes(id));
    this.#limit = Math.max(this.#limit, last + 1);
    this.#draw();
    if ((this.#before ?? this.look()).isVisited) return;
    this.#list.querySelector(":scope > .spoken-of")?.scrollIntoView({ block: "nearest" });
  }

  #markSpokenOf() {
    for (const item of this.#list.children) {
      const { key = "" } = /** @type {HTMLElement} */ (item).dataset;
      const isMarked = this.#spokenOf.includes(key);
      if (item.classList.toggle("spoken-of", isMarked) === item.lastElementChild?.matches(".told")) continue;
      if (isMarked) item.append(element("span", { className: "told unseen" }, "The reply speaks of this one."));
      else item.lastElementChild?.remove();
    }
  }

  /** The newest two: who chooses a third one wants it beside the second. @param {string} id */
  #toggleCompared(id) {
    this.#compareOnly(this.#compared.includes(id) ? this.#compared.filter((each) => each !== id) : [...this.#compared, id].slice(-2));
  }

  /** @param {string[]} ids */
  #compareOnly(ids) {
    this.#compared = ids;
    this.#draw();
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
  #arrange({ held } = { held: (this.#before ?? this.look()).isVisited }) {
    const shown = this.data;
    if (!shown) return;
    const by = this.#orders[this.#order]?.by ?? (() => 0);
    const { drawn, waiting } = arrange({ offers: shown.offers, before: this.#drawn, held, by });
    if (!drawn.length) this.#limit = PAGE;
    this.#drawn = drawn;
    this.#fresh.hidden = waiting === 0;
    if (waiting) setText(this.#fresh, `${waiting} more – show`);
    this.#draw();
  }

  #draw() {
    const { kind, booked, asked = NOT_ONE, fits = NOT_ONE, confirmed = NOT_ONE } = this.data ?? NOTHING;
    this.#glideOnceDrawn();
    const over = this.#expired();
    keepChildren(this.#list, this.#drawn.slice(0, this.#limit), {
      key: (offer) => offer.offer_id,
      create: (offer) => element("li", {}, component(`${kind}-card`, offer)),
    });
    // Once they are in the document: a card has no parts before that.
    for (const item of this.#list.children) {
      const id = /** @type {HTMLElement} */ (item).dataset.key ?? "";
      const card = /** @type {Element} */ (item.firstElementChild);
      item.classList.toggle("asked", asked.has(id));
      item.classList.toggle("over", over.has(id));
      markOffer(card, booked.has(id) ? "Booked" : asked.has(id) ? "Searching again" : over.has(id) ? "Expired: search again" : "");
      keepOffer(card, confirmed.has(id) ? "Still fits" : fits.has(id) ? "Kept" : "");
      if (kind !== "plan") compareButton(card, this.#compared.includes(id), () => this.#toggleCompared(id));
    }
    const chosen = this.#compared.flatMap((id) => this.#drawn.find(({ offer_id }) => offer_id === id) ?? []);
    this.#compare.data = { kind, offers: chosen };
    const rest = this.#drawn.length - this.#limit;
    this.#more.hidden = rest <= 0;
    if (rest > 0) setText(this.#more, `Show ${Math.min(PAGE, rest)} more of ${counted(this.#drawn.length, kind)}`);
    this.#markSpokenOf();
    this.#markPointed();
  }

  /** The ids of those whose time is over; once that of the next one is, too, they are drawn again. */
  #expired() {
    const now = serverNow();
    const ends = this.#drawn.map((offer) => ({ id: offer.offer_id, end: endOf(/** @type {any} */ (offer)) }));
    const next = Math.min(...ends.map(({ end }) => end).filter((end) => end > now));
    clearTimeout(this.#nextEnd);
    if (next < Infinity) this.#nextEnd = setTimeout(() => this.isConnected && this.#draw(), Math.min(next - now, LONGEST_MS));
    return new Set(ends.filter(({ end }) => end <= now).map(({ id }) => id));
  }

  /** However often it is drawn until then. */
  #glideOnceDrawn() {
    if (this.#glides) return;
    this.#glides = true;
    const { places } = this.#before ?? this.look();
    queueMicrotask(() => {
      this.#glides = false;
      const drawer = this.closest("trip-board")?.querySelector(".to-kept") ?? null;
      const isGoing = (/** @type {HTMLElement} */ { dataset }) => !this.data?.offers.some(({ offer_id }) => offer_id === dataset.key);
      glide(this.#list, places, { isGoing, drawer });
    });
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
