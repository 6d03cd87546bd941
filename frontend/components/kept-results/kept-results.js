/** What an interrupted task left that the shown results lack: folded, apart from them, and told how far it had come. */

import { Component } from "../../lib/component.js";
import { component, element, keepChildren, setText } from "../../lib/dom.js";
import { byKind } from "../../lib/offers.js";

/** @typedef {import("../../lib/board.js").Kept & {of: string, booked: Set<string>}} Kept `of` is the search whose results are shown */

const KINDS = /** @type {const} */ (["plan", "flight", "hotel"]);

/** @extends {Component<Kept>} */
class KeptResults extends Component {
  #title = element("span", { className: "title" });
  #note = element("span", { className: "note" });
  #asked = element("p", { className: "quiet", dir: "auto" });
  #lists = element("div");
  #fold = element("details", {}, element("summary", {}, this.#title, " ", this.#note), this.#asked, this.#lists);
  #of = "";

  /** @override */
  build() {
    this.append(this.#fold);
    this.#fold.addEventListener("toggle", () => this.#draw());
  }

  /** @override @param {Kept} kept */
  update({ of, title, note, message }) {
    // Another search has begun: left open, these would be taken for what it finds.
    if (of !== this.#of) this.#fold.open = false;
    this.#of = of;
    setText(this.#title, title);
    setText(this.#note, note);
    setText(this.#asked, message && `You had asked: “${message}”`);
    this.#draw();
  }

  /** A folded one costs nothing. */
  #draw() {
    if (!this.data || !this.#fold.open) return;
    const { partials, booked } = this.data;
    const found = byKind(partials);
    keepChildren(this.#lists, KINDS.filter((kind) => found[kind].length), {
      key: (kind) => kind,
      create: () => component("offer-list"),
      update: (list, kind) => Object.assign(list, { data: { kind, offers: found[kind], booked } }),
    });
  }
}

customElements.define("kept-results", KeptResults);
