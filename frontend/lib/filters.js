/**
 * The filters of a list: what each can be set to, which of it the request holds, and the message that sets it or takes
 * it back. A control is the same act as words, so nothing here hides an offer by itself. Pure.
 *
 * @typedef {import("./types.js").Offer} Offer
 * @typedef {import("./types.js").FlightOffer} FlightOffer
 * @typedef {import("./types.js").HotelOffer} HotelOffer
 * @typedef {import("./types.js").CarOffer} CarOffer
 * @typedef {import("./types.js").Money} Money
 * @typedef {{name: string, chosen: boolean, say: string}} Choice `say` takes it back where it is chosen
 * @typedef {{name: string, label: string, chosen: string, choices: Choice[]}} Filter `chosen` is "" where it is open
 */

import { carClassName, stationName } from "./cars.js";
import { capitalised, inWords } from "./english.js";
import { rounded } from "./money.js";
import * as phrases from "./phrases.js";

/** How many airlines or amenities are offered, the most frequent first. */
const MOST = 6;
const NOON = "12:00";
const EVENING = "18:00";
/** Prices are offered at these shares of what was found, rounded so that they can be said. */
const SHARES = [0.25, 0.5, 0.75];
const STEP = 50;
const NIGHT_STEP = 10;

/**
 * @param {"flight" | "hotel" | "car" | "plan"} kind
 * @param {Object<string, any> | null} request what was asked for; of what it does not know there is no filter
 * @param {Offer[]} offers
 * @returns {Filter[]}
 */
export function filtersOf(kind, request, offers) {
  if (!request || kind === "plan") return [];
  return FILTERS[kind](request, offers).filter(({ choices }) => choices.length).map((filter) => ({ ...filter, chosen: filter.choices.find(({ chosen }) => chosen)?.name ?? "" }));
}

/** @param {Object<string, any>} request @param {FlightOffer[]} offers @returns {Omit<Filter, "chosen">[]} */
function flightFilters({ max_stops: most, departs_after: after, departs_before: before, airlines, max_price: limit }, offers) {
  const times = [
    { name: `Before ${NOON}`, from: null, to: NOON },
    { name: `${NOON} to ${EVENING}`, from: NOON, to: EVENING },
    { name: `After ${EVENING}`, from: EVENING, to: null },
  ];
  const hours = [after && `from ${after}`, before && `until ${before}`].filter(Boolean).join(" ");
  const carriers = mostFrequent(offers.flatMap(({ slices }) => [...new Set(slices.flatMap(({ segments }) => segments.map((each) => each.carrier_name)))]));
  return [
    {
      name: "stops",
      label: "Stops",
      choices: withHeld(
        [0, 1].map((stops) => choice(stops ? "1 stop at most" : "Nonstop", most === stops, phrases.stops(stops), phrases.stops(null))),
        most == null ? "" : `${most} stops at most`,
        phrases.stops(null),
      ),
    },
    {
      name: "times",
      label: "Departure",
      choices: withHeld(
        times.map(({ name, from, to }) => choice(name, (after ?? null) === from && (before ?? null) === to, phrases.departure(from, to), phrases.departure(null, null))),
        capitalised(hours),
        phrases.departure(null, null),
      ),
    },
    {
      name: "airline",
      label: "Airline",
      choices: airlines ? [...airlines, ...carriers.filter((name) => !isNamed(airlines, name))].map((name) => choice(name, isNamed(airlines, name), phrases.airline(name), phrases.airline(""))) : [],
    },
    { name: "price", label: "Price", choices: prices(limit, offers.map((offer) => offer.price_per_person), STEP, phrases.flightBudget) },
  ];
}

