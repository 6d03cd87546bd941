/** The trips of this browser, in a menu under the name of the open one: another one, a new one, rename, delete. */

import { Component } from "../../lib/component.js";
import { component, element, keepChildren, setText, svg } from "../../lib/dom.js";
import { capitalised } from "../../lib/english.js";
import { FACE } from "../../lib/face.js";
import { goToMessageBox } from "../../lib/focus.js";
import { newTripId } from "../../lib/trips.js";
import "../session-tools/session-tools.js";
import "./delete-dialog.js";
import "./trip-row.js";

/**
 * @typedef {import("../../lib/reduce.js").State} State
 * @typedef {import("../../lib/trips.js").Trip} Trip
 */

/** From how many on they can be searched. */
const SEARCHED_FROM = 4;
const UNNAMED = `New ${FACE.thing}`;

/** @extends {Component<State>} */
class TripMenu extends Component {
  #name = element("span", { className: "name", dir: "auto" });
  #opener = element("button", { type: "button", className: "opener" });
  #list = element("div", { role: "list" });
  #search = element("input", { type: "search", ariaLabel: `Search ${FACE.thing}s`, placeholder: `Search ${FACE.thing}s`, autocomplete: "off" });
  #menu = element("div", { id: "trips", popover: "auto", role: "group", ariaLabel: `${capitalised(FACE.thing)}s` });
  #dialog = component("delete-dialog");
  #travellers = component("travellers-tools");

  /** @override */
  build() {
    const arrow = svg("svg", { viewBox: "0 0 12 12", "aria-hidden": "true" });
    arrow.append(svg("path", { d: "M2 4l4 4 4-4" }));
    this.#opener.append(element("span", { className: "unseen" }, `${capitalised(FACE.thing)}: `), this.#name, arrow);
    this.#opener.setAttribute("popovertarget", this.#menu.id);
    const another = element("button", { type: "button", className: "plain new", textContent: UNNAMED });
    another.addEventListener("click", () => this.#travel(newTripId()));
    this.#search.addEventListener("input", () => this.data && this.update(this.data));
    this.#menu.addEventListener("toggle", (event) => {
      if (/** @type {ToggleEvent} */ (event).newState !== "open") return;
      this.#search.value = "";
      if (!this.data) return;
      this.update(this.data);
      this.#travellers.data = { userId: this.data.userId, isNew: this.data.seq === 0 };
    });
    this.#menu.append(this.#search, this.#list, another);
    if (!FACE.isGraph) this.#menu.append(this.#travellers);
    if (FACE.signIn && FACE.signIn !== "proxy") this.#menu.append(component("session-tools", true));
    this.#menu.addEventListener("choose", (event) => this.#travel(/** @type {CustomEvent} */ (event).detail));
    this.#menu.addEventListener("discard", (event) => this.#ask(/** @type {CustomEvent} */ (event).detail));
    this.append(this.#opener, this.#menu, this.#dialog);
  }

  /** @override @param {State} state */
  update({ trips, userId }) {
    setText(this.#name, titleOf(trips.find((trip) => trip.userId === userId)));
    const sought = this.#search.value.trim().toLowerCase();
    this.#search.hidden = trips.length < SEARCHED_FROM;
    keepChildren(this.#list, trips.filter((trip) => titleOf(trip).toLowerCase().includes(sought)), {
      key: (trip) => trip.userId,
      create: () => component("trip-row"),
      update: (row, trip) => Object.assign(row, { data: { trip, title: titleOf(trip), open: trip.userId === userId } }),
    });
  }

  /** @param {string} userId */
  #travel(userId) {
    this.#menu.hidePopover();
    this.act("travel", { userId });
    goToMessageBox();
  }

  /** @param {Trip} trip */
  #ask(trip) {
    this.#menu.hidePopover();
    this.#dialog.data = { trip, title: titleOf(trip) };
  }
}

/** @param {Trip | undefined} trip */
function titleOf(trip) {
  return trip?.name || UNNAMED;
}

customElements.define("trip-menu", TripMenu);
