/**
 * The trip as it stands: what is done for it in words, its facts, its agents, its pictures and its results.
 *
 * Everything here is drawn from the state; what the user changes goes out as an ordinary message.
 */

import { adoptedBy } from "../../lib/agents.js";
import { countsOfAll, headlineOf, inventedIn, isAdjusting, isBare, keptBefore } from "../../lib/board.js";
import { bookedOffers } from "../../lib/bookings.js";
import { Component } from "../../lib/component.js";
import { component, element, keepChildren, setText } from "../../lib/dom.js";
import { factsOf } from "../../lib/facts.js";
import { heldIn } from "../../lib/held.js";
import { itineraryText } from "../../lib/itinerary.js";
import { byKind } from "../../lib/offers.js";
import { others } from "../../lib/plain.js";
import { hasEnded, isActive } from "../../lib/tasks.js";

/**
 * @typedef {import("../../lib/reduce.js").State} State
 * @typedef {import("../../lib/types.js").Task} Task
 */

/** @type {Object<string, import("../../lib/offers.js").Kind>} */
const FINDS = { flight: "flight", hotel: "hotel", planner: "plan" };
const EMPTY =
  "Flights, hotels and the way there appear here while they are found. Change your mind at any moment: what was" +
  " found until then is kept.";
const DEMO = "Flights, hotels and prices are invented, and nothing is bought.";
const COPIED_MS = 2000;

/** @extends {Component<State>} */
class TripBoard extends Component {
  #title = element("h2");
  #detail = element("span");
  #toKept = element("button", { type: "button", className: "plain" });
  #copy = element("button", { type: "button", className: "plain" }, "Copy itinerary");
  #print = element("button", { type: "button", className: "plain" }, "Print");
  #demo = element("p", { className: "demo" }, element("strong", {}, "Demo"), " ", DEMO);
  #facts = component("facts-strip");
  #agents = element("ul", { className: "agents", ariaLabel: "Agents" });
  #map = component("route-map");
  #days = component("price-days");
  #pictures = element("div", { className: "pictures" }, this.#map, this.#days);
  #results = component("result-tabs");
  #kept = element("section", { className: "kept", ariaLabel: "Kept from requests before" });
  #body = element("div", { className: "body" }, this.#facts, this.#agents, this.#pictures, this.#results, this.#kept);
  #bookingsOf = "";
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
    for (const part of [this.#results, this.#kept]) part.addEventListener("send", () => this.act("look", { view: "chat" }));
    const tools = element("div", { className: "tools" }, this.#copy, this.#print);
    const detail = element("p", { className: "detail" }, this.#detail, " ", this.#toKept);
    const empty = element("p", { className: "empty quiet" }, EMPTY);
    this.append(element("header", {}, element("div", {}, this.#title, detail), tools), empty, this.#demo, this.#body);
  }

  /** @override @param {State} state */
  update(state) {
    const { task } = state;
    const { search } = state.shown;
    const { title, detail } = headlineOf(state, search);
    setText(this.#title, title);
    setText(this.#detail, detail);
    const isEmpty = !task || isBare(task);
    this.toggleAttribute("data-empty", isEmpty);
    this.#body.hidden = isEmpty && !state.bookings?.length && !Object.keys(state.interrupted).length;
    this.#copy.parentElement?.toggleAttribute("hidden", isEmpty);
    this.#showFacts(state, search);
    this.#showAgents(state);
    this.#map.data = { search, airports: state.airports, land: state.land };
    this.#days.data = { search, userId: state.userId, fares: state.fares };
    const held = heldIn(state);
    this.#showResults(state, held);
    this.#showKept(state, held.search);
    this.#keepBookings(state);
  }

  /** @param {State} state @param {Task | null} search */
  #showFacts(state, search) {
    const facts = search ? factsOf(search.agents) : [];
    const unsent = state.outbox.filter((item) => item.state === "unsent").map((item) => item.text);
    const waiting = state.outbox.filter((item) => item.state === "waiting").map((item) => item.text);
    const settled = !isAdjusting(state) && unsent.length === state.outbox.length;
    this.#facts.hidden = facts.length === 0;
    this.#facts.data = { facts, taskId: search?.task_id ?? "", settled, unsent, waiting };
  }

  /** @param {State} state */
  #showAgents(state) {
    const { task } = state;
    const adjusting = isAdjusting(state);
    const adopted = task ? adoptedBy(task) : new Set();
    this.#agents.hidden = !task || Object.keys(task.agents).length === 0;
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
  #showResults(state, { search, asked }) {
    const agents = Object.entries(search?.agents ?? {});
    const atWork = isActive(search) ? agents.filter(([, agent]) => !hasEnded(agent)) : [];
    this.#results.data = {
      of: search?.task_id ?? "",
      found: byKind(search?.partials ?? {}),
      others: others(search?.partials ?? {}),
      wanted: agents.flatMap(([name]) => FINDS[name] ?? []),
      asking: state.task?.status === "input_required",
      searched: atWork.flatMap(([name]) => FINDS[name] ?? []),
      bookings: state.bookings ?? [],
      booked: this.#bookedIn(state),
      asked,
    };
  }

  /** @param {State} state @param {Task | null} search */
  #showKept(state, search) {
    const kept = keptBefore(state, search, state.shown.before);
    this.dataset.invented = inventedIn(search ? [search, ...kept] : kept, state.bookings ?? []);
    const of = search?.task_id ?? "";
    const booked = this.#bookedIn(state);
    // They fold with the next search; who was reading them is shown what it finds.
    if (of !== this.#keptOf && this.#isReadingKept()) this.#results.scrollIntoView();
    this.#keptOf = of;
    this.#kept.hidden = kept.length === 0;
    this.#toKept.hidden = kept.length === 0;
    setText(this.#toKept, `${countsOfAll(kept)} kept from before`);
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

  #isReadingKept() {
    const open = this.#kept.querySelector("details[open]");
    const end = this.parentElement?.getBoundingClientRect().bottom ?? 0;
    return open !== null && open.getBoundingClientRect().top < end;
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

  async #copyItinerary() {
    if (!this.data) return;
    const text = itineraryText(this.data, this.data.shown.search, this.#title.textContent ?? "");
    const copied = await navigator.clipboard?.writeText(text).then(() => true, () => false);
    setText(this.#copy, copied ? "Copied" : "Could not copy");
    setTimeout(() => setText(this.#copy, "Copy itinerary"), COPIED_MS);
  }
}

customElements.define("trip-board", TripBoard);
