/**
 * What the agents of a task were asked to find: flights, a stay, a car, whichever agent it is that looks for it. Pure.
 *
 * @typedef {import("./types.js").Agent} Agent
 * @typedef {{label: string, codes?: string[], latitude?: number, longitude?: number}} Spot
 *
 * @typedef {import("./asked-types.js").FlightRequest} FlightRequest
 * @typedef {import("./asked-types.js").HotelRequest} HotelRequest
 * @typedef {import("./asked-types.js").CarRequest} CarRequest
 */

/** @param {Object<string, Agent>} agents @returns {FlightRequest | null} */
export function askedFlight(agents) {
  return requestWith("origin", agents);
}

/** @param {Object<string, Agent>} agents @returns {HotelRequest | null} */
export function askedStay(agents) {
  const stays = Object.entries(agents).filter(([, { request }]) => !request || !("pick_up" in request)); // a car has a city, too
  return requestWith("city", Object.fromEntries(stays));
}

/** @param {Object<string, Agent>} agents @returns {CarRequest | null} */
export function askedCar(agents) {
  return requestWith("pick_up", agents);
}

/**
 * The words for what was asked for besides the fields that a caller tells itself.
 *
 * @param {{words?: Object<string, string>}} asked
 * @param {readonly string[]} told
 * @returns {[field: string, words: string][]}
 */
export function furtherWords({ words = {} }, told) {
  return Object.entries(words).filter(([field]) => !told.includes(field));
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
