/**
 * The base of the page's components: data comes down as a property, what the user does goes up as an event.
 *
 * A component has its markup in the document itself, under its own tag name, and its style in the file beside it.
 * `build` makes the children once; `update` brings them in line with the data, and must leave alone what did not
 * change, so that nothing moves under the pointer or the focus. `listen` is for what lies outside of the component:
 * give `this.leaving` to `addEventListener`, and it ends when the component leaves the document.
 *
 * @template D what a component shows; values are never changed in place, so the same value draws nothing anew
 */
export class Component extends HTMLElement {
  /** @type {D | undefined} */
  #data;
  #built = false;
  #presence = new AbortController();

  /** @returns {D | undefined} */
  get data() {
    return this.#data;
  }

  set data(value) {
    if (value === this.#data) return;
    this.#data = value;
    if (this.#built && value !== undefined) this.#tryToUpdate(value);
  }

  /** Aborted when the component leaves the document. */
  get leaving() {
    return this.#presence.signal;
  }

  connectedCallback() {
    this.#presence = new AbortController();
    this.listen();
    if (this.#built) return;
    this.#built = true;
    this.build();
    if (this.#data !== undefined) this.#tryToUpdate(this.#data);
  }

  /**
   * What can't be shown is reported, and stops nothing else: who gave the data goes on, as the browser itself does
   * where a component fails while it enters the document.
   *
   * @param {D} data
   */
  #tryToUpdate(data) {
    try {
      this.update(data);
    } catch (error) {
      reportError(error);
    }
  }

  disconnectedCallback() {
    this.#presence.abort();
  }

  build() {}

  listen() {}

  /** @param {D} _data */
  update(_data) {}

  /**
   * Tell what the user wants; the page listens for it at the document. The events are listed in `lib/actions.js`.
   *
   * @template {keyof import("./types.js").Actions} K
   * @param {K} name
   * @param {import("./types.js").Actions[K]} detail
   */
  act(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { bubbles: true, detail }));
  }
}
