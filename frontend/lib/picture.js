/** The base of components that draw a picture for the width and the text at hand: they draw it again when those change. */

import { Component } from "./component.js";

/** How wide a picture is for its height, and the least and the largest height in pixels. */
const [RATIO, LEAST_HEIGHT, MOST_HEIGHT] = [16 / 7, 190, 250];

/**
 * @template D
 * @extends {Component<D>}
 */
export class Picture extends Component {
  #width = 0;
  #rem = 0;
  #size = new ResizeObserver((sizes) => {
    // Read here, where the page is laid out: `update` runs between changes, and each reading there lays it out anew.
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const width = Math.floor(sizes.at(-1)?.contentRect.width ?? 0);
    if (width === this.#width && rem === this.#rem) return; // only its height has changed, as its own drawing does
    this.#width = width;
    this.#rem = rem;
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
   * @param {number} _rem the size of the page's text in pixels: people may have made it larger
   */
  draw(_data, _width, _rem) {}

  #drawFor() {
    if (this.data !== undefined && this.#width > 0) this.draw(this.data, this.#width, this.#rem);
  }
}

/** @param {number} width @param {number} [ratio] */
export function heightFor(width, ratio = RATIO) {
  return Math.round(Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, width / ratio)));
}
