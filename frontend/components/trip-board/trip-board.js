/**
 * The trip: a headline, a bar of its facts and agents, its results, and beside them its pictures.
 *
 * The results come first: on a wide screen the bar is one line that unfolds, and the pictures are open only where
 * they take no room from the results. What the user chooses there holds for the visit. Everything is drawn from the
 * state; what the user changes goes out as an ordinary message.
 */

import { adoptedBy } from "../../lib/agents.js";
import { askedCar, askedFlight, askedStay } from "../../lib/asked.js";
import { headlineOf, inventedIn, isAdjusting, isBare } from "../../lib/board.js";
import { bookedOffers } from "../../lib/bookings.js";
import { Component } from "../../lib/component.js";
import { copy } from "../../lib/copying.js";
import { component, element, icon, keepChildren, setText } from "../../lib/dom.js";
import { counted } from "../../lib/english.js";
import { fareQuery } from "../../lib/fares.js";
import { factsOf, limitsOf, unusedOf } from "../../lib/facts.js";
import { heldIn, missingIn } from "../../lib/held.js";
import { itineraryText } from "../../lib/itinerary.js";
import { askedIn, drawersOf, keptWords, requestsOf } from "../../lib/kept.js";
import { byKind } from "../../lib/offers.js";
import { others } from "../../lib/plain.js";
import { hasEnded, isActive } from "../../lib/tasks.js";

/**
 * @typedef {import("../../lib/reduce.js").State} State
 * @typedef {import("../../lib/types.js").Task} Task
 */

/** @type {Object<string, import("../../lib/offers.js").Kind>} */
const FINDS = { flight: "flight", hotel: "hotel", car: "car", planner: "plan" };
const EMPTY = [
  ["Say it in one sentence", "Flights, hotels, rental cars, or a tour of several cities. They appear here as they are found."],
  ["Change your mind while it searches", "What still fits stays, and every earlier search is kept to go back to."],
  ["Ask, compare, book", "“Which is the cheapest with a bag?” Nothing is held, booked or cancelled before you say yes."],
  ["Demo or real: each says so", "What is marked demo is invented, what is marked test is of a seller’s test mode: nothing is bought with either. All else is real."],
];
const DEMO = {
  all: "Offers are invented, and nothing is bought.",
  some: "Offers marked “demo” are invented, and nothing is bought with them.",
  none: "",
};
/** From this height of the window on, the pictures over the results leave room for five of them. */
const ROOM_ABOVE_PX = 840;

/** @extends {Component<State>} */
class TripBoard extends Component {
  #line = component("trip-line");
  #title = element("h2");
  #detail = element("span");
  #toKept = element("button", { type: "button", className: "plain to-kept" });
  #copy = element("button", { type: "button", className: "plain" }, "Copy itinerary");
  #print = element("button", { type: "button", className: "plain" }, "Print");
  #toPictures = element("button", { type: "button", className: "plain to-pictures" });
  #beyond = element("span", { className: "beyond-count", ariaHidden: "true" });
  #unfold = element("button", { type: "button", className: "unfold", ariaLabel: "All facts and agents" }, this.#beyond, icon("unfold"));
  #invented = element("span");
  #demo = element("p", { className: "demo" }, element("strong", {}, "Demo"), " ", this.#invented);
  #facts = component("facts-strip");
  #agents = element("ul", { className: "agents", ariaLabel: "Agents" });
  #map = component("route-map");
  #days = component("price-days");
  #pictures = element("div", { className: "pictures" }, this.#map, this.#days);
  #results = component("result-tabs");
  #plan = element("div", { className: "plan" }, this.#facts, this.#agents, this.#unfold);
  #kept = element("section", { className: "kept", ariaLabel: "Kept from earlier searches" });
  #body = element("div", { className: "body" }, this.#plan, this.#pictures, this.#results, this.#kept);
  /** Whether the pictures are open: as there is room, until the user has chosen. @type {"auto" | "open" | "closed"} */
  #opened = "auto";
  #bookingsOf = "";
  #requestsOf = "";
  /** @type {{of: string, search: Task | null}} */
  #pictured = { of: "", search: null };
  #keptOf = "";
  /** @type {State["bookings"]} */
  #bookings = null;
  /** @type {Set<string>} */
  #booked = new Set();

