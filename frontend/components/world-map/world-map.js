/**
 * The way of a trip as great circles on dotted land, its stops as thinner lines, its cities by name.
 *
 * What is seen of the world stays as it is while other stops are shown, and only grows where one would be out of
 * sight. Drawn for the size at hand rather than stretched, so that names and dots are as large on a phone as on a
 * screen.
 */

import { element, setText, svg } from "../../lib/dom.js";
import { placedAround } from "../../lib/labels.js";
import { dotsOf, Land } from "../../lib/land.js";
import { greatCircle, linesOf, pathOf, project, tenth, viewOf } from "../../lib/map.js";
import { heightFor, Picture } from "../../lib/picture.js";
import { kilometres, lengthOf } from "../../lib/route.js";

/**
 * @typedef {import("../../lib/map.js").Place} Place
 * @typedef {import("../../lib/map.js").View} View
 * @typedef {import("../../lib/map.js").Point} Point
 * @typedef {import("../../lib/land.js").LandAnswer} LandAnswer
 * @typedef {import("../../lib/route.js").Route} Route
 * @typedef {{route: Route, land: LandAnswer | null}} WayShown
 */

/** The size of names, and of the label that tells the distance in its corner, as parts of the page's font size. */
const [NAME, CORNER] = [0.75, { width: 5.4, height: 1.5 }];
/** Where that label may be, the best first. */
const CORNERS = ["bottom left", "top left", "bottom right", "top right"];
/** How large the mark of a city is, of one with a number, and of a stop. */
const RADIUS = { city: 4, numbered: 9, stop: 3 };

/** @extends {Picture<WayShown>} */
class WorldMap extends Picture {
  #land = svg("path", { class: "land" });
  #legs = svg("path", { class: "legs" });
  #ways = svg("path", { class: "ways", pathLength: 1 });
  #marks = svg("g", { class: "marks" });
  #names = svg("g", { class: "names" });
  #picture = svg("svg", { role: "img" }, this.#land, this.#legs, this.#ways, this.#marks, this.#names);
  #distance = element("p", { className: "map-note", ariaHidden: "true" });
  /** The stops that have been shown since the way leads where it does, by name. @type {Map<string, Place>} */
  #seen = new Map();
  #key = "";
  /** It is the same for all trips. @type {Land | null} */
  #grid = null;
  #drawn = "";

  /** @override */
  build() {
    this.append(this.#picture, this.#distance);
  }

  /** @override @param {WayShown} shown @param {number} width @param {number} em */
  draw({ route, land }, width, em) {
    const height = heightFor(width);
    const drawn = [em, width, height, land ? 1 : 0, route.key, route.words, ...route.stops.map(({ name }) => name)].join();
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.#picture.setAttribute("aria-label", route.words);
    setText(this.#distance, kilometres(lengthOf(route)));
    const isNew = route.key !== this.#key;
    this.#key = route.key;
    if (isNew) this.#seen.clear();
    for (const stop of route.stops) this.#seen.set(stop.name, stop);
    const ways = route.ways.map(([from, to]) => greatCircle(from, to));
    const legs = route.legs.map(([from, to]) => greatCircle(from, to));
    const view = viewOf([...ways.flat(), ...this.#seen.values()], { width, height });
    const [wayLines, legLines] = [ways, legs].map((lines) => lines.flatMap((line) => linesOf(view, line)));
    this.#drawLand(view, land);
    this.#legs.setAttribute("d", pathOf(legLines ?? []));
    this.#drawWays(pathOf(wayLines ?? []), isNew);
    this.#drawPlaces(route, view, [...(wayLines ?? []), ...(legLines ?? [])], em);
  }

  /**
   * @param {View} view
   * @param {LandAnswer | null} land
   */
  #drawLand(view, land) {
    if (!land) return;
    this.#grid ??= new Land(land);
    this.#land.setAttribute("d", dotsOf(view, this.#grid));
  }

  /**
   * @param {string} path
   * @param {boolean} isNew only a way to elsewhere is drawn in
   */
  #drawWays(path, isNew) {
    if (isNew) {
      const anew = svg("path", { class: "ways", pathLength: 1 });
      this.#ways.replaceWith(anew);
      this.#ways = anew;
    }
    this.#ways.setAttribute("d", path);
  }

  /**
   * @param {Route} route
   * @param {View} view
   * @param {Point[][]} lines
   * @param {number} em
   */
  #drawPlaces(route, view, lines, em) {
    const kind = route.kind === "tour" ? "numbered" : "city";
    const cities = route.cities.map((city) => ({ text: city.name, point: project(view, city), needed: true }));
    const stops = route.stops.map((stop) => ({ text: stop.name, point: project(view, stop), needed: false }));
    this.#marks.replaceChildren(
      ...stops.map(({ point }) => mark("stop", point)),
      ...cities.map(({ point }, at) => mark(kind, point, kind === "numbered" ? String(at + 1) : "")),
    );
    const named = [
      ...cities.map((city) => ({ ...city, radius: RADIUS[kind] })),
      ...stops.map((stop) => ({ ...stop, radius: RADIUS.stop })),
    ];
    const { width, height } = view;
    const [across, down] = [CORNER.width * em, CORNER.height * em];
    const [left, right] = [{ left: 0, right: across }, { left: width - across, right: width }];
    const [top, bottom] = [{ top: 0, bottom: down }, { top: height - down, bottom: height }];
    const corners = [{ ...left, ...bottom }, { ...left, ...top }, { ...right, ...bottom }, { ...right, ...top }];
    const { labels, at } = placedAround(named, { width, height, lines, size: NAME * em }, corners);
    this.#distance.hidden = at < 0; // the picture's name tells it, too
    this.#distance.dataset.corner = CORNERS[at] ?? "";
    this.#names.setAttribute("font-size", String(NAME * em));
    this.#names.replaceChildren(
      ...labels.map(({ text, x, y, anchor, needed }) =>
        svg("text", { x: tenth(x), y: tenth(y), "text-anchor": anchor, class: needed ? "" : "minor" }, text),
      ),
    );
  }
}

/**
 * @param {keyof typeof RADIUS} kind
 * @param {import("../../lib/map.js").Point} point
 * @param {string} [number]
 */
function mark(kind, { x, y }, number = "") {
  const circle = svg("circle", { cx: tenth(x), cy: tenth(y), r: RADIUS[kind], class: kind });
  if (!number) return circle;
  const text = svg("text", { x: tenth(x), y: tenth(y), dy: "0.35em", "text-anchor": "middle" }, number);
  return svg("g", {}, circle, text);
}

customElements.define("world-map", WorldMap);
