/**
 * Where the trip leads: a map of its way, and one of the city with the hotels that were found.
 *
 * The way has the stops of the cheapest flight, or of the one that the pointer or the focus is at. A hotel that is looked
 * at, in the list or on the map of its city, stands out in both. What the maps are drawn from is asked for here.
 */

import { Component } from "../../lib/component.js";
import { component, element } from "../../lib/dom.js";
import { airportsIn, routeOf, stayOf } from "../../lib/route.js";

/**
 * @typedef {import("../../lib/reduce.js").State} State
 * @typedef {import("../city-map/city-map.js").Pointed} Pointed
 * @typedef {Pick<State, "airports" | "land"> & {search: import("../../lib/types.js").Task | null}} MapShown `search`:
 *   the task whose results are shown
 */

/** How long airports are gathered before they are asked for, in milliseconds, and how many at most. */
const [ASK_TOGETHER_MS, MOST_CODES] = [150, 50];

/** @extends {Component<MapShown>} */
class RouteMap extends Component {
  #world = component("world-map");
  #city = component("city-map");
  #maps = element("div", { className: "maps" }, this.#world, this.#city);
  /** @type {string | undefined} */
  #lookedAt;
  #asking = 0;

  /** @override */
  build() {
    this.hidden = true;
    this.append(this.#maps);
  }

  /** @override */
  listen() {
    this.leaving.addEventListener("abort", () => this.#forgetToAsk());
    const look = (/** @type {Event} */ event) => this.#lookAt(/** @type {Element} */ (event.target));
    document.addEventListener("pointerover", look, { signal: this.leaving, passive: true });
    document.addEventListener("focusin", look, { signal: this.leaving });
    const point = (/** @type {Event} */ event) => this.#lookAtOffer(/** @type {CustomEvent<Pointed>} */ (event).detail.id);
    this.addEventListener("point", point, { signal: this.leaving });
  }

  /** @override @param {MapShown} shown */
  update({ search, airports, land }) {
    const route = routeOf(search, airports, this.#lookedAt);
    const stay = stayOf(search);
    if (unknownIn(search, airports).length) this.#askSoon();
    if (route && !land) this.act("askLand", {});
    this.hidden = !route && !stay;
    this.#world.hidden = !route;
    this.#city.hidden = !stay;
    this.#maps.classList.toggle("both", Boolean(route && stay));
    if (route) this.#world.data = { route, land };
    if (stay) this.#city.data = { ...stay, lookedAt: this.#lookedAt };
  }

  /** Offers come in batches, one after the other: ask for what is new in all of them together. */
  #askSoon() {
    this.#asking ||= window.setTimeout(() => {
      this.#asking = 0;
      const codes = this.data ? unknownIn(this.data.search, this.data.airports) : [];
      if (codes.length) this.act("askAirports", { codes });
    }, ASK_TOGETHER_MS);
  }

  #forgetToAsk() {
    clearTimeout(this.#asking);
    this.#asking = 0;
  }

  /** @param {Element | null} target */
  #lookAt(target) {
    if (this.#city.contains(target)) return; // what is looked at there, it tells itself
    this.#lookAtOffer(/** @type {HTMLElement | null | undefined} */ (target?.closest?.(".offers > [data-key]"))?.dataset.key);
  }

  /** @param {string | undefined} id */
  #lookAtOffer(id) {
    if (id === this.#lookedAt) return;
    this.#lookedAt = id;
    if (this.data && !this.hidden) this.update(this.data);
  }
}

/**
 * The airports of offers that nothing is known of yet, as many as may be asked for at once.
 *
 * @param {import("../../lib/types.js").Task | null} task
 * @param {import("../../lib/route.js").Airports} airports
 */
function unknownIn(task, airports) {
  return airportsIn(task)
    .filter((code) => !Object.hasOwn(airports, code))
    .slice(0, MOST_CODES);
}

customElements.define("route-map", RouteMap);
