/** Where the hotels of a city are, as dots around its centre; circles tell how far that is. */

import { planOf } from "../../lib/city.js";
import { element, setText, svg } from "../../lib/dom.js";
import { counted } from "../../lib/english.js";
import { tenth } from "../../lib/map.js";
import { heightFor, Picture } from "../../lib/picture.js";

/** @typedef {NonNullable<ReturnType<typeof import("../../lib/route.js").stayOf>>} Stay */

/** Below that width, in pixels, the map is square. */
const SMALL = 300;

/** @typedef {Stay & {lookedAt?: string}} StayShown */

/** @extends {Picture<StayShown>} */
class CityMap extends Picture {
  #circles = svg("g", { class: "circles" });
  #hotels = svg("g", { class: "hotels" });
  #distances = svg("g", { class: "distances" });
  #picture = svg("svg", { role: "img" }, this.#circles, this.#hotels, this.#distances);
  #name = element("p", { className: "map-note", ariaHidden: "true" });
  #drawn = "";

  /** @override */
  build() {
    this.append(this.#picture, this.#name);
  }

  /** @override @param {StayShown} stay @param {number} width */
  draw(stay, width) {
    const height = width < SMALL ? heightFor(width, 1) : heightFor(width);
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
