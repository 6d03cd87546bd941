/**
 * What was found: which kind each offer is, the orders that a list can have, and what is cheapest. Pure.
 *
 * "Best" is the price, made dearer by what one has to put up with, so that it does not depend on what else was
 * found, and an offer never changes its place among others because a further one came in:
 *
 * - flights: price × √time × 1.1 for every stop. One that takes twice as long has to cost 30 % less, and a stop has
 *   to save 10 %, to stand as high.
 * - hotels: price × 1.3 for every point of guest score missing to 10 × 1.03 for every kilometre to the centre. A
 *   point of score is worth 30 % of the price, and a kilometre 3 %. A score that is not told counts as 0.
 *
 * @typedef {import("./types.js").FlightOffer} FlightOffer
 * @typedef {import("./types.js").HotelOffer} HotelOffer
 * @typedef {import("./types.js").CarOffer} CarOffer
 * @typedef {import("./types.js").TourPlan} TourPlan
 * @typedef {import("./types.js").Offer} Offer
 * @typedef {"flight" | "hotel" | "car" | "plan"} Kind
 * @typedef {{flight: FlightOffer[], hotel: HotelOffer[], car: CarOffer[], plan: TourPlan[]}} Found
 * @typedef {{key: string, name: string, explanation: string, by: (one: Offer, other: Offer) => number,
 *   of?: (offer: any) => number | null}} Order `key` as the server names it; `of` is what it goes by where that may be untold,
 *   which stands last from either end
 */

import { counted } from "./english.js";
import { minutesOf, stopsIn } from "./flights.js";
import { compare } from "./money.js";
import { isCar, isFlight, isHotel, isPlan } from "./shapes.js";
import { daysBetween } from "./times.js";

const STOP_WEIGHT = 1.1;
const SCORE_WEIGHT = 1.3;
const KILOMETRE_WEIGHT = 1.03;
const BEST_SCORE = 10;
/** Characters of "2026-12-10T09:05". */
const MINUTES_LONG = 16;

/** @type {WeakMap<Offer, Kind | null>} */
const kinds = new WeakMap();

/**
 * Which kind an offer is; null for what this page does not know, and for what lacks a part that its card shows.
 *
 * @param {Offer | null} offer
 * @returns {Kind | null}
 */
export function kindOf(offer) {
  if (typeof offer !== "object" || offer === null) return null;
  const known = kinds.get(offer);
  if (known !== undefined) return known;
  const kind = isPlan(offer) ? "plan" : isFlight(offer) ? "flight" : isHotel(offer) ? "hotel" : isCar(offer) ? "car" : null;
  kinds.set(offer, kind);
  return kind;
}

/** @param {any} offer */
function isPriced(offer) {
  const price = offer?.price_total;
  return typeof price?.amount === "string" && typeof price.currency === "string";
}

/**
 * What agents found, by kind: which agent it was does not matter to who looks for a flight.
 *
 * @param {Object<string, Offer[]>} partials
 * @returns {Found}
 */
export function byKind(partials) {
  /** @type {Found} */
  const found = { flight: [], hotel: [], car: [], plan: [] };
  for (const offer of Object.values(partials).flat()) {
    const kind = kindOf(offer);
    if (kind) /** @type {Offer[]} */ (found[kind]).push(offer);
  }
  return found;
}

/** @type {(one: Offer, other: Offer) => number} */
const byPrice = (one, other) => compare(one.price_total, other.price_total);

/** @param {(offer: any) => number | null} value @returns {(one: Offer, other: Offer) => number} */
const by = (value) => (one, other) => (value(one) ?? Infinity) - (value(other) ?? Infinity) || byPrice(one, other);

/** @param {(offer: any) => number | null} of */
const byTold = (of) => ({ of, by: by(of) });

/** What is weighed by its price stands by currency, too. @param {(offer: any) => number} value @returns {(one: Offer, other: Offer) => number} */
const byCost = (value) => (one, other) =>
  one.price_total.currency === other.price_total.currency ? by(value)(one, other) : byPrice(one, other);

/** @param {FlightOffer} offer */
export function flightCost(offer) {
  return Number(offer.price_total.amount) * Math.sqrt(minutesOf(offer)) * STOP_WEIGHT ** stopsIn(offer);
}

/** @param {HotelOffer} offer */
export function hotelCost({ price_total, score, distance_km }) {
  return Number(price_total.amount) * SCORE_WEIGHT ** (BEST_SCORE - (score ?? 0)) * KILOMETRE_WEIGHT ** (distance_km ?? 0);
}

/** @type {Order} */
const CHEAPEST = { key: "price", name: "Cheapest", explanation: "The lowest total price first", by: byPrice };

/** The orders that a list of each kind can have; the first is the one that it begins with. @type {Record<Kind, Order[]>} */
export const ORDERS = {
  flight: [
    CHEAPEST,
    {
      key: "duration",
      name: "Fastest",
      explanation: "The least time on the way, there and back, first",
      by: by(minutesOf),
    },
    {
      key: "best",
      name: "Best",
      explanation: "Price weighed against time: twice as long has to cost 30 % less, and every stop has to save 10 %",
      by: byCost(flightCost),
    },
  ],
  hotel: [
    CHEAPEST,
    {
      key: "distance",
      name: "Nearest",
      explanation: "The nearest to the centre first",
      ...byTold(({ distance_km: km }) => km),
    },
    {
      key: "best",
      name: "Best",
      explanation: "Price weighed against quality: a point of guest score is worth 30 %, a kilometre to the centre 3 %",
      by: byCost(hotelCost),
    },
  ],
  car: [
    CHEAPEST,
    { key: "seats", name: "Most seats", explanation: "The most seats first", by: by(({ seats }) => -seats) },
  ],
  plan: [
    CHEAPEST,
    {
      key: "duration",
      name: "Shortest",
      explanation: "The fewest days from the first flight to the last day first",
      by: by(({ first_day, last_day }) => daysBetween(first_day, last_day)),
    },
  ],
};

