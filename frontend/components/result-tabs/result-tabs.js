/**
 * The results by kind, a tab each, with their numbers. A kind without results has a tab where it was searched for.
 *
 * Which of them is looked at is told by the event "tab", with its name.
 *
 * On a phone the tabs are those of the whole page: what is looked at there (`look`) is shown here.
 */

import { Component } from "../../lib/component.js";
import { component, element, keepChildren, setText } from "../../lib/dom.js";

/**
 * @typedef {import("../../lib/offers.js").Kind} Kind
 * @typedef {import("../../lib/bookings.js").Booking} Booking
 * @typedef {{key: string, item: unknown}} Other
 * @typedef {object} ResultsShown
 * @property {string} of the task that found them
 * @property {import("../../lib/offers.js").Found} found
 * @property {Other[]} others what is of no kind that this page knows
 * @property {import("../../lib/spoken.js").Spoken} spoken what the last reply spoke of
 * @property {Kind[]} wanted the kinds that were searched for at all
 * @property {Kind[]} searched the kinds that are searched for now
 * @property {Partial<Record<Kind, Object<string, any> | null>>} requests what was asked for, by kind
 * @property {boolean} asking whether the search waits for an answer
 * @property {Booking[]} bookings
 * @property {Set<string>} booked the ids of the offers that are booked
 * @property {Set<string>} asked the ids of the offers of an earlier search that are asked for again
 * @property {Set<string>} fits of those that are held since they still fit
 * @property {Set<string>} confirmed of those that the new search has found, too
 *
 * @typedef {{name: string, title: string, count: number, coming: boolean, empty: string, items: unknown[]}} Tab
 */

const TITLES = { flight: "Flights", hotel: "Hotels", car: "Cars", plan: "Plans" };
/** @type {Object<string, string>} */
const TAB_OF = { flights: "flight", hotels: "hotel", cars: "car", plans: "plan", results: "other", bookings: "booking" };
/** How many offers it looks like where none has come yet. */
const SKELETONS = 4;
const STEPS = /** @type {Object<string, number>} */ ({ ArrowRight: 1, ArrowLeft: -1 });

/** @extends {Component<ResultsShown>} */
class ResultTabs extends Component {
  #tabs = element("div", { className: "tabs", role: "tablist", ariaLabel: "Results" });
  #panels = element("div", { className: "panels" });
  /** @type {string | null} */
  #chosen = null;
  /** The tab whose results were looked at last, without having been chosen. @type {string | null} */
  #looked = null;

  /** @override */
  build() {
    this.#tabs.addEventListener("keydown", (event) => this.#moveBy(event));
    this.append(this.#tabs, this.#panels);
  }

  /** @override */
  listen() {
    const follow = (/** @type {Event} */ event) => {
      const { view } = /** @type {CustomEvent<{view: string}>} */ (event).detail;
      if (view in TAB_OF) this.#choose(TAB_OF[view] ?? "");
    };
    document.addEventListener("look", follow, { signal: this.leaving });
  }

  /** @override @param {ResultsShown} shown */
  update(shown) {
    const tabs = tabsOf(shown);
    const { name: selected, count: found } = this.#selectedOf(tabs) ?? { name: "", count: 0 };
    if (found || !tabs.length) this.#looked = selected;
    this.dispatchEvent(new CustomEvent("tab", { detail: { name: selected } }));
    this.hidden = tabs.length === 0;
    keepChildren(this.#tabs, tabs, {
      key: ({ name }) => name,
      create: (tab) => this.#tabButton(tab),
      update: (node, tab) => {
        setText(/** @type {Element} */ (node.lastElementChild), String(tab.count));
        node.ariaSelected = String(tab.name === selected);
        node.tabIndex = tab.name === selected ? 0 : -1;
      },
    });
    keepChildren(this.#panels, tabs, {
      key: ({ name }) => name,
      create: panelOf,
      update: (node, tab) => {
        node.hidden = tab.name !== selected;
        node.toggleAttribute("data-empty", !tab.count && !tab.coming);
        showPanel(node, tab, shown);
      },
    });
    for (const panel of this.#panels.children) {
      const { offers, orders } = shown.spoken;
      const kind = /** @type {HTMLElement} */ (panel).dataset.key ?? "";
      /** @type {any} */ (panel.querySelector("offer-list"))?.speakOf({ ids: offers[kind], order: orders[kind] });
    }
  }

  /** What is added to a search opens no other list than the one that is read. @param {Tab[]} tabs */
  #selectedOf(tabs) {
    const hasAny = tabs.some(({ count }) => count);
    return (
      tabs.find(({ name }) => name === this.#chosen) ??
      tabs.find(({ name, count, coming }) => name === this.#looked && (count || coming || !hasAny)) ??
      tabs.find(({ count, coming }) => count || coming) ??
      tabs[0]
    );
  }

  /** @param {Tab} tab */
  #tabButton({ name, title }) {
    const button = element(
      "button",
      { type: "button", role: "tab", id: `tab-${name}` },
      element("span", {}, title),
      " ",
      element("span", { className: "count" }),
    );
    button.setAttribute("aria-controls", `panel-${name}`);
    button.addEventListener("click", () => this.#choose(name));
    return button;
  }

  /** @param {string} name */
  #choose(name) {
    this.#chosen = name;
    if (this.data) this.update(this.data);
  }

  /** @param {KeyboardEvent} event */
  #moveBy(event) {
    const tabs = /** @type {HTMLElement[]} */ ([...this.#tabs.children]);
    const at = tabs.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const step = STEPS[event.key];
    const to = event.key === "Home" ? 0 : event.key === "End" ? tabs.length - 1 : step === undefined ? -1 : at + step;
    const tab = tabs.at(to % tabs.length);
    if (at < 0 || !tab || (step === undefined && to < 0)) return;
    event.preventDefault();
    this.#choose(tab.dataset.key ?? "");
    tab.focus();
  }
}

