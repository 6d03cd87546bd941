/**
 * Two offers side by side: what differs between them, and what they have in common. Pure.
 *
 * @typedef {import("./types.js").Offer} Offer
 * @typedef {import("./types.js").FlightOffer} FlightOffer
 * @typedef {import("./types.js").HotelOffer} HotelOffer
 * @typedef {{name: string, values: [string, string]}} Row
 * @typedef {{titles: [string, string], rows: Row[], common: string[]}} Compared `rows` is what differs
 */

import { counted } from "./english.js";
import { cabinName, carriersOf, directionOf, minutesOf, stopCount, stopLine } from "./flights.js";
import { written } from "./money.js";
import { sellerOf } from "./sellers.js";
import { bagsOf, cancellingOf, changesOf, furtherTerms } from "./terms.js";
import { dayShift, duration, shortDay } from "./times.js";

/** @param {"flight" | "hotel" | "car" | "plan"} kind @param {Offer} one @param {Offer} other @returns {Compared} */
export function compared(kind, one, other) {
  const of = /** @type {(offer: any) => [string, string][]} */ (kind === "flight" ? flightFacts : kind === "car" ? carFacts : hotelFacts);
  const title = /** @type {(offer: any) => string} */ (kind === "flight" ? carriersOf : ({ name, model }) => name ?? model);
  const told = (/** @type {Offer} */ offer) => [...of(offer), ...soldFacts(offer)].filter(([, value]) => value);
  const [facts, others] = [told(one), new Map(told(other))];
  const names = [...new Set([...facts.map(([name]) => name), ...others.keys()])];
  const all = names.map((name) => ({ name, values: /** @type {[string, string]} */ ([new Map(facts).get(name) ?? "–", others.get(name) ?? "–"]) }));
  return {
    titles: [title(one), title(other)],
    rows: all.filter(({ values: [a, b] }) => a !== b),
    common: all.filter(({ values: [a, b] }) => a === b).map(({ name, values }) => `${name}: ${values[0]}`),
  };
}

/** What its seller tells. @param {any} offer @returns {[string, string][]} */
function soldFacts(offer) {
  return [
    ["Sold as", offer.terms?.name ?? ""],
    ...Object.entries(furtherTerms(offer)),
    ["Seller", sellerOf(offer)],
  ];
}

/** @param {import("./types.js").CarOffer} offer @returns {[string, string][]} */
function carFacts(offer) {
  return [
    ["Price", written(offer.price_total)],
    ["A day", written(offer.price_per_day)],
    ["Supplier", offer.supplier],
    ["Class", offer.car_class],
    ["Gearbox", offer.transmission],
    ["Picked up", offer.station],
    ["Seats", String(offer.seats)],
    ["Bags", String(offer.bags)],
    ["Mileage", offer.unlimited_mileage ? "unlimited" : "limited"],
  ];
}

/** @param {FlightOffer} offer @returns {[string, string][]} */
function flightFacts(offer) {
  const ways = offer.slices.map(directionOf);
  const named = (/** @type {string} */ name, /** @type {number} */ at) => (at ? `${name} back` : name);
  return [
    ["Price", written(offer.price_total)],
    ["Each", written(offer.price_per_person)],
    ...ways.flatMap((way, at) => /** @type {[string, string][]} */ ([
      [named("Leaves", at), `${shortDay(way.day)} ${way.leaves} ${way.from}`],
      [named("Lands", at), `${way.lands}${dayShift(way.shift)} ${way.to}`],
      [named("Stops", at), [stopCount(way), ...way.stops.map(stopLine)].join(", ")],
    ])),
    ["On the way", duration(minutesOf(offer))],
    ["Class", cabinName(offer.cabin_class)],
    ["Bags", bagsOf(offer)],
    ["Changes", changesOf(offer)],
  ];
}

/** @param {HotelOffer} offer @returns {[string, string][]} */
function hotelFacts(offer) {
  const { stars, score, distance_km: km, amenities } = offer;
  return [
    ["Price", written(offer.price_total)],
    ["A night", written(offer.price_per_night)],
    ["Stars", stars === null ? "" : counted(stars, "star")],
    ["Score", score?.toFixed(1) ?? ""],
    ["District", offer.district || offer.city],
    ["From the centre", km === null ? "" : `${km.toFixed(1)} km`],
    ["Amenities", amenities ? amenities.join(", ") || "none" : ""],
    ["Cancelling", cancellingOf(offer)],
  ];
}
