/**
 * What the flight costs if one leaves some days earlier or later: a bar a day, the cheapest named in words.
 *
 * Each day is a button that sends a message as a person would write it. The place of the chart is kept while its
 * prices are on their way; where none are known there is none.
 */

import { fareKey } from "../../lib/api.js";
import { Component } from "../../lib/component.js";
import { element, keepChildren, setText } from "../../lib/dom.js";
import { barsOf, baseOf, expectedDays, fareQuery, summaryOf, tellsAround } from "../../lib/fares.js";
import { rounded } from "../../lib/money.js";
import { leaveOn } from "../../lib/phrases.js";
import { shortDay } from "../../lib/times.js";

/**
 * @typedef {import("../../lib/fares.js").DayBar} DayBar
 * @typedef {import("../../lib/fares.js").DayFare} DayFare
 * @typedef {import("../../lib/reduce.js").State} State
 * @typedef {Pick<State, "userId" | "fares"> & {search: import("../../lib/types.js").Task | null}} DaysShown `search`:
 *   the task whose results are shown
 */

/** How long a request must stay as it is before its prices are asked for, in milliseconds. */
const SETTLED_MS = 300;

/** @extends {Component<DaysShown>} */
class PriceDays extends Component {
  #summary = element("p", { className: "summary" });
  #month = element("button", { type: "button", className: "plain month" }, "Whole month");
  #days = element("ol", { ariaLabel: "Cheapest total by day of departure" });
  #userId = "";
  /** @type {import("../../lib/fares.js").Week | null} */
  #week = null;
  /** The days that were last brought into sight. @type {import("../../lib/fares.js").Week | null} */
  #centred = null;
  #asking = 0;
  #wanted = "";

  /** @override */
  build() {
    this.hidden = true;
    this.#month.addEventListener("click", () => this.dispatchEvent(new CustomEvent("month", { bubbles: true })));
    this.append(this.#summary, this.#days, this.#month);
  }

  /** @override */
  listen() {
    this.leaving.addEventListener("abort", () => clearTimeout(this.#asking));
  }

  /** @override @param {DaysShown} shown */
  update({ userId, search, fares }) {
    if (userId !== this.#userId) {
      this.#userId = userId;
      this.#week = null;
      this.#wanted = "";
    }
    const query = fareQuery(search);
    if (!query) this.#week = null;
    else if (!tellsAround(this.#week, query)) this.#look(query, knownOf(fares[fareKey(query)]));
    const days = this.#week?.days ?? [];
    this.hidden = days.every(({ price_total: price }) => price === null);
    if (query && !this.hidden) this.#draw(barsOf(days, String(query.departure_date)));
  }

  /**
   * Take up the days around that of a query; ask for them where they are not known.
   *
   * @param {Object<string, string | number>} query
   * @param {readonly DayFare[] | undefined} known
   */
  #look(query, known) {
    const [key, base] = [fareKey(query), baseOf(query)];
    if (key !== this.#wanted) {
      this.#wanted = key;
      clearTimeout(this.#asking);
      if (!known) this.#asking = window.setTimeout(() => this.act("askFares", { query }), SETTLED_MS);
    }
    this.ariaBusy = String(!known);
    if (known) this.#week = { base, days: known, isKnown: true };
    else if (this.#week?.base !== base) this.#week = { base, days: expectedDays(query), isKnown: false };
  }

  /** @param {readonly DayBar[]} bars */
  #draw(bars) {
    setText(this.#summary, summaryOf(bars) || "Loading prices by day…");
    keepChildren(this.#days, bars, {
      key: ({ date }) => date,
      create: (bar) => element("li", {}, this.#button(bar)),
      update: (item, bar) => drawBar(/** @type {HTMLButtonElement} */ (item.firstElementChild), bar),
    });
    if (this.#week === this.#centred) return;
    this.#centred = this.#week;
    requestAnimationFrame(() => {
      // It measures, once all is drawn: here the page would be laid out for it alone.
      this.#days.scrollLeft = (this.#days.scrollWidth - this.#days.clientWidth) / 2;
    });
  }

  /** @param {DayBar} bar */
  #button({ date }) {
    const parts = ["price", "bar", "day"].map((className) => element("span", { className, ariaHidden: "true" }));
    const button = element("button", { type: "button" }, ...parts, element("span", { className: "unseen" }));
    button.addEventListener("click", () => {
      if (button.ariaDisabled !== "true") this.act("send", { text: leaveOn(date) });
    });
    return button;
  }
}

/** Of days that could not be had nothing is known, and nobody is told: it is a picture beside the results. @param {readonly DayFare[] | null | undefined} days */
function knownOf(days) {
  return days === null ? [] : days;
}

/** @param {HTMLButtonElement} button @param {DayBar} bar */
function drawBar(button, { date, price, share, isChosen, isCheapest, words }) {
  const [figure, bar, day, spoken] = /** @type {HTMLElement[]} */ ([...button.children]);
  if (!figure || !bar || !day || !spoken) return;
  const [weekday, number] = shortDay(date).split(" ");
  setText(figure, price ? rounded(price) : price === null ? "–" : "");
  setText(day, `${weekday} ${number}`);
  setText(spoken, words);
  bar.style.setProperty("--share", String(share));
  button.ariaDisabled = String(isChosen || !price); // it keeps the focus where its day becomes the chosen one
  button.classList.toggle("cheapest", isCheapest);
  button.classList.toggle("chosen", isChosen);
  if (isChosen) button.setAttribute("aria-current", "date");
  else button.removeAttribute("aria-current");
}

customElements.define("price-days", PriceDays);