/** @param {ResultsShown} shown @returns {Tab[]} */
function tabsOf({ found, others, wanted, searched, asking, bookings }) {
  const kinds = /** @type {Kind[]} */ (Object.keys(TITLES)).filter((kind) => found[kind].length || wanted.includes(kind));
  const tabs = kinds.map((kind) => {
    const title = TITLES[kind];
    const coming = searched.includes(kind);
    const looking = asking ? `${title} appear here once you have answered.` : `Looking for ${title.toLowerCase()}…`;
    const empty = coming ? looking : `No ${title.toLowerCase()} found.`;
    return { name: kind, title, count: found[kind].length, coming, empty, items: found[kind] };
  });
  const more = [
    { name: "other", title: "Results", count: others.length, coming: false, empty: "", items: others },
    { name: "booking", title: "Bookings", count: bookings.length, coming: false, empty: "", items: bookings },
  ];
  return [...tabs, ...more.filter(({ count }) => count)];
}

/** @param {Tab} tab */
function panelOf({ name }) {
  const panel = element("div", { role: "tabpanel", id: `panel-${name}` });
  panel.setAttribute("aria-labelledby", `tab-${name}`);
  panel.append(
    element("p", { className: "empty quiet" }),
    element("div", { className: "skeleton", ariaHidden: "true" }, ...Array.from({ length: SKELETONS }, () => element("span"))),
    name in TITLES ? component("offer-list") : element("ul", { className: "offers" }),
  );
  return panel;
}

/** @param {HTMLElement} panel @param {Tab} tab @param {ResultsShown} shown */
function showPanel(panel, { name, items, empty, coming }, { of, booked, asked, fits, confirmed, requests, asking }) {
  const [note, skeleton, list] = /** @type {any[]} */ ([...panel.children]);
  note.hidden = items.length > 0;
  skeleton.hidden = items.length > 0 || !coming || asking;
  list.hidden = items.length === 0;
  setText(note, empty);
  if (name in TITLES) list.data = { kind: name, offers: items, booked, asked, fits, confirmed, request: requests[/** @type {Kind} */ (name)] };
  else if (name === "booking") showBookings(list, /** @type {Booking[]} */ (items));
  else showOthers(list, /** @type {Other[]} */ (items), of);
}

/** @param {HTMLElement} list @param {Booking[]} bookings */
function showBookings(list, bookings) {
  keepChildren(list, bookings, {
    key: (booking) => booking.reference,
    create: (booking) => element("li", {}, component("booking-card", booking)),
    update: (node, booking) => Object.assign(/** @type {any} */ (node.firstElementChild), { data: booking }),
  });
}

/** @param {HTMLElement} list @param {Other[]} items @param {string} of */
function showOthers(list, items, of) {
  keepChildren(list, items, {
    key: ({ key }) => `${of} ${key}`,
    create: ({ item }) => element("li", {}, component("plain-card", item)),
  });
}

customElements.define("result-tabs", ResultTabs);
