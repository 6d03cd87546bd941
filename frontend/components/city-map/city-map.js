/** Where the hotels of a city are, as dots around its centre; circles tell how far that is. */

import { planOf } from "../../lib/city.js";
import { Component } from "../../lib/component.js";
import { element, setText, svg } from "../../lib/dom.js";
import { counted } from "../../lib/english.js";
import { tenth } from "../../lib/map.js";

/** @typedef {NonNullable<ReturnType<typeof import("../../lib/route.js").stayOf>>} Stay */

/** How wide it is for its height, and the least and the largest height in pixels; small ones are square. */
const [RATIO, LEAST_HEIGHT, MOST_HEIGHT, SMALL] = [16 / 7, 190, 250, 300];

/** @extends {Component<Stay & {lookedAt?: string}>} */
class CityMap extends Component {
  #circles = svg("g", { class: "circles" });
  #hotels = svg("g", { class: "hotels" });
  #distances = svg("g", { class: "distances" });
  #picture = svg("svg", { role: "img" }, this.#circles, this.#hotels, this.#distances);
  #name = element("p", { className: "map-note", ariaHidden: "true" });
  #size = new ResizeObserver(() => this.#draw());
  #drawn = "";

  /** @override */
  build() {
    this.append(this.#picture, this.#name);
  }

  /** @override */
  listen() {
    this.#size.observe(this);
    this.leaving.addEventListener("abort", () => this.#size.disconnect());
  }

  /** @override */
  update() {
    this.#draw();
  }

  #draw() {
    const stay = this.data;
    const width = Math.floor(this.clientWidth);
    if (!stay || width === 0) return;
    const ratio = width < SMALL ? 1 : RATIO;
    const height = Math.round(Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, width / ratio)));
    const drawn = [width, stay.name, stay.lookedAt, ...stay.hotels.map(({ offer_id: id }) => id)].join();
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const { centre, circles, hotels } = planOf(stay.centre, stay.hotels, { width, height });
    this.#picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.#picture.setAttribute("aria-label", wordsOf(stay));
    this.#circles.replaceChildren(
      svg("circle", { cx: tenth(centre.x), cy: tenth(centre.y), r: 2, class: "centre" }),
      ...circles.map(({ radius }) => svg("circle", { cx: tenth(centre.x), cy: tenth(centre.y), r: tenth(radius) })),
    );
    this.#distances.replaceChildren(
      ...circles.map(({ km, label }) =>
        svg("text", { x: tenth(centre.x), y: tenth(label), "text-anchor": "middle" }, `${km} km`),
      ),
    );
    setText(this.#name, stay.name);
    const lookedAt = hotels.filter(({ id }) => id === stay.lookedAt);
    this.#hotels.replaceChildren(
      ...hotels.map(({ point: { x, y } }) => svg("circle", { cx: tenth(x), cy: tenth(y), r: 3.5 })),
      ...lookedAt.map(({ point: { x, y } }) => svg("circle", { cx: tenth(x), cy: tenth(y), r: 6, class: "here" })),
    );
  }
}

/** @param {Stay} stay */
function wordsOf({ name, hotels }) {
  const far = Math.max(...hotels.map(({ distance_km: km }) => km));
  return `${counted(hotels.length, "hotel")} within ${Math.max(1, Math.ceil(far))} km of the centre of ${name}`;
}

customElements.define("city-map", CityMap);