/** The orders that only words ask for; a chip is added for one that was. @type {Record<string, Order>} */
const ASKED_FOR = {
  departure: { key: "departure", name: "Earliest", explanation: "The first to leave first", by: byText(leaves) },
  arrival: { key: "arrival", name: "Arrives first", explanation: "The first to land first", by: byText(lands) },
  stops: { key: "stops", name: "Fewest stops", explanation: "The fewest stops first", by: by(stopsIn) },
  layover: { key: "layover", name: "Shortest layover", explanation: "The least time between flights first", by: by(waitIn) },
  stars: { key: "stars", name: "Fewest stars", explanation: "The fewest stars first", ...byTold(({ stars }) => stars) },
  score: { key: "score", name: "Lowest rated", explanation: "The lowest guest score first", ...byTold(({ score }) => score) },
};
/** What an order is called from its end, where that is asked for. @type {Record<string, string>} */
const FROM_THE_END = {
  price: "Dearest",
  duration: "Slowest",
  departure: "Latest",
  arrival: "Arrives last",
  stops: "Most stops",
  layover: "Longest layover",
  distance: "Farthest",
  stars: "Most stars",
  score: "Best rated",
};

/**
 * The order that was asked for in words; undefined for one that this page does not know.
 *
 * @param {Kind} kind
 * @param {import("./spoken.js").OrderAsked} asked
 * @returns {Order | undefined}
 */
export function orderAsked(kind, { by: key, descending }) {
  const order = ORDERS[kind].find((each) => each.key === key) ?? ASKED_FOR[key];
  if (!order || !descending) return order;
  const name = FROM_THE_END[key] ?? order.name;
  const isUntold = (/** @type {Offer} */ offer) => Number(order.of?.(offer) === null);
  return { key: `-${key}`, name, explanation: `${name} first`, by: (one, other) => isUntold(one) - isUntold(other) || order.by(other, one) };
}

/** @param {FlightOffer} offer */
function leaves({ slices }) {
  return slices[0]?.segments[0]?.departs_at.slice(0, MINUTES_LONG) ?? "";
}

/** @param {FlightOffer} offer */
function lands({ slices }) {
  return slices[0]?.segments.at(-1)?.arrives_at.slice(0, MINUTES_LONG) ?? "";
}

/** The minutes between the flights of all directions. @param {FlightOffer} offer */
function waitIn({ slices }) {
  const flown = slices.flatMap(({ segments }) => segments).reduce((sum, { duration_minutes: each }) => sum + each, 0);
  return slices.reduce((sum, { duration_minutes: each }) => sum + each, 0) - flown;
}

/** @param {(offer: any) => string} value @returns {(one: Offer, other: Offer) => number} */
function byText(value) {
  return (one, other) => Number(value(one) > value(other)) - Number(value(one) < value(other)) || byPrice(one, other);
}

/**
 * The lowest total, or null where there is none or the currencies can't be compared.
 *
 * @param {Offer[]} offers
 */
export function cheapest(offers) {
  const priced = offers.filter(isPriced);
  const first = priced[0];
  if (!first || priced.some((offer) => offer.price_total.currency !== first.price_total.currency)) return null;
  return priced.reduce((least, offer) => (byPrice(offer, least) < 0 ? offer : least), first).price_total;
}

/** "22 flights, 11 hotels"; "" for nothing. @param {Found} found */
export function countsOf(found) {
  return /** @type {Kind[]} */ (["flight", "hotel", "car", "plan"])
    .filter((kind) => found[kind]?.length)
    .map((kind) => counted(found[kind].length, kind))
    .join(", ");
}

/** "Vienna → Rome → Athens → Vienna". @param {TourPlan} plan */
export function citiesInOrder({ start, order, returns }) {
  const cities = start ? [start, ...order] : order;
  return [...cities, ...(returns ? cities.slice(0, 1) : [])].join(" → ");
}

// --- The order in which a list is drawn: nothing moves under the pointer or the focus

/**
 * What to draw now. While somebody is at the list, what is drawn keeps its order and new offers wait; offers that are
 * gone go in any case. Where most are gone, as after another search, there is nothing left that could be held still.
 *
 * @param {object} given
 * @param {Offer[]} given.offers all that there are, as they came in
 * @param {Offer[]} given.before what is drawn, in order
 * @param {boolean} given.held whether somebody is at the list
 * @param {(one: Offer, other: Offer) => number} given.by
 * @returns {{drawn: Offer[], waiting: number}}
 */
export function arrange({ offers, before, held, by }) {
  const known = new Map(offers.map((offer) => [offer.offer_id, offer]));
  const kept = before.map(({ offer_id }) => known.get(offer_id)).filter((offer) => offer !== undefined);
  if (!held || kept.length <= before.length / 2) return { drawn: offers.toSorted(by), waiting: 0 };
  return { drawn: kept, waiting: known.size - kept.length };
}
