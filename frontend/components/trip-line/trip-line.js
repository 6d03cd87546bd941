/** The requests of a trip as a line with branches: a click goes back to one, or holds two side by side. */

import { Component } from "../../lib/component.js";
import { element, keepChildren, setText } from "../../lib/dom.js";
import { dearer, differences, lineOf } from "../../lib/trip-line.js";

/**
 * @typedef {import("../../lib/trip-line.js").Stop} Stop
 * @typedef {import("../../lib/reduce.js").State} State
 */

/** @extends {Component<State>} */
class TripLine extends Component {
  #stops = element("ol", { ariaLabel: "Requests of this trip" });
  #compare = element("button", { type: "button", className: "plain compare", ariaPressed: "false" }, "Compare");
  #panel = element("div", { className: "panel", role: "region", ariaLabel: "Two requests side by side", hidden: true });
  #comparing = false;
  /** The stop that is held beside that of now. */
  #held = "";
  /** @type {Stop[]} */
  #line = [];
  #end = "";

  /** @override */
  build() {
    this.hidden = true;
    this.#stops.addEventListener("scroll", () => this.#tellMore(), { passive: true });
    this.#compare.addEventListener("click", () => this.#toggle(!this.#comparing));
    this.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.#comparing) return;
      event.stopPropagation(); // Esc elsewhere stops the task
      this.#toggle(false);
      this.#compare.focus();
    });
    this.append(element("div", { className: "track" }, this.#stops, this.#compare), this.#panel);
  }

  /** @override */
  listen() {
    // On a phone it has no width until its view is looked at.
    const resized = new ResizeObserver(() => this.#toEnd());
    resized.observe(this.#stops);
    this.leaving.addEventListener("abort", () => resized.disconnect(), { once: true });
  }

  /** @override @param {State} state */
  update(state) {
    this.#line = lineOf(state);
    this.hidden = this.#line.length === 0;
    this.#draw();
    const end = this.#line.at(-1)?.key ?? "";
    if (end !== this.#end) requestAnimationFrame(() => this.#toEnd()); // it measures: once all is drawn
    this.#end = end;
  }

  #toEnd() {
    this.#stops.scrollLeft = this.#stops.scrollWidth;
    this.#tellMore();
  }

  /** On which sides there is more of the line. */
  #tellMore() {
    const { scrollLeft, scrollWidth, clientWidth } = this.#stops;
    const [before, after] = [scrollLeft > 1, scrollLeft + clientWidth < scrollWidth - 1];
    this.#stops.dataset.more = before && after ? "both" : before ? "before" : after ? "after" : "";
  }

  #draw() {
    keepChildren(this.#stops, this.#line, {
      key: ({ key }) => key,
      create: ({ key }) => {
        const button = element("button", { type: "button" }, element("span", { className: "label", dir: "auto" }));
        button.addEventListener("click", () => this.#choose(key));
        return element("li", {}, button);
      },
      update: (item, stop) => this.#drawStop(item, stop),
    });
    this.#drawPanel();
  }

  /** @param {HTMLElement} item @param {Stop} stop */
  #drawStop(item, { key, title, label, found, aside, now }) {
    const button = /** @type {HTMLButtonElement} */ (item.firstElementChild);
    item.classList.toggle("aside", aside);
    item.classList.toggle("now", now);
    const told = [title, found].filter(Boolean).join(": ");
    button.title = told;
    button.ariaLabel = now ? `${told}, shown now` : this.#comparing ? `Compare with ${told}` : `Go back to ${told}`;
    button.ariaCurrent = now ? "step" : null;
    button.ariaPressed = this.#comparing && !now ? String(key === this.#held) : null;
    setText(/** @type {Element} */ (button.firstElementChild), label);
  }

  #drawPanel() {
    const now = this.#line.find((stop) => stop.now);
    const held = this.#line.find(({ key }) => key === this.#held);
    this.#panel.hidden = !this.#comparing;
    if (!this.#comparing) return;
    if (!now || !held || held === now) {
      this.#panel.replaceChildren(element("p", { className: "quiet" }, "Choose a request to compare with the one shown."));
      return;
    }
    const back = element("button", { type: "button", ariaLabel: `Go back to ${held.title}` }, "Go back to it");
    back.addEventListener("click", () => this.#goTo(held));
    const head = [element("th", {}), ...[held, now].map(({ title }) => element("th", { scope: "col", dir: "auto" }, title))];
    const rows = differences(held, now).map(({ name, one, other }) =>
      element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, one), element("td", {}, other)),
    );
    const table = element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
    const price = dearer(now, held);
    const told = element("p", {}, rows.length ? (price ? `Shown now: ${price}.` : "") : "Both requests are the same.", " ", back);
    this.#panel.replaceChildren(table, told);
  }

  /** @param {string} key */
  #choose(key) {
    const stop = this.#line.find((each) => each.key === key);
    if (!stop || stop.now) return;
    if (!this.#comparing) {
      this.#goTo(stop);
      return;
    }
    this.#held = key;
    this.#draw();
  }

  /** @param {Stop} stop */
  #goTo({ message }) {
    this.#toggle(false);
    this.act("send", { text: message });
  }

  /** @param {boolean} comparing */
  #toggle(comparing) {
    this.#comparing = comparing;
    const others = this.#line.filter((stop) => !stop.now);
    this.#held = comparing && others.length === 1 ? (others[0]?.key ?? "") : "";
    this.#compare.ariaPressed = String(comparing);
    this.#draw();
  }
}

customElements.define("trip-line", TripLine);
