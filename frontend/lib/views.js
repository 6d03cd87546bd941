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
  const { flight, hotel, plan } = byKind(search?.partials ?? {});
  const said = history.filter(({ role }) => role !== "user").length;
  const found = [
    results("flights", "Flights", flight.length),
    results("hotels", "Hotels", hotel.length),
    results("plans", "Plans", plan.length),
    results("results", "Results", others(search?.partials ?? {}).length),
    results("bookings", "Bookings", bookings?.length ?? 0),
  ];
  return [
    { name: "chat", title: "Chat", count: null, news: said, needsUser: requests.length > 0 },
    { name: "trip", title: "Trip", count: null, news: 0, needsUser: false },
    ...found.filter(({ count }) => count),
  ];
}

/** @param {string} name @param {string} title @param {number} count @returns {View} */
function results(name, title, count) {
  return { name, title, count, news: count, needsUser: false };
}
