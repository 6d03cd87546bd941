/**
 * What the flight costs on each day of a month: a grid of buttons beside the field of a day.
 *
 * Prices come in three parts, one after the other, while the grid keeps its place. Who chooses a day says so in an
 * ordinary message; arrows move by days and weeks, Page Up and Page Down by months.
 */

import { fareKey } from "../../lib/api.js";
import { serverNow } from "../../lib/expiry.js";
import { Component } from "../../lib/component.js";
import { element, keepChildren, setText } from "../../lib/dom.js";
import { monthDays, monthName, monthOf, monthQueries } from "../../lib/fares.js";
import { rounded } from "../../lib/money.js";
import { shortDay } from "../../lib/times.js";

/**
 * @typedef {import("../../lib/fares.js").MonthDay} MonthDay
 * @typedef {{query: Object<string, string | number>, fares: import("../../lib/reduce.js").State["fares"]}} MonthShown
 */

/** How long a month must be looked at before its prices are asked for, in milliseconds. */
const SETTLED_MS = 250;
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
/** How many days a key moves. @type {Object<string, number>} */
const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
/** How many months a key moves. @type {Object<string, number>} */
const LEAPS = { PageUp: -1, PageDown: 1 };

/** @extends {Component<MonthShown>} */
class PriceMonth extends Component {
  #title = element("h3", { ariaLive: "polite" });
  #earlier = element("button", { type: "button", className: "plain" }, "‹");
  #later = element("button", { type: "button", className: "plain" }, "›");
  #days = element("ol");
  #note = element("p", { className: "hint", role: "status" });
  #again = element("button", { type: "button", className: "plain" }, "Try again");
  #month = "";
  #asking = 0;
  /** What is asked for next. */
  #wanted = "";
  /** The day that Tab leads to. */
  #current = "";

  /** @override */
  build() {
    this.#earlier.addEventListener("click", () => this.#leap(-1));
    this.#later.addEventListener("click", () => this.#leap(1));
    this.#again.addEventListener("click", () => this.#askFailed());
    this.#days.addEventListener("keydown", (event) => this.#press(event));
    const week = element("p", { className: "week", ariaHidden: "true" }, ...WEEKDAYS.map((name) => element("span", {}, name)));
    this.append(
      element("div", { className: "head" }, this.#earlier, this.#title, this.#later),
      week,
      this.#days,
      element("div", { className: "notes" }, this.#note, this.#again),
    );
  }

  /** @override */
  listen() {
    this.leaving.addEventListener("abort", () => clearTimeout(this.#asking));
  }

  /** @override @param {MonthShown} shown */
  update({ query, fares }) {
    const chosen = String(query.departure_date);
    const today = new Date(serverNow()).toISOString().slice(0, 10);
    if (!this.#month) [this.#month, this.#current] = [monthOf(chosen), chosen];
    const month = this.#month;
    const parts = monthQueries(query, month, today).map((part) => ({ part, known: fares[fareKey(part)] }));
    const next = parts.find(({ known }) => known === undefined);
    // The first part waits, for months may be leafed through; each other one follows the answer before it.
    this.#askFor(next?.part, next === parts[0] ? SETTLED_MS : 0);
    const days = monthDays(month, parts.flatMap(({ known }) => known ?? []), { chosen, today });
    const [least] = days.filter(({ isCheapest }) => isCheapest);
    const failed = parts.some(({ known }) => known === null);
    this.ariaBusy = String(Boolean(next));
    setText(this.#title, monthName(month));
    this.#earlier.ariaLabel = `Earlier: ${monthName(monthOf(month, -1))}`;
    this.#later.ariaLabel = `Later: ${monthName(monthOf(month, 1))}`;
    this.#earlier.disabled = month <= monthOf(today);
    const found = least?.price ? `Cheapest on ${shortDay(least.date)}, ${rounded(least.price)}.` : "No prices known for this month.";
    setText(this.#note, next ? "Looking for prices…" : failed ? "Some prices could not be loaded." : found);
    this.#again.hidden = Boolean(next) || !failed;
    this.#draw(days);
  }

  /** @param {Object<string, string | number> | undefined} part @param {number} wait in milliseconds */
  #askFor(part, wait) {
    const wanted = part ? fareKey(part) : "";
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    clearTimeout(this.#asking);
    if (part) this.#asking = window.setTimeout(() => this.act("askFares", { query: part }), wait);
  }

  /** @param {MonthDay[]} days */
  #draw(days) {
    const current = days.find(({ date }) => date === this.#current) ?? days.find(({ isOpen }) => isOpen) ?? days[0];
    this.#days.ariaLabel = `Cheapest total by day of departure, ${monthName(this.#month)}`;
    keepChildren(this.#days, days, {
      key: ({ date }) => date,
      create: ({ date }) => this.#item(date),
      update: (item, day) => drawDay(item, day, day === current),
    });
  }

  /** @param {string} date */
  #item(date) {
    const parts = ["number", "day", "price"].map((className) => element("span", { className, ariaHidden: "true" }));
    const button = element("button", { type: "button" }, ...parts, element("span", { className: "unseen" }));
    button.addEventListener("focus", () => (this.#current = date));
    button.addEventListener("click", () => {
      if (button.ariaDisabled !== "true") this.dispatchEvent(new CustomEvent("choose", { detail: { date } }));
    });
    return element("li", {}, button);
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const { key } = event;
    const buttons = [...this.#days.querySelectorAll("button")];
    const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    const [step, leap] = [STEPS[key], LEAPS[key]];
    if (at < 0 || (step === undefined && leap === undefined)) return;
    event.preventDefault();
    if (leap !== undefined && !(leap < 0 && this.#earlier.disabled)) {
      this.#leap(leap);
      this.#days.querySelectorAll("button")[Math.min(at, this.#days.children.length - 1)]?.focus();
    }
    if (step !== undefined) buttons[at + step]?.focus();
    if (this.data) this.update(this.data);
  }

  /** @param {number} months */
  #leap(months) {
    this.#month = monthOf(this.#month, months);
    if (this.data) this.update(this.data);
  }

  #askFailed() {
    const { query, fares } = this.data ?? { query: {}, fares: {} };
    const today = new Date(serverNow()).toISOString().slice(0, 10);
    for (const part of monthQueries(query, this.#month, today)) {
      if (fares[fareKey(part)] === null) this.act("askFares", { query: part });
    }
  }
}

/** @param {HTMLElement} item @param {MonthDay} day @param {boolean} isCurrent */
function drawDay(item, { date, column, price, level, isChosen, isCheapest, isOpen, words }, isCurrent) {
  const button = /** @type {HTMLButtonElement} */ (item.firstElementChild);
  const [number, day, figure, spoken] = /** @type {HTMLElement[]} */ ([...button.children]);
  if (!number || !day || !figure || !spoken) return;
  item.style.setProperty("--column", String(column));
  setText(number, String(Number(date.slice(8))));
  setText(day, shortDay(date));
  setText(figure, price ? rounded(price) : price === null ? "–" : "");
  setText(spoken, words);
  item.className = level;
  button.classList.toggle("cheapest", isCheapest);
  button.ariaDisabled = String(!isOpen);
  button.tabIndex = isCurrent ? 0 : -1;
  if (isChosen) button.setAttribute("aria-current", "date");
  else button.removeAttribute("aria-current");
}

customElements.define("price-month", PriceMonth);
