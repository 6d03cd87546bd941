/**
 * What agents were asked to find, null while unsaid; written by `scripts/write_types.py`.
 *
 * @typedef {import("./types.js").Money} Money
 * @typedef {import("./asked.js").Spot} Spot
 *
 * @typedef {object} FlightRequest
 * @property {Spot | null} origin
 * @property {Spot | null} destination
 * @property {string | null} departure_date
 * @property {string | null} return_date
 * @property {number} passengers
 * @property {"economy" | "premium_economy" | "business" | "first"} cabin_class
 * @property {number | null} max_stops
 * @property {Money | null} max_price
 * @property {string | null} departs_after
 * @property {string | null} departs_before
 * @property {number | null} flexible_days
 *
 * @typedef {object} HotelRequest
 * @property {Spot | null} city
 * @property {string} district
 * @property {string | null} check_in
 * @property {string | null} check_out
 * @property {number} rooms
 * @property {number} guests
 * @property {number | null} stars
 * @property {Money | null} max_price
 * @property {number | null} min_score
 */

export {};
