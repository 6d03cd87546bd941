/**
 * Where the trip leads: the great circle of its way on dotted land, its stops as thinner lines, its cities by name.
 *
 * It shows the stops of the cheapest flight, or of the one that the pointer or the focus is at. What is seen of the
 * world stays as it is while that changes, and only grows where a stop would be out of sight. Drawn for the size at
 * hand rather than stretched, so that names and dots are as large on a phone as on a screen.
 */

import { searchOf } from "../../lib/board.js";
import { Component } from "../../lib/component.js";
import { component, element, setText, svg } from "../../lib/dom.js";
import { FONT_SIZE, placedLabels } from "../../lib/labels.js";
import { dotsOf, Land } from "../../lib/land.js";
import { greatCircle, linesOf, pathOf, project, tenth, viewOf } from "../../lib/map.js";
import { airportsIn, kilometres, lengthOf, routeOf, stayOf } from "../../lib/route.js";

/**
 * @typedef {import("../../lib/map.js").Place} Place
 * @typedef {import("../../lib/route.js").Route} Route
 * @typedef {import("../../lib/reduce.js").State} State
 */

/** How wide a map is for its height, and the least and the largest height in pixels. */
const [RATIO, LEAST_HEIGHT, MOST_HEIGHT] = [16 / 7, 190, 250];
/** The size of the label that tells the distance, in its corner. */
const CORNER = { width: 86, height: 24 };
/** How large the mark of a city is, of one with a number, and of a stop. */
const RADIUS = { city: 4, numbered: 9, stop: 3 };

/** @extends {Component<State>} */
class RouteMap extends Component {
  #land = svg("path", { class: "land" });
  #legs = svg("path", { class: "legs" });
  #ways = svg("path", { class: "ways", pathLength: 1 });
  #marks = svg("g", { class: "marks" });
  #names = svg("g", { class: "names", "font-size": FONT_SIZE });
  #picture = svg("svg", { role: "img" }, this.#land, this.#legs, this.#ways, this.#marks, this.#names);
  #distance = element("p", { className: "map-note", ariaHidden: "true" });
  #world = element("div", { className: "world" }, this.#picture, this.#distance);
  #city = component("city-map");
  #maps = element("div", { className: "maps" }, this.#world, this.#city);
  #size = new ResizeObserver(() => this.#draw());
  /** @type {Route | null} */
  #route = null;
  /** @type {string | undefined} */
  #lookedAt;
  /** @type {import("../../lib/types.js").Task | null} */
  #search = null;
  #userId = "";
  /** What has been shown of the way since it leads where it does. @type {Place[]} */
  #seen = [];
  /** It is the same for all trips. @type {Land | null} */
  #grid = null;
  #drawn = "";

  /** @override */
  build() {
    this.hidden = true;
    this.append(this.#maps);
  }

  /** @override */
  listen() {
    this.#size.observe(this);
    this.leaving.addEventListener("abort", () => this.#size.disconnect());
    const look = (/** @type {Event} */ event) => this.#lookAt(/** @type {Element} */ (event.target));
    document.addEventListener("pointerover", look, { signal: this.leaving, passive: true });
    document.addEventListener("focusin", look, { signal: this.leaving });
  }

  /** @override @param {State} state */
  update({ userId, task: latest, airports, land }) {
    const task = searchOf(latest, userId === this.#userId ? this.#search : null);
    this.#search = task;
    this.#userId = userId;
    const unknown = airportsIn(task).filter((code) => !Object.hasOwn(airports, code));
    if (unknown.length) this.act("askAirports", { codes: unknown.slice(0, 50) });
    const route = routeOf(task, airports, this.#lookedAt);
    const stay = stayOf(task);
    if (route?.key !== this.#route?.key) this.#seen = [];
    this.#route = route;
    if (route && !land) this.act("askLand", {});
    this.hidden = !route && !stay;
    this.#world.hidden = !route;
    this.#city.hidden = !stay;
    this.#maps.classList.toggle("both", Boolean(route && stay));
    this.#city.data = stay ?? undefined;
    this.#draw();
  }

  /** @param {Element | null} target */
  #lookAt(target) {
    const id = /** @type {HTMLElement | null | undefined} */ (target?.closest?.(".offers > [data-key]"))?.dataset.key;
    if (id === this.#lookedAt) return;
    this.#lookedAt = id;
    if (this.data && !this.hidden) this.update(this.data);
    /** @type {any} */ (this.#city).lookedAt = id;
  }

  #draw() {
    const [route, land] = [this.#route, this.data?.land];
    const width = Math.floor(this.#world.clientWidth);
    if (!route || width === 0) return;
    const height = Math.round(Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, width / RATIO)));
    const drawn = [width, height, land ? 1 : 0, route.words, ...route.stops.map(({ name }) => name)].join();
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.#picture.setAttribute("aria-label", route.words);
    setText(this.#distance, kilometres(lengthOf(route)));
    const ways = route.ways.map(([from, to]) => greatCircle(from, to));
    const legs = route.legs.map(([from, to]) => greatCircle(from, to));
    this.#seen = [...new Set([...this.#seen, ...ways.flat(), ...route.stops])];
    const view = viewOf(this.#seen, { width, height });
    const lines = [...ways, ...legs].flatMap((line) => linesOf(view, line));
    if (land) this.#land.setAttribute("d", dotsOf(view, this.#gridOf(/** @type {any} */ (land))));
    this.#legs.setAttribute("d", pathOf(legs.flatMap((line) => linesOf(view, line))));
    this.#drawWays(pathOf(ways.flatMap((line) => linesOf(view, line))), route.key);
    const cities = route.cities.map((city) => ({ ...city, point: project(view, city) }));
    const stops = route.stops.map((stop) => ({ ...stop, point: project(view, stop) }));
    const isTour = route.kind === "tour";
    this.#marks.replaceChildren(
      ...stops.map(({ point }) => mark("stop", point)),
      ...cities.map(({ point }, at) => mark(isTour ? "numbered" : "city", point, isTour ? String(at + 1) : "")),
    );
    const radius = RADIUS[isTour ? "numbered" : "city"];
    const named = [
      ...cities.map(({ name, point }) => ({ text: name, point, needed: true, radius })),
      ...stops.map(({ name, point }) => ({ text: name, point, needed: false, radius: RADIUS.stop })),
    ];
    const corner = { left: 0, right: CORNER.width, top: height - CORNER.height, bottom: height };
    const labels = placedLabels(named, { width, height, lines, taken: [corner] });
    this.#names.replaceChildren(
      ...labels.map(({ text, x, y, anchor, needed }) =>
        svg("text", { x: tenth(x), y: tenth(y), "text-anchor": anchor, class: needed ? "" : "minor" }, text),
      ),
    );
  }

  /** @param {string} path @param {string} key of where it leads: only a way to elsewhere is drawn in */
  #drawWays(path, key) {
    if (this.#ways.dataset.key !== key) {
      const anew = svg("path", { class: "ways", pathLength: 1, "data-key": key });
      this.#ways.replaceWith(anew);
      this.#ways = anew;
    }
    this.#ways.setAttribute("d", path);
  }

  /** @param {import("../../lib/land.js").LandAnswer} answer */
  #gridOf(answer) {
    this.#grid ??= new Land(answer);
    return this.#grid;
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

customElements.define("route-map", RouteMap);
