/**
 * The dots that stand for land: on a map of any scale they are as far apart, and as many as look calm.
 *
 * The server tells which cells of a grid have an airport (`GET /land`). Where a map is coarser than the grid, a dot
 * stands for the cells around it; where it is finer, the grid is read in between, which rounds its corners. Pure.
 *
 * @typedef {import("./map.js").View} View
 * @typedef {{step: number, rows: {latitude: number, longitudes: number[]}[]}} LandAnswer
 */

import { tenth, turned } from "./map.js";

/** Pixels between dots. */
const PITCH = 6;
/** How much land there must be around a dot, between cells that are land (1) and that are not (0). */
const ENOUGH = 0.4;
/** Of eight cells around one that has no airport, so many with one make it land as well. */
const CLOSED = 7;

/** The grid of land, to be asked about any place. */
export class Land {
  #step;
  #columns;
  /** @type {Set<number>} */
  #cells;

  /** @param {LandAnswer} answer */
  constructor({ step, rows }) {
    this.#step = step;
    this.#columns = 360 / step;
    this.#cells = new Set(
      rows.flatMap(({ latitude, longitudes }) => longitudes.map((longitude) => this.#cell(latitude, longitude))),
    );
    this.#closeGaps(rows);
  }

  /**
   * Take for land what is surrounded by it. A cell counts as wide as it is high, or towards the poles gaps would be
   * longer than they are.
   *
   * @param {LandAnswer["rows"]} rows
   */
  #closeGaps(rows) {
    const step = this.#step;
    const found = [];
    for (const { latitude } of rows) {
      const wide = Math.round(1 / Math.cos(((latitude + step / 2) * Math.PI) / 180)) * step;
      for (let longitude = -180; longitude < 180; longitude += step) {
        if (this.#has(latitude, longitude)) continue;
        let around = 0;
        for (const up of [-step, 0, step])
          for (const right of [-wide, 0, wide]) around += this.#has(latitude + up, longitude + right);
        if (around >= CLOSED) found.push(this.#cell(latitude, longitude));
      }
    }
    for (const cell of found) this.#cells.add(cell);
  }

  /**
   * How much land is at a place: 1 in the middle of a cell of land, less towards one that is none.
   *
   * @param {number} latitude
   * @param {number} longitude
   */
  at(latitude, longitude) {
    const [south, west] = [latitude - this.#step / 2, longitude - this.#step / 2];
    const up = south / this.#step - Math.floor(south / this.#step);
    const right = west / this.#step - Math.floor(west / this.#step);
    const [north, east] = [south + this.#step, west + this.#step];
    const below = this.#has(south, west) * (1 - right) + this.#has(south, east) * right;
    const above = this.#has(north, west) * (1 - right) + this.#has(north, east) * right;
    return below * (1 - up) + above * up;
  }

  /**
   * Whether a cell of land has its middle in a box around a place.
   *
   * @param {number} latitude
   * @param {number} longitude
   * @param {{high: number, wide: number}} box in degrees
   */
  isWithin(latitude, longitude, { high, wide }) {
    const step = this.#step;
    const middle = (/** @type {number} */ degrees) => Math.ceil(degrees / step - 0.5) * step + step / 2;
    for (let south = middle(latitude - high / 2); south < latitude + high / 2; south += step)
      for (let west = middle(longitude - wide / 2); west < longitude + wide / 2; west += step)
        if (this.#has(south, west)) return true;
    return false;
  }

  /** @param {number} latitude @param {number} longitude @returns {number} */
  #has(latitude, longitude) {
    return this.#cells.has(this.#cell(latitude, longitude)) ? 1 : 0;
  }

  /** @param {number} latitude @param {number} longitude */
  #cell(latitude, longitude) {
    return Math.floor(latitude / this.#step) * this.#columns + Math.floor(turned(longitude) / this.#step);
  }
}

/**
 * The dots of a map as the `d` of an SVG path: each a line of no length, to be drawn with round ends.
 *
 * @param {View} view
 * @param {Land} land
 */
export function dotsOf(view, land) {
  const dots = [];
  const box = { high: PITCH / view.down, wide: PITCH / view.across };
  const coarse = box.high > 1;
  const half = Math.min(view.width / 2, 180 * view.across);
  let odd = false;
  for (let y = PITCH / 2; y < view.height; y += PITCH, odd = !odd) {
    const latitude = view.latitude + (view.height / 2 - y) / view.down;
    if (Math.abs(latitude) > 90) continue;
    for (let x = odd ? -half + PITCH / 2 : -half; x < half; x += PITCH) {
      const longitude = view.longitude + x / view.across;
      const isLand = coarse ? land.isWithin(latitude, longitude, box) : land.at(latitude, longitude) >= ENOUGH;
      if (isLand) dots.push(`M${tenth(view.width / 2 + x)} ${tenth(y)}h0`);
    }
  }
  return dots.join("");
}
