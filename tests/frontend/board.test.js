/** What the trip board says of a state: headline, agents, facts, what is kept, and in which order offers are drawn. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { adoptedBy, agentName, cutShort, doingInWords, doingOf, elapsedOf, progressOf, stillWaiting } from "../../frontend/lib/agents.js";
import { arrange } from "../../frontend/lib/offers.js";
import { headlineOf, inventedIn, isAdjusting, keptBefore, whereOf } from "../../frontend/lib/board.js";
import { bookedOffers, bookingState, refundLine } from "../../frontend/lib/bookings.js";
import { setClock } from "../../frontend/lib/expiry.js";
import { factsOf, OPEN } from "../../frontend/lib/facts.js";
import { itineraryText } from "../../frontend/lib/itinerary.js";
import { initialState } from "../../frontend/lib/reduce.js";
import { followed, NOTHING_SHOWN, searchOf } from "../../frontend/lib/shown.js";
import { newTask } from "../../frontend/lib/tasks.js";
import { viewsOf } from "../../frontend/lib/views.js";
import * as whole from "./whole.js";

const FLIGHT = {
  origin: { label: "Berlin, DE", codes: ["BER"] },
  destination: { label: "Tokyo, JP", codes: ["HND", "NRT"] },
  departure_date: "2027-03-04",
  return_date: "2027-03-12",
  passengers: 2,
  cabin_class: "economy",
  max_stops: 1,
  max_price: null,
};
const HOTEL = {
  city: { label: "Tokyo, JP" },
  district: "",
  check_in: "2027-03-04",
  check_out: "2027-03-12",
  guests: 2,
  rooms: 1,
  stars: 4,
  max_price: { amount: "150.00", currency: "EUR" },
};
const agent = (state, more = {}) => ({ state, detail: "", done: 0, total: 0, count: 0, ...more });
const SEARCHING = {
  flight: agent("working", { done: 2, total: 3, count: 14, request: FLIGHT }),
  hotel: agent("working", { done: 1, total: 2, count: 36, request: HOTEL }),
};
const offer = (id, price) => ({
  ...whole.FLIGHT,
  offer_id: id,
  provider: "demo",
  live: false,
  price_total: { amount: String(price), currency: "EUR" },
});
const task = (more) => ({ ...newTask("t1"), status: "running", started: 1, agents: SEARCHING, ...more });
const state = (more) => {
  const next = { ...initialState("u"), task: task(), ...more };
  const shown = { search: next.task, before: null };
  return { ...next, shown, tasks: more?.tasks ?? (next.task ? { [next.task.task_id]: next.task } : {}) };
};
const titleOf = (given) => headlineOf(given, given.task).title.replace("\u00a0", " ");

test("headline says what is going on, and where to", () => {
  assert.equal(titleOf(state()), "Searching Berlin → Tokyo");
  assert.equal(titleOf(state({ stopping: "t1" })), "Stopping: Berlin → Tokyo");
  assert.equal(titleOf(state({ task: task({ status: "input_required" }) })), "Waiting for you: Berlin → Tokyo");
  assert.equal(titleOf(state({ task: task({ status: "completed" }) })), "Berlin → Tokyo");
  assert.equal(titleOf(state({ task: task({ status: "failed" }) })), "Not finished: Berlin → Tokyo");
  assert.equal(titleOf(state({ task: task({ status: "running", agents: {} }) })), "Working on it");
  assert.equal(titleOf(state({ task: null })), "Your trip");
  assert.equal(titleOf(state({ task: task({ status: "completed", agents: {} }) })), "Your trip");
});

test("headline of a stopped search says what is kept, and why where it was not the user", () => {
  const stopped = task({ status: "interrupted", reason: "stopped", partials: { flight: [offer("a", 1)] } });
  assert.deepEqual(headlineOf(state({ task: stopped }), stopped).detail, "1 flight kept, search not finished");
  const late = task({ status: "interrupted", reason: "timed_out" });
  assert.equal(headlineOf(state({ task: late }), late).detail, "it took too long");
});

test("agents adjust while a message is on its way, and until its task has told what it does", () => {
  assert.equal(isAdjusting(state()), false);
  assert.equal(isAdjusting(state({ outbox: [{ client_id: "c", text: "x", state: "sending", error: "" }] })), true);
  assert.equal(isAdjusting(state({ outbox: [{ client_id: "c", text: "x", state: "unsent", error: "no" }] })), false);
  const newer = { ...newTask("t2"), status: "running", started: 9 };
  assert.equal(isAdjusting(state({ tasks: { t1: task(), t2: newer } })), true);
  assert.equal(isAdjusting(state({ task: task({ status: "completed" }) })), false);
});

test("agent that is over can neither adjust nor stop", () => {
  const told = { adjusting: true, stopping: true };
  assert.equal(doingOf(agent("done"), told), "done");
  assert.equal(doingOf(agent("working"), told), "stopping");
  assert.equal(doingOf(agent("working"), { adjusting: true, stopping: false }), "adjusting");
  assert.equal(doingOf(agent("a state of later"), { adjusting: false, stopping: false }), "waiting");
});

test("agent states are shown in words with their progress", () => {
  const at = { done: 2, total: 3, count: 41 };
  const line = (state_, more) => {
    const progress = agent(state_, { ...at, ...more });
    const doing = doingOf(progress, { adjusting: false, stopping: false });
    return `${doingInWords("flight", doing)}: ${progressOf("flight", progress, doing)}`;
  };
  assert.equal(line("working"), "Searching: 41 found so far");
  assert.equal(line("waiting"), "Waiting: ");
  assert.equal(line("input_required"), "Needs you: Answer in the chat");
  assert.equal(line("interrupted"), "Stopped: with 41 found");
  assert.equal(line("interrupted", { count: 0 }), "Stopped: before any was found");
  assert.equal(line("done", { done: 3 }), "Done: 41 found");
  assert.equal(line("done", { done: 3, detail: "41 flights from 2 of 3 sources; no answer from two" }), "Done: 41 found, no answer from two");
  assert.equal(line("failed", { detail: "No source answered in time" }), "Failed: No source answered in time");
  assert.equal(stillWaiting("flight", at), "still waiting for 1 of 3 sellers");
});

test("seconds run from when an agent began until it ended, and never backwards", () => {
  const since = "2027-03-04T10:00:00Z";
  assert.equal(elapsedOf({ since }, Date.parse("2027-03-04T10:00:07Z")), "7 s");
  assert.equal(elapsedOf({ since, until: "2027-03-04T10:00:03Z" }, Date.parse("2027-03-04T11:00:00Z")), "3 s");
  assert.equal(elapsedOf({ since }, Date.parse("2027-03-04T09:00:00Z")), "0 s");
  assert.equal(elapsedOf({}, 0), "");
});

test("agent whose search was taken over is known by the call", () => {
  const calls = { c1: { tool: "search_flights" }, c2: { tool: "search_hotels" } };
  assert.deepEqual([...adoptedBy({ transfer: { adopted: ["c1", "gone"] }, calls })], ["flight"]);
  assert.deepEqual([...adoptedBy({ transfer: null, calls })], []);
});

test("facts of a trip name each thing once where flight and stay agree", () => {
  const facts = Object.fromEntries(factsOf(SEARCHING).map(({ name, text }) => [name, text]));
  assert.deepEqual(facts, {
    from: "Berlin, DE",
    to: "Tokyo, JP",
    leave: "Thu 4 Mar",
    back: "Fri 12 Mar",
    people: "2 people",
    cabin: "Economy",
    stops: "1 at most",
    "flight-budget": OPEN,
    rooms: "1 room",
    stars: "4 or more",
    district: OPEN,
    "hotel-budget": "€150",
  });
});

test("stay that differs from the flight has its own place, days and guests", () => {
  const apart = { ...HOTEL, city: { label: "Kyoto, JP" }, check_out: "2027-03-10", guests: 1 };
  const names = factsOf({ flight: agent("done", { request: FLIGHT }), hotel: agent("done", { request: apart }) }).map(({ name }) => name);
  for (const name of ["city", "check-in", "check-out", "guests"]) assert.ok(names.includes(name), name);
  assert.deepEqual(factsOf({ flight: agent("done"), other: agent("done", { request: {} }) }), []);
});

test("edited fact is said as a message, and an empty one takes a limit away", () => {
  const say = Object.fromEntries(factsOf(SEARCHING).map((fact) => [fact.name, fact.say]));
  assert.equal(say.people("3"), "Make it 3 people.");
  assert.equal(say.back(""), "One way only.");
  assert.equal(say.stops("0"), "Direct flights, please.");
  assert.equal(say["hotel-budget"]("120"), "Hotels under 120 EUR per night.");
  assert.equal(say["hotel-budget"](""), "No budget for the hotel.");
});

test("list stays in view while its offer is booked", () => {
  const search = task({ status: "completed", partials: { flight: [offer("a", 1)] } });
  const booking = { ...newTask("t2"), status: "running", agents: { booking: agent("working") } };
  assert.equal(searchOf(booking, search), search);
  assert.equal(searchOf(booking, null), booking);
  assert.equal(searchOf(task(), search).task_id, "t1");
  assert.equal(headlineOf(state({ task: booking }), search).title.replace("\u00a0", " "), "Booking: Berlin → Tokyo");
});

test("new hotel search keeps the flights, unless dropped or asked for anew", () => {
  const search = task({ status: "completed", partials: { flight: [offer("a", 1)], hotel: [offer("h", 1)] } });
  const transfer = { from_task_id: "t1", relation: "refine", carried: { slots: ["flight.origin", "hotel.city"] }, adopted: [], dropped: [] };
  const hotel = { ...newTask("t2"), status: "running", agents: { hotel: agent("working") }, partials: {}, transfer };
  const shown = searchOf(hotel, search);
  assert.deepEqual([Object.keys(shown.agents).sort(), Object.keys(shown.partials)], [["flight", "hotel"], ["flight"]]);
  assert.equal(shown.agents.hotel, hotel.agents.hotel);
  assert.deepEqual(searchOf({ ...hotel, status: "completed" }, shown).partials, shown.partials);
  assert.equal(searchOf({ ...hotel, transfer: { ...transfer, carried: { slots: ["hotel.city"] } } }, search).agents.flight, undefined);
  assert.equal(searchOf({ ...hotel, transfer: null }, search).agents.flight, undefined);
});

test("continued task may be announced after its start", () => {
  const search = task({ status: "completed", partials: { hotel: [offer("h", 1)] } });
  const flights = { ...newTask("t2"), status: "running", agents: { flight: agent("working") } };
  const begun = followed(followed(NOTHING_SHOWN, search), flights);
  assert.deepEqual(begun, { search: flights, before: search });
  const told = { ...flights, transfer: { carried: { slots: ["hotel.city"] }, adopted: [], dropped: [] } };
  assert.deepEqual(Object.keys(followed(begun, told).search.partials), ["hotel"]);
});

test("leftovers of an interrupted task stand apart, except those of the new one", () => {
  const left = { task_id: "t0", message: "flights", reason: "superseded", partials: { flight: [offer("a", 1), offer("b", 2)] }, agents: SEARCHING };
  const shown = task({ partials: { flight: [offer("a", 1)] } });
  const [kept, ...others] = keptBefore(state({ task: shown, interrupted: { t0: left } }), shown);
  assert.equal(kept.title, "Kept from your previous search: 1 flight");
  assert.equal(kept.note, "search not finished");
  assert.deepEqual(kept.partials.flight.map(({ offer_id }) => offer_id), ["b"]);
  assert.deepEqual(others, []);
  const before = { ...task({ partials: { hotel: [{ ...whole.HOTEL, offer_id: "h" }] } }), task_id: "t00" };
  assert.deepEqual(keptBefore(state({ task: shown }), shown, before).map(({ title }) => title), ["Kept from your previous search: 1 hotel"]);
  const all = task({ partials: left.partials });
  assert.deepEqual(keptBefore(state({ task: all, interrupted: { t0: left } }), all), []);
  assert.equal(cutShort({ flight: agent("done", { done: 3, total: 3 }) }), "");
});

test("list keeps its order while somebody is at it, and counts what waits", () => {
  const by = (one, other) => Number(one.price_total.amount) - Number(other.price_total.amount);
  const [a, b, c] = [offer("a", 3), offer("b", 2), offer("c", 1)];
  const ids = ({ drawn }) => drawn.map(({ offer_id }) => offer_id).join("");
  const first = arrange({ offers: [a, b], before: [], held: true, by });
  assert.equal(ids(first), "ba");
  const held = arrange({ offers: [a, b, c], before: first.drawn, held: true, by });
  assert.deepEqual([ids(held), held.waiting], ["ba", 1]);
  const free = arrange({ offers: [a, b, c], before: held.drawn, held: false, by });
  assert.deepEqual([ids(free), free.waiting], ["cba", 0]);
  const d = offer("d", 0);
  assert.equal(ids(arrange({ offers: [a, b, d], before: free.drawn, held: true, by })), "ba");
  const another = arrange({ offers: [a, d], before: free.drawn, held: true, by });
  assert.deepEqual([ids(another), another.waiting], ["da", 0], "where most are gone it is another list");
});

test("destination is taken from the results if no request names it", () => {
  assert.equal(whereOf({ agents: {}, partials: { flight: [offer("a", 1)] } }), "BER → HND");
  assert.equal(whereOf({ agents: {}, partials: {} }), "");
});

test("booking says how it stands and what comes back", () => {
  const held = { state: "held", expires_at: new Date(2027, 2, 4, 10, 20).toISOString() };
  setClock(new Date(2027, 2, 4, 9, 0).toISOString());
  assert.equal(bookingState(held), "Held until 10:20"); // by the visitor's clock
  const shared = { state: "held", expires_at: "2027-03-04T10:20:00Z" };
  assert.equal(bookingState(shared, { isShared: true }), "Held until Thu 4 Mar 10:20 UTC");
  assert.equal(bookingState({ state: "booked", expires_at: null }), "Booked");
  assert.equal(refundLine({ state: "cancelled", refund: { amount: "12.00", currency: "EUR" } }), "€12.00 refunded");
  assert.equal(refundLine({ state: "cancelled", refund: null }), "No refund");
});

test("offer is booked as long as a booking of it stands", () => {
  const booking = (state, offer_id) => ({ state, offer: { offer_id } });
  const bookings = [booking("booked", "a"), booking("cancelled", "b"), booking("held", "c"), { state: "booked" }];
  assert.deepEqual([...bookedOffers(bookings)], ["a"]);
});

test("itinerary as text tells bookings and the cheapest, and that they are invented", () => {
  const shown = task({ partials: { flight: [offer("a", 900), offer("b", 100), offer("c", 300), offer("d", 200)] } });
  const booking = { reference: "DEMO-1", title: "Juniper Demo", state: "booked", price_total: null, expires_at: null, provider: "demo", demo: true };
  const text = itineraryText(state({ task: shown, bookings: [booking] }), shown, "Berlin → Tokyo");
  assert.match(text, /^Berlin → Tokyo\nFrom: Berlin, DE/);
  assert.match(text, /- DEMO-1: Juniper Demo \(booked\)/);
  assert.match(text, /€100\.00[\s\S]*€200\.00[\s\S]*€300\.00/);
  assert.doesNotMatch(text, /€900/);
  assert.match(text, /Demo data\.$/);
});

test("itinerary names sellers and their test mode, and says which of it is invented", () => {
  const flight = { ...offer("a", 900), provider: "duffel", source: "Duffel" };
  const hotel = { ...whole.HOTEL, offer_id: "h", provider: "liteapi", source: "LiteAPI", live: true, stars: null, city: "Tokyo" };
  const booking = { reference: "ABC", title: "Air", state: "booked", price_total: null, expires_at: null, provider: "duffel", demo: false, offer: { source: "Duffel" } };
  const told = (partials, bookings) => itineraryText(state({ task: task({ partials }), bookings }), task({ partials }), "Trip");
  const sold = told({ flight: [flight], hotel: [hotel] }, [booking]);
  assert.match(sold, /- Juniper Demo, €900\.00, via Duffel \(test\)\n/);
  assert.match(sold, /- Copperleaf Demo, Tokyo: 4 – 5 Mar 2027, €100\.00, via LiteAPI$/);
  assert.match(sold, /- ABC: Air \(booked\), via Duffel\n/);
  assert.doesNotMatch(sold, /demo data|null/i);
  assert.match(told({ flight: [offer("b", 1)] }, [booking]), /What no seller is named of is demo data\.$/);
});

test("demo notice is shown once; with mixed offers, on each demo card", () => {
  const found = (...of) => task({ partials: { flight: of.map((provider, at) => ({ ...offer(`${at}`, 1), provider })) } });
  const [demo, seller] = [{ provider: "demo", demo: true }, { provider: "duffel", demo: true }];
  assert.equal(inventedIn([found("demo", "demo"), found("demo")], [demo]), "all");
  assert.equal(inventedIn([found("demo"), found("duffel")], []), "some");
  assert.equal(inventedIn([found("duffel")], [demo]), "some");
  assert.equal(inventedIn([found("demo")], [seller]), "some");
  assert.equal(inventedIn([found("duffel")], [seller]), "none");
  assert.equal(inventedIn([], []), "none");
});

test("phone's views count what there is, and the chat says when it needs its user", () => {
  const shown = task({ partials: { flight: [offer("a", 1)], hotel: [] } });
  const views = viewsOf(state({ task: shown, requests: [{ request_id: "r" }] }));
  assert.deepEqual(views.map(({ name, count }) => [name, count]), [["chat", null], ["trip", null], ["flights", 1], ["hotels", 0]]);
  assert.equal(views[0].needsUser, true);
});

test("phone keeps the view of what was searched for where nothing is found", () => {
  const agents = { flight: agent("done"), hotel: agent("done") };
  const empty = task({ agents, partials: { flight: [], hotel: [] } });
  const views = viewsOf(state({ task: empty }));
  assert.deepEqual(views.slice(2).map(({ name, count }) => [name, count]), [["flights", 0], ["hotels", 0]]);
});

test("trip deleted elsewhere leaves nothing", () => {
  assert.equal(followed({ search: task(), before: task({ partials: { flight: [offer("a", 1)] } }) }, null), NOTHING_SHOWN);
});

test("phone keeps the views of the search that a booking is made from", () => {
  const search = task({ partials: { flight: [offer("a", 1)] } });
  const booking = { ...newTask("t2"), status: "running" };
  const views = viewsOf({ ...state({ task: booking }), shown: { search, before: null } });
  assert.deepEqual(views.map(({ name }) => name), ["chat", "trip", "flights", "hotels"]);
});

test("results of other graphs may be anything, and agents may have names of object methods", () => {
  const found = task({ agents: {}, partials: { constructor: [null, "text", 7, { slices: [null] }] } });
  assert.equal(inventedIn([found], []), "none");
  assert.deepEqual(keptBefore(state({ task: found, interrupted: { t0: { ...found, task_id: "t0" } } }), found), []);
  assert.deepEqual(viewsOf(state({ task: found })).map(({ count }) => count), [null, null, 4]);
  assert.equal(headlineOf(state({ task: found }), found).title, "Working on it");
  assert.equal(agentName("constructor"), "Constructor");
  assert.equal(progressOf("toString", agent("working", { done: 1, total: 2 }), "searching"), "");
});
