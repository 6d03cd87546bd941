/**
 * What the agents of a task were asked to find: a flight, a stay or both, whichever agent it is that looks for it. Pure.
 *
 * @typedef {import("./types.js").Money} Money
 * @typedef {import("./types.js").Agent} Agent
 * @typedef {{label: string, codes?: string[], latitude?: number, longitude?: number}} Spot
 *
 * @typedef {object} FlightRequest
 * @property {Spot | null} origin null, as the others, while it has not been said
 * @property {Spot | null} destination
 * @property {string | null} departure_date
 * @property {string | null} return_date
 * @property {number} passengers
 * @property {string} cabin_class
 * @property {number | null} max_stops
 * @property {Money | null} max_price per person
 * @property {number | null} flexible_days
 *
 * @typedef {object} HotelRequest
 * @property {Spot | null} city
 * @property {string} district
 * @property {string | null} check_in
 * @property {string | null} check_out
 * @property {number} guests
 * @property {number} rooms
 * @property {number | null} stars at least
 * @property {Money | null} max_price per night
 */

/** @param {Object<string, Agent>} agents @returns {FlightRequest | null} */
export function askedFlight(agents) {
  return requestWith("origin", agents);
}

/** @param {Object<string, Agent>} agents @returns {HotelRequest | null} */
export function askedStay(agents) {
  return requestWith("city", agents);
}

/** The name of a place without its country: "Tokyo" of "Tokyo, JP". @param {string} [label] */
export function cityOf(label = "") {
  return String(label).split(",")[0] ?? "";
}

/**
 * @param {string} field that only the request has that is wanted; it may not be known yet what it holds
 * @param {Object<string, Agent>} agents
 * @returns {any} as the server promises it
 */
function requestWith(field, agents) {
  const requests = Object.values(agents).map((agent) => agent.request);
  return requests.find((request) => request && field in request) ?? null;
}
