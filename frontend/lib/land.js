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
/** Cells between dots from which on a dot stands for all the cells around it. */
const COARSE = 1.5;
/** Of eight cells around one that has no airport, so many with one make it land as well. */
const CLOSED = 7;

/** The grid of land, to be asked about any place. */
export class Land {
  #rows;
  #columns;
  /** One for each cell of the world, from the south pole eastwards: whether it is land. */
  #cells;

  /** @param {LandAnswer} answer */
  constructor({ step, rows }) {
    this.step = step;
    this.#rows = Math.ceil(180 / step);
    this.#columns = Math.ceil(360 / step);
    this.#cells = new Uint8Array(this.#rows * this.#columns);
    for (const { latitude, longitudes } of rows) {
      const row = this.#row(latitude) * this.#columns;
      for (const longitude of longitudes) this.#cells[row + this.#column(longitude)] = 1;
    }
    this.#closeGaps();
  }

  /**
   * How much land is at a place: 1 in the middle of a cell of land, less towards one that is none.
   *
   * @param {number} latitude
   * @param {number} longitude
   */
  at(latitude, longitude) {
    const [row, column] = [this.#row(latitude - this.step / 2), this.#column(longitude - this.step / 2)];
    const up = share((latitude - this.step / 2) / this.step);
    const right = share((longitude - this.step / 2) / this.step);
    const below = this.#has(row, column) * (1 - right) + this.#has(row, column + 1) * right;
    const above = this.#has(row + 1, column) * (1 - right) + this.#has(row + 1, column + 1) * right;
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
    const first = (/** @type {number} */ degrees) => (Math.ceil(degrees / this.step - 0.5) + 0.5) * this.step;
    for (let y = first(latitude - high / 2); y < latitude + high / 2; y += this.step)
      for (let x = first(longitude - wide / 2); x < longitude + wide / 2; x += this.step)
        if (this.#has(this.#row(y), this.#column(x))) return true;
    return false;
  }

  /**
   * Take for land what is surrounded by it. A cell counts as wide as it is high, or towards the poles gaps would be
   * longer than they are.
   */
  #closeGaps() {
    const gaps = [];
    for (let row = 0; row < this.#rows; row++) {
      const wide = Math.round(1 / Math.cos((((row + 0.5) * this.step - 90) * Math.PI) / 180));
      for (let column = 0; column < this.#columns; column++) {
        if (this.#has(row, column)) continue;
        let around = 0;
        for (const up of [-1, 0, 1])
          for (const right of [-wide, 0, wide]) around += this.#has(row + up, column + right);
        if (around >= CLOSED) gaps.push(row * this.#columns + column);
      }
    }
    for (const gap of gaps) this.#cells[gap] = 1;
  }

  /**
   * @param {number} row outside of the world there is none
   * @param {number} column any: after the last one comes the first
   * @returns {number}
   */
  #has(row, column) {
    if (row < 0 || row >= this.#rows) return 0;
    const around = (column + this.#columns) % this.#columns;
    return this.#cells[row * this.#columns + around] ?? 0;
  }

  /** @param {number} latitude */
  #row(latitude) {
    return Math.floor((latitude + 90) / this.step);
  }

  /** @param {number} longitude */
  #column(longitude) {
    return Math.floor((turned(longitude) + 180) / this.step);
  }
}

/** What a number is above the whole one below it. @param {number} value */
function share(value) {
  return value - Math.floor(value);
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
  const coarse = box.high > COARSE * land.step;
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
