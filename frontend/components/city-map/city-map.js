/**
 * Where the hotels of a city are, around its centre: prices where there is room, dots elsewhere; circles tell how far.
 *
 * It is a list of options by keyboard and to screen readers, the cheapest first. The hotel that is looked at, here or
 * in the list of results, is marked in both; one that is chosen here is told under the map and brought into view there.
 */

import { labelsOf, placeOf, planOf, wordsOf } from "../../lib/city.js";
import { element, keepChildren, setText, svg } from "../../lib/dom.js";
import { counted } from "../../lib/english.js";
import { tenth } from "../../lib/map.js";
import { compare, rounded, spoken, written } from "../../lib/money.js";
import { Picture } from "../../lib/picture.js";

/**
 * @typedef {NonNullable<ReturnType<typeof import("../../lib/route.js").stayOf>>} Stay
 * @typedef {import("../../lib/types.js").HotelOffer} HotelOffer
 * @typedef {Stay & {lookedAt?: string}} StayShown
 * @typedef {{id: string | undefined, isChosen: boolean, takesFocus?: boolean}} Pointed which hotel, and whether to bring it
 *   into view, and the focus to it
 */

/** Below that width, in sizes of the root's text, the map is as high as may be. */
const SMALL = 18;
const [LEAST_HEIGHT, MOST_HEIGHT] = [220, 280];

/** @extends {Picture<StayShown>} */
class CityMap extends Picture {
  #circles = svg("g", { class: "circles" });
  #distances = svg("g", { class: "distances" });
  #picture = svg("svg", { "aria-hidden": "true" }, this.#circles, this.#distances);
  #hotels = element("ul", { role: "listbox", tabIndex: 0 });
  #told = element("p", { className: "told" });
  #show = element("button", { type: "button", className: "plain" }, "Show");
  /** In the order of their prices. @type {HotelOffer[]} */
  #byPrice = [];
  #drawn = "";
  /** The hotel that was chosen last. */
  #chosen = "";

