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
 * @property {number[] | null} children
 * @property {"economy" | "premium_economy" | "business" | "first"} cabin_class
 * @property {string[] | null} airlines
 * @property {string[] | null} not_airlines
 * @property {number | null} max_stops
 * @property {Money | null} max_price
 * @property {Money | null} max_total
 * @property {string | null} departs_after
 * @property {string | null} departs_before
 * @property {string | null} arrives_after
 * @property {string | null} arrives_before
 * @property {string | null} returns_after
 * @property {string | null} returns_before
 * @property {number | null} max_minutes
 * @property {number | null} max_layover
 * @property {Spot[] | null} via
 * @property {Spot[] | null} avoided
 * @property {number | null} bags
 * @property {boolean | null} refundable
 * @property {boolean | null} changeable
 * @property {string[] | null} seats
 * @property {number | null} flexible_days
 * @property {string[]} unused
 * @property {string[]} assumed
 * @property {Record<string, string>} words
 *
 * @typedef {object} HotelRequest
 * @property {Spot | null} city
 * @property {string} district
 * @property {string | null} check_in
 * @property {string | null} check_out
 * @property {number} rooms
 * @property {number} guests
 * @property {number[] | null} children
 * @property {number | null} stars
 * @property {Money | null} max_price
 * @property {Money | null} max_total
 * @property {string | null} name
 * @property {string[] | null} not_names
 * @property {number | null} min_score
 * @property {string[] | null} amenities
 * @property {string[] | null} not_districts
 * @property {number | null} max_km
 * @property {boolean | null} free_cancellation
 * @property {string[]} unused
 * @property {string[]} assumed
 * @property {Record<string, string>} words
 *
 * @typedef {object} CarRequest
 * @property {Spot | null} city
 * @property {string | null} pick_up
 * @property {string | null} drop_off
 * @property {"airport" | "centre" | null} station
 * @property {"small" | "compact" | "estate" | "suv" | "convertible" | "van" | null} car_class
 * @property {"manual" | "automatic" | null} transmission
 * @property {number | null} seats
 * @property {Money | null} max_price
 * @property {boolean | null} free_cancellation
 * @property {string[]} unused
 * @property {string[]} assumed
 * @property {Record<string, string>} words
 */

export {};
