/** The base of components that draw a picture for the width at hand: they draw it again when that changes. */

import { Component } from "./component.js";

/** How wide a picture is for its height, and the least and the largest height in pixels. */
const [RATIO, LEAST_HEIGHT, MOST_HEIGHT] = [16 / 7, 190, 250];

/**
 * @template D
 * @extends {Component<D>}
 */
export class Picture extends Component {
  #width = 0;
  #size = new ResizeObserver((sizes) => {
    for (const { contentRect } of sizes) this.#width = Math.floor(contentRect.width);
    this.#drawFor();
  });

  /** @override */
  listen() {
    this.#size.observe(this);
    this.leaving.addEventListener("abort", () => this.#size.disconnect());
  }

  /** @override */
  update() {
    this.#drawFor();
  }

  /**
   * Draw the data, unless it is what is drawn already.
   *
   * @param {D} _data
   * @param {number} _width in whole pixels
   */
  draw(_data, _width) {}

  #drawFor() {
    // As the observer told it: to measure here would lay out the page anew at each change of the state, 30 ms of them.
    if (this.data !== undefined && this.#width > 0) this.draw(this.data, this.#width);
  }
}

/** @param {number} width @param {number} [ratio] */
export function heightFor(width, ratio = RATIO) {
  return Math.round(Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, width / ratio)));
}
