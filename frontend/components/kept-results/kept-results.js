/** A drawer: what was found for a request before, by its name, with the age of its prices; folded until it is opened. */

import { serverNow } from "../../lib/expiry.js";
import { Component } from "../../lib/component.js";
import { component, element, keepChildren, setText } from "../../lib/dom.js";
import { ageOf } from "../../lib/kept.js";
import { byKind } from "../../lib/offers.js";

/** @typedef {import("../../lib/kept.js").Drawer & {of: string, booked: Set<string>}} Shown `of` is the search whose results are shown */

const KINDS = /** @type {const} */ (["plan", "flight", "hotel", "car"]);
const MINUTE_MS = 60_000;

/** @extends {Component<Shown>} */
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

  /** @override */
  listen() {
    const timer = setInterval(() => this.#age(), MINUTE_MS);
    this.leaving.addEventListener("abort", () => clearInterval(timer), { once: true });
  }

  /** @override @param {Shown} kept */
  update({ of, title, message }) {
    // Another search has begun: left open, these would be taken for what it finds.
    if (of !== this.#of) this.#fold.open = false;
    this.#of = of;
    setText(this.#title, title);
    this.#age();
    setText(this.#asked, message && `You asked: “${message}”. Prices are from then; Book checks today's.`);
    this.#draw();
  }

  /** How old the prices are, beside the name and at each of them. */
  #age() {
    if (!this.data) return;
    const { note, foundAt } = this.data;
    const age = ageOf(foundAt, serverNow());
    const prices = age && (age === "just now" ? "prices from just now" : `prices ${age} old`);
    setText(this.#note, [note, prices].filter(Boolean).join(" · "));
    this.style.setProperty("--age", JSON.stringify(age && age !== "just now" ? `${age} ago` : age));
  }

  /** A folded one costs nothing. */
  #draw() {
    if (!this.data || !this.#fold.open) return;
    const { key, partials, booked } = this.data;
    this.#lists.ariaBusy = String(!partials);
    if (!partials) {
      // Those of an open one stay where this window has just forgotten them: it remembers the last search but one.
      this.act("askKeptOffers", { taskId: key });
      return;
    }
    const found = byKind(partials);
    keepChildren(this.#lists, KINDS.filter((kind) => found[kind].length), {
      key: (kind) => kind,
      create: () => component("offer-list"),
      update: (list, kind) => Object.assign(list, { data: { kind, offers: found[kind], booked } }),
    });
  }
}

customElements.define("kept-results", KeptResults);
