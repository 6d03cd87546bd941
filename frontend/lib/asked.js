/**
 * What the agents of a task were asked to find: a flight, a stay or both, whichever agent it is that looks for it. Pure.
 *
 * @typedef {import("./types.js").Agent} Agent
 * @typedef {{label: string, codes?: string[], latitude?: number, longitude?: number}} Spot
 *
 * @typedef {import("./asked-types.js").FlightRequest} FlightRequest
 * @typedef {import("./asked-types.js").HotelRequest} HotelRequest
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
