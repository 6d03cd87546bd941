/** The places that a name may become while it is typed: asked for once the typing rests, the newest question only. */

import { askPlaces } from "./api.js";

/**
 * @typedef {{name: string, title: string, area: string, codes: string[]}} PlaceFound `name` names it, and no other, in a
 *   message
 * @typedef {{text: string, places: PlaceFound[], error: string}} PlacesFound `error` is "" unless they could not be had
 */

/** How long the typing must rest before it is asked about, in milliseconds. */
const RESTED_MS = 120;

export class PlaceSearch {
  #timer = 0;
  #asking = new AbortController();
  #found;

  /** @param {(found: PlacesFound) => void} found is given the answer to the newest question, and to no older one */
  constructor(found) {
    this.#found = found;
  }

  /** Ask what a text may become; an empty one becomes nothing. @param {string} text */
  ask(text) {
    this.stop();
    if (text.trim()) this.#timer = window.setTimeout(() => this.#ask(text.trim()), RESTED_MS);
    else this.#found({ text: "", places: [], error: "" });
  }

  /** Nobody wants an answer any more. */
  stop() {
    clearTimeout(this.#timer);
    this.#asking.abort();
  }

  /** @param {string} text */
  async #ask(text) {
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    /** @type {PlacesFound} */
    let found = { text, places: [], error: "" };
    try {
      found = { ...found, ...(await askPlaces(text, signal)) };
    } catch (error) {
      found.error = /** @type {Error} */ (error).message;
    }
    // An answer may be on its way into the page already when the next letter is typed.
    if (!signal.aborted) this.#found(found);
  }
}