  /** @override */
  build() {
    this.#copy.addEventListener("click", () => this.#copyItinerary());
    this.#toKept.addEventListener("click", () => this.#goToKept());
    this.#print.addEventListener("click", () => window.print());
    // What is booked or cancelled here is asked about in the chat, which a phone does not show beside the results.
    for (const part of [this.#line, this.#results, this.#kept]) part.addEventListener("send", () => this.act("look", { view: "chat" }));
    this.#days.addEventListener("month", () => /** @type {any} */ (this.#facts).edit("leave"));
    this.#plan.toggleAttribute("data-folded", true);
    this.#unfold.ariaExpanded = "false";
    this.#unfold.addEventListener("click", () => this.#showAllOfPlan());
    this.#toPictures.addEventListener("click", () => this.#togglePictures());
    this.#results.addEventListener("tab", (event) => (this.dataset.looked = /** @type {CustomEvent<{name: string}>} */ (event).detail.name));
    const tools = element("div", { className: "tools" }, this.#toPictures, this.#copy, this.#print);
    const detail = element("p", { className: "detail" }, this.#detail, " ", this.#toKept);
    const can = EMPTY.flatMap(([title = "", words = ""]) => [element("dt", {}, title), element("dd", {}, words)]);
    const empty = element("dl", { className: "empty" }, ...can);
    this.append(this.#line, element("header", {}, this.#title, tools), element("div", { className: "notes" }, detail, this.#demo), empty, this.#body);
  }

  /** @override */
  listen() {
    const sizes = new ResizeObserver(() => this.#fit());
    for (const part of [this, this.#facts, this.#agents]) sizes.observe(part);
    const facts = new MutationObserver(() => this.#fit());
    facts.observe(this.#facts, { childList: true, subtree: true, characterData: true });
    this.leaving.addEventListener("abort", () => {
      sizes.disconnect();
      facts.disconnect();
    });
  }

  #showAllOfPlan() {
    const folds = this.#plan.toggleAttribute("data-folded");
    this.#unfold.ariaExpanded = String(!folds);
    this.#fit();
  }

  #togglePictures() {
    this.#opened = this.#pictures.checkVisibility() ? "closed" : "open";
    this.#placePictures();
    this.#fit();
  }

  /** Which pictures there are, for the styles: to ask for it with the selector "has" would cost 4 ms whenever any element is added. */
  #placePictures() {
    const { length: count } = [...this.#pictures.children].filter((picture) => !(/** @type {HTMLElement} */ (picture).hidden));
    this.#pictures.classList.toggle("both", count === 2);
    this.dataset.pictures = count ? this.#opened : "none";
  }

  /**
   * What of the facts has no room in the folded bar is out of sight and out of the order of the keys; the wrapped
   * lines themselves keep their place, so that nothing is measured twice.
   */
  #fit() {
    const tall = innerHeight >= ROOM_ABOVE_PX;
    this.toggleAttribute("data-tall", tall);
    const open = this.#pictures.checkVisibility();
    this.#toPictures.ariaExpanded = String(open);
    setText(this.#toPictures, open ? "Hide map and prices" : "Show map and prices");
    const facts = /** @type {HTMLElement[]} */ ([...this.#facts.querySelectorAll(".facts > li")]);
    const top = facts[0]?.offsetTop ?? 0;
    const beyond = facts.map((fact) => fact.offsetTop > top);
    for (const [at, fact] of facts.entries()) fact.classList.toggle("beyond", beyond[at]);
    const left = facts.filter((fact, at) => beyond[at] && !fact.matches(".more")).length;
    setText(this.#beyond, left ? `+${left}` : "");
    this.#unfold.title = left ? counted(left, "more fact") : "";
  }

  /** @override @param {State} state */
  update(state) {
    const { task } = state;
    const { search } = state.shown;
    const { title, detail } = headlineOf(state, search);
    for (const list of this.querySelectorAll("offer-list")) /** @type {any} */ (list).look();
    this.#line.data = state;
    setText(this.#title, title);
    const limits = search ? limitsOf(search.agents).join(", ") : "";
    setText(this.#detail, [detail, limits].filter(Boolean).join(" · "));
    const isEmpty = !task || isBare(task);
    this.toggleAttribute("data-empty", isEmpty);
    this.#body.hidden = isEmpty && !state.bookings?.length && !Object.keys(state.interrupted).length && !state.kept?.length;
    this.#copy.parentElement?.toggleAttribute("hidden", isEmpty);
    this.#showFacts(state, search);
    this.#showAgents(state);
    const pictured = this.#picturedIn(state);
    this.#map.data = { search: pictured, airports: state.airports, land: state.land };
    this.#days.data = { search: pictured, userId: state.userId, fares: state.fares };
    this.#placePictures();
    this.#plan.classList.toggle("bare", Boolean(this.#agents.hidden && this.#facts.hidden));
    const held = heldIn(state);
    this.#showKept(state, held.search); // before what goes there slides to it
    this.#showResults(state, held);
    this.#keepBookings(state);
    this.#keepRequests(state);
  }

  /**
   * The search that the pictures are of: until a new one has told what it looks for they stay as they are, with the focus
   * that may be in them.
   *
   * @param {State} state
   */
  #picturedIn({ userId, shown: { search } }) {
    const agents = Object.entries(search?.agents ?? {});
    // The agents of a task are told one after the other, and what each looks for after its name.
    const isWaited = agents.some(([name, { request }]) => name !== "planner" && FINDS[name] !== undefined && !request);
    const isUntold = search !== null && isActive(search) && (!agents.length || isWaited);
    if (!isUntold || this.#pictured.of !== userId) this.#pictured = { of: userId, search };
    return this.#pictured.search;
  }

  /** @param {State} state @param {Task | null} search */
  #showFacts(state, search) {
    const facts = search ? factsOf(search.agents) : [];
    const unused = search ? unusedOf(search.agents) : [];
    const unsent = state.outbox.filter((item) => item.state === "unsent").map((item) => item.text);
    const waiting = state.outbox.filter((item) => item.state === "waiting").map((item) => item.text);
    const settled = !isAdjusting(state) && unsent.length === state.outbox.length;
    this.#facts.hidden = facts.length === 0;
    const query = fareQuery(search);
    const month = query && { query, fares: state.fares };
    this.#facts.data = { facts, unused, taskId: search?.task_id ?? "", settled, unsent, waiting, month };
  }

  /** @param {State} state */
  #showAgents(state) {
    const { task } = state;
    const adjusting = isAdjusting(state);
    const adopted = task ? adoptedBy(task) : new Set();
    const { length: count } = Object.keys(task?.agents ?? {});
    this.#agents.hidden = count === 0;
    this.#agents.classList.toggle("many", count > 2);
    keepChildren(this.#agents, Object.entries(task?.agents ?? {}), {
      key: ([name]) => name,
      create: () => element("li", {}, component("agent-row")),
      update: (node, [name, agent]) =>
        Object.assign(/** @type {any} */ (node.firstElementChild), {
          data: {
            taskId: task?.task_id,
            name,
            agent,
            adjusting,
            stopping: state.stopping === task?.task_id || state.stoppingAgents.includes(name),
            adopted: adopted.has(name),
            stoppable: isActive(task),
          },
        }),
    });
  }

  /** @param {State} state @param {import("../../lib/held.js").Held} held */
  #showResults(state, { search, asked, fits, confirmed }) {
    const agents = Object.entries(search?.agents ?? {});
    const atWork = isActive(search) ? agents.filter(([, agent]) => !hasEnded(agent)) : [];
    this.#results.data = {
      of: search?.task_id ?? "",
      spoken: state.spoken,
      found: byKind(search?.partials ?? {}),
      others: others(search?.partials ?? {}),
      wanted: agents.flatMap(([name]) => FINDS[name] ?? []),
      requests: { flight: askedFlight(search?.agents ?? {}), hotel: askedStay(search?.agents ?? {}), car: askedCar(search?.agents ?? {}) },
      asking: state.task?.status === "input_required",
      searched: atWork.flatMap(([name]) => FINDS[name] ?? []),
      bookings: state.bookings ?? [],
      booked: this.#bookedIn(state),
      asked,
      fits,
      confirmed,
    };
  }

  /** @param {State} state @param {Task | null} search */
  #showKept(state, search) {
    const kept = drawersOf(state, search);
    const known = kept.map(({ partials }) => ({ partials: partials ?? {} }));
    const invented = inventedIn(search ? [search, ...known] : known, state.bookings ?? []);
    this.dataset.invented = invented;
    setText(this.#invented, DEMO[invented]);
    // A booking that searches the same once more leaves open what is read.
    const asked = search ? requestsOf(search) : {};
    const of = search && Object.keys(asked).length ? askedIn(asked) : this.#keptOf;
    const booked = this.#bookedIn(state);
    // They fold with the next search; who was reading them is shown what it finds.
    if (of !== this.#keptOf && this.#isReadingKept()) this.#results.scrollIntoView();
    this.#keptOf = of;
    this.#kept.hidden = kept.length === 0;
    this.#toKept.hidden = kept.length === 0;
    setText(this.#toKept, keptWords(kept));
    keepChildren(this.#kept, kept, {
      key: ({ key }) => key,
      create: () => component("kept-results"),
      update: (node, each) => Object.assign(node, { data: { ...each, of, booked } }),
    });
  }

  /** The same set as long as the bookings are the same: nothing is drawn anew for it. @param {State} state */
  #bookedIn({ bookings }) {
    if (bookings !== this.#bookings) this.#booked = bookedOffers(bookings ?? []);
    this.#bookings = bookings;
    return this.#booked;
  }

  /** Ask which requests have offers when the trip is opened, and whenever a task begins or ends. @param {State} state */
  #keepRequests(state) {
    const { userId, synced, task } = state;
    const agents = Object.keys(task?.agents ?? {});
    const isTravel = agents.some((agent) => agent === "booking" || FINDS[agent] !== undefined);
    if (!synced || !task || !isTravel) return;
    const missing = missingIn(state);
    if (missing) this.act("askKeptOffers", { taskId: missing });
    const of = [userId, task.task_id, isActive(task)].join();
    if (of === this.#requestsOf) return;
    this.#requestsOf = of;
    this.act("askKept", {});
  }

  #isReadingKept() {
    const open = this.#kept.querySelector("details[open]");
    if (!open) return false;
    const end = this.parentElement?.getBoundingClientRect().bottom ?? 0;
    return open.getBoundingClientRect().top < end;
  }

  #goToKept() {
    const fold = this.#kept.querySelector("details");
    if (!fold) return;
    fold.open = true;
    fold.querySelector("summary")?.focus();
  }

  /** Ask what is booked when the trip is opened, and whenever a write has come to its end. @param {State} state */
  #keepBookings({ userId, synced, task, tasks }) {
    if (!synced || !task) return;
    const calls = Object.values(tasks).flatMap((task) => Object.values(task.calls));
    const written = calls.filter((call) => call.effect === "write" && call.state !== "running" && call.state !== "pending");
    const of = [userId, ...written.map((call) => `${call.call_id} ${call.state}`)].join();
    if (of === this.#bookingsOf) return;
    this.#bookingsOf = of;
    this.act("askBookings", {});
  }

  #copyItinerary() {
    if (this.data) copy(this.#copy, itineraryText(this.data, this.data.shown.search, this.#title.textContent ?? ""));
  }
}

customElements.define("trip-board", TripBoard);