/** @param {Object<string, any>} request @param {HotelOffer[]} offers @returns {Omit<Filter, "chosen">[]} */
function hotelFilters({ stars, min_score: score, amenities, max_price: limit }, offers) {
  const offered = mostFrequent(offers.flatMap((offer) => offer.amenities ?? []));
  return [
    {
      name: "stars",
      label: "Stars",
      choices: withHeld(
        [3, 4, 5].map((least) => choice(`${least}${least < 5 ? " or more" : ""}`, stars === least, phrases.stars(least), phrases.stars(null))),
        stars ? `${stars} or more` : "",
        phrases.stars(null),
      ),
    },
    {
      name: "score",
      label: "Score",
      choices: withHeld(
        [7, 8, 9].map((least) => choice(`${least} or better`, score === least, phrases.score(least), phrases.score(null))),
        score ? `${score} or better` : "",
        phrases.score(null),
      ),
    },
    {
      name: "amenities",
      label: "Amenities",
      choices: amenities ? [...new Set([...amenities, ...offered])].map((/** @type {string} */ name) => choice(inWords(name), amenities.includes(name), phrases.amenity(name, true), phrases.amenity(name, false))) : [],
    },
    { name: "price", label: "Price", choices: prices(limit, offers.map((offer) => offer.price_per_night), NIGHT_STEP, phrases.hotelBudget) },
  ];
}

/** @param {Object<string, any>} request @param {CarOffer[]} offers @returns {Omit<Filter, "chosen">[]} */
function carFilters({ car_class: kind, transmission, station, max_price: limit }, offers) {
  return [
    {
      name: "class",
      label: "Class",
      choices: found(offers, kind, (offer) => offer.car_class).map((name) => choice(carClassName(name), kind === name, phrases.carClass(name), phrases.carClass(""))),
    },
    {
      name: "transmission",
      label: "Gearbox",
      choices: found(offers, transmission, (offer) => offer.transmission).map((name) =>
        choice(capitalised(name), transmission === name, phrases.transmission(name), phrases.transmission("")),
      ),
    },
    {
      name: "station",
      label: "Picked up",
      choices: found(offers, station, (offer) => offer.station).map((name) => choice(capitalised(stationName(name)), station === name, phrases.station(name), phrases.station(""))),
    },
    { name: "price", label: "Price", choices: prices(limit, offers.map((offer) => offer.price_per_day), NIGHT_STEP, phrases.carBudget) },
  ];
}

/** What there is of one kind to choose, with what is chosen. @param {CarOffer[]} offers @param {string | null} chosen @param {(offer: CarOffer) => string} by */
function found(offers, chosen, by) {
  return [...new Set([...(chosen ? [chosen] : []), ...mostFrequent(offers.map(by))])];
}

/** @type {Record<"flight" | "hotel" | "car", (request: Object<string, any>, offers: any[]) => Omit<Filter, "chosen">[]>} */
const FILTERS = { flight: flightFilters, hotel: hotelFilters, car: carFilters };

/** @param {string} name @param {boolean} chosen @param {string} set @param {string} back @returns {Choice} */
function choice(name, chosen, set, back) {
  return { name, chosen, say: chosen ? back : set };
}

/** The choices, and before them what holds and is none of them. @param {Choice[]} choices @param {string} held "" for nothing @param {string} back */
function withHeld(choices, held, back) {
  return held === "" || choices.some(({ chosen }) => chosen) ? choices : [{ name: held, chosen: true, say: back }, ...choices];
}

/**
 * The limit that there is, and some that would leave a quarter, half and three quarters of what was found.
 *
 * @param {Money | null} limit
 * @param {Money[]} found
 * @param {number} step
 * @param {(limit: Money | null) => string} say
 */
function prices(limit, found, step, say) {
  const currency = limit?.currency ?? found[0]?.currency ?? "";
  const amounts = found.filter((each) => each.currency === currency).map(({ amount }) => Number(amount)).toSorted((one, other) => one - other);
  const shares = amounts.length < SHARES.length ? [] : SHARES.map((share) => Math.ceil((amounts[Math.floor(amounts.length * share)] ?? 0) / step) * step);
  const set = limit ? [Number(limit.amount)] : [];
  return [...new Set([...set, ...shares])]
    .toSorted((one, other) => one - other)
    .map((amount) => {
      const money = { amount: String(amount), currency };
      return choice(`Up to ${rounded(money)}`, set.includes(amount), say(money), say(null));
    });
}

/** @param {string[]} names */
function mostFrequent(names) {
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one).map(([name]) => name).slice(0, MOST);
}

/** Names are compared in any case, and without the end that the demo's carriers have. @param {string[]} names @param {string} name */
function isNamed(names, name) {
  const plain = (/** @type {string} */ each) => each.toLowerCase().replace(/ demo$/, "");
  return names.some((each) => plain(each) === plain(name));
}
