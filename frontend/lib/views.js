/**
 * The parts of the page that a narrow screen shows one at a time. Pure.
 *
 * @typedef {object} View
 * @property {string} name as `body[data-view]` has it
 * @property {string} title
 * @property {number | null} count what the title carries
 * @property {number} news grows when something comes in
 * @property {boolean} needsUser
 */

import { heldIn } from "./held.js";
import { byKind } from "./offers.js";
import { others } from "./plain.js";

/**
 * @param {import("./reduce.js").State} state
 * @returns {View[]}
 */
export function viewsOf(state) {
  const { history, requests, bookings } = state;
  const { search } = heldIn(state);
  const { flight, hotel, car, plan } = byKind(search?.partials ?? {});
  // Who has looked at what was found is told that a change has left nothing: that tab does not vanish.
  const wanted = Object.keys(search?.agents ?? {});
  const said = history.filter(({ role }) => role !== "user").length;
  const found = [
    results("flights", "Flights", flight.length, wanted.includes("flight")),
    results("hotels", "Hotels", hotel.length, wanted.includes("hotel")),
    results("cars", "Cars", car.length, wanted.includes("car")),
    results("plans", "Plans", plan.length, wanted.includes("planner")),
    results("results", "Results", others(search?.partials ?? {}).length),
    results("bookings", "Bookings", bookings?.length ?? 0),
  ];
  return [
    { name: "chat", title: "Chat", count: null, news: said, needsUser: requests.length > 0 },
    { name: "trip", title: "Trip", count: null, news: 0, needsUser: false },
    ...found.flatMap(({ kept, ...view }) => (kept ? [view] : [])),
  ];
}

/** @param {string} name @param {string} title @param {number} count @param {boolean} wanted whether it was searched for @returns {View & {kept: boolean}} */
function results(name, title, count, wanted = false) {
  return { name, title, count, news: count, needsUser: false, kept: wanted || count > 0 };
}