  /** @override */
  build() {
    const at = (/** @type {Event} */ { target }) => /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest("[data-key]"))?.dataset.key;
    this.#hotels.addEventListener("click", (event) => this.#choose(at(event)));
    this.#hotels.addEventListener("pointerover", (event) => this.#point(at(event) ?? (this.#chosen || undefined)));
    this.#hotels.addEventListener("pointerleave", () => this.#point(this.#chosen || undefined));
    this.#hotels.addEventListener("keydown", (event) => this.#press(event));
    this.#hotels.addEventListener("focus", () => this.#point(this.#chosen || this.#byPrice[0]?.offer_id));
    this.#hotels.addEventListener("blur", () => this.#point(this.#chosen || undefined));
    this.#show.addEventListener("click", () => {
      this.act("look", { view: "hotels" });
      this.#point(this.#chosen, { isChosen: true, takesFocus: true });
    });
    this.append(element("div", { className: "area" }, this.#picture, this.#hotels), element("div", { className: "about" }, this.#told, this.#show));
  }

  /** @override @param {StayShown} stay @param {number} width @param {number} rem */
  draw(stay, width, rem) {
    const drawn = [width, rem, stay.name, ...stay.hotels.map(({ offer_id: id, price_total: { amount } }) => `${id} ${amount}`)].join();
    if (drawn !== this.#drawn) this.#drawAll(stay, width, rem);
    this.#drawn = drawn;
    this.#mark(stay.lookedAt);
  }

  /** @param {Stay} stay @param {number} width @param {number} rem */
  #drawAll(stay, width, rem) {
    const height = width < SMALL * rem ? MOST_HEIGHT : Math.round(Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, width / 2.2)));
    const { centre, circles, hotels } = planOf(stay.centre, stay.hotels, { width, height });
    const points = new Map(hotels.map(({ id, point }) => [id, point]));
    this.#byPrice = stay.hotels.filter(({ offer_id: id }) => points.has(id)).sort((one, other) => compare(one.price_total, other.price_total));
    const spots = this.#byPrice.map((hotel) => ({
      hotel,
      id: hotel.offer_id,
      point: /** @type {import("../../lib/map.js").Point} */ (points.get(hotel.offer_id)),
      text: rounded(hotel.price_total),
    }));
    const labels = labelsOf(spots, { width, rem });
    this.#picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.#circles.replaceChildren(
      svg("circle", { cx: tenth(centre.x), cy: tenth(centre.y), r: 2, class: "centre" }),
      ...circles.map(({ radius }) => svg("circle", { cx: tenth(centre.x), cy: tenth(centre.y), r: tenth(radius) })),
    );
    this.#distances.replaceChildren(
      ...circles.map(({ km, label }) =>
        svg("text", { x: tenth(centre.x), y: tenth(label), "text-anchor": "middle" }, `${km} km`),
      ),
    );
    this.#hotels.ariaLabel = wordsOf(stay);
    keepChildren(this.#hotels, spots, {
      key: ({ id }) => id,
      create: ({ id }) => {
        const price = element("span", { ariaHidden: "true" });
        return element("li", { role: "option", id: `on-map-${id}` }, price, element("span", { className: "unseen" }));
      },
      update: (item, { hotel, id, point, text }) => {
        const [price, words] = [...item.children];
        if (price) setText(price, text);
        if (words) setText(words, `${hotel.name}, ${spoken(hotel.price_total)}, ${placeOf(hotel, " from the centre")}`);
        item.classList.toggle("priced", labels.has(id));
        item.style.setProperty("--x", `${tenth(point.x)}px`);
        item.style.setProperty("--y", `${tenth(point.y)}px`);
        item.style.setProperty("--shift", `${tenth(labels.get(id) ?? 0)}px`);
      },
    });
  }

  /** @param {string | undefined} id of the hotel that is looked at */
  #mark(id) {
    const marked = this.#byPrice.find(({ offer_id }) => offer_id === id) ?? this.#byPrice.find(({ offer_id }) => offer_id === this.#chosen);
    for (const item of /** @type {HTMLCollectionOf<HTMLElement>} */ (this.#hotels.children)) {
      item.ariaSelected = String(item.dataset.key === marked?.offer_id);
    }
    if (marked) this.#hotels.setAttribute("aria-activedescendant", `on-map-${marked.offer_id}`);
    else this.#hotels.removeAttribute("aria-activedescendant");
    const { hotels = [], name = "" } = this.data ?? {};
    setText(this.#told, marked ? `${marked.name}, ${written(marked.price_total)} · ${placeOf(marked)}` : `${name}: ${counted(hotels.length, "hotel")}`);
    this.#show.hidden = this.#chosen === "" || marked?.offer_id !== this.#chosen;
    this.#show.ariaLabel = marked ? `Show ${marked.name}` : "";
  }

  /** @param {string | undefined} id */
  #choose(id) {
    if (!id) return;
    this.#chosen = id;
    this.#point(id, { isChosen: true });
    this.#mark(id);
  }

  /** @param {string | undefined} id */
  #point(id, { isChosen = false, takesFocus = false } = {}) {
    this.dispatchEvent(new CustomEvent("point", { bubbles: true, detail: /** @type {Pointed} */ ({ id, isChosen, takesFocus }) }));
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const last = this.#byPrice.length - 1;
    const marked = this.#hotels.getAttribute("aria-activedescendant")?.replace(/^on-map-/, "");
    const at = this.#byPrice.findIndex(({ offer_id: id }) => id === marked);
    /** @type {Object<string, number>} */
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: last };
    const next = to[event.key];
    if (next !== undefined) this.#point(this.#byPrice[Math.min(last, Math.max(0, next))]?.offer_id);
    else if (event.key === "Enter" || event.key === " ") this.#choose(marked);
    else return;
    event.preventDefault();
  }
}

customElements.define("city-map", CityMap);
