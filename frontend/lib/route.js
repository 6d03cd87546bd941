/**
 * What the map of a task shows: where the trip leads, where the cheapest flight stops, or the one that is looked at,
 * and where the hotels are. Pure; places that nothing is known of yet are left out, and are asked for.
 *
 * @typedef {import("./map.js").Place} Place
 * @typedef {import("./types.js").FlightOffer} FlightOffer
 * @typedef {import("./types.js").HotelOffer} HotelOffer
 * @typedef {import("./types.js").TourPlan} TourPlan
 * @typedef {import("./types.js").Task} Task
 * @typedef {Place & {name: string, city: string}} Airport
 * @typedef {Object<string, Airport>} Airports
 * @typedef {Place & {name: string}} Named
 *
 * @typedef {object} Route
 * @property {string} key of where it leads: the same for the same cities
 * @property {"flight" | "tour"} kind
 * @property {Named[]} cities in the order of the trip; a round trip has its first city once
 * @property {[Named, Named][]} ways from city to city
 * @property {Named[]} stops
 * @property {[Named, Named][]} legs flights by way of the stops
 * @property {string} words the whole of it in one sentence
 */

import { askedFlight, askedStay, cityOf } from "./asked.js";
import { distanceKm } from "./map.js";
import { byKind } from "./offers.js";
import { compare } from "./money.js";

const LANGUAGE = "en";
const IATA = /^[A-Z]{3}$/;

/**
 * @param {Task | null} task
 * @param {Airports} airports those that are known
 * @param {string} [offerId] of the offer that is looked at; the cheapest one is shown without
 * @returns {Route | null}
 */
export function routeOf(task, airports, offerId) {
  if (!task) return null;
  const { flight: flights, plan: plans } = byKind(task.partials);
  const plan = chosenOf(plans, offerId);
  return plan ? tourRoute(plan, airports) : flightRoute(task, { flights, airports, offerId });
}

/**
 * The codes of all airports that the offers of a task touch, in order, so that the same question is asked again.
 *
 * @param {Task | null} task
 * @returns {string[]}
 */
export function airportsIn(task) {
  const { flight: flights, plan: plans } = byKind(task?.partials ?? {});
  const slices = [...flights, ...plans.flatMap(({ legs }) => legs)].flatMap((offer) => offer.slices);
  const codes = slices.flatMap(({ segments }) => segments.flatMap(({ origin, destination }) => [origin, destination]));
  return [...new Set(codes)].filter((code) => IATA.test(code)).sort();
}

/**
 * The city in which a task looks for hotels, and where those are that it found.
 *
 * @param {Task | null} task
 * @returns {{name: string, centre: Place, hotels: (HotelOffer & Place)[]} | null}
 */
export function stayOf(task) {
  const hotels = /** @type {(HotelOffer & Place)[]} */ (byKind(task?.partials ?? {}).hotel.filter(isPlace));
  const city = named(askedStay(task?.agents ?? {})?.city);
  const first = hotels[0];
  if (!first) return null;
  return { name: city?.name ?? first.city, centre: city ?? middleOf(hotels), hotels };
}

/** "8,942 km" @param {number} km */
export function kilometres(km) {
  return `${new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 0 }).format(km)} km`;
}

/** How long the way is, as the crow flies. @param {Route} route */
export function lengthOf({ ways }) {
  return ways.reduce((sum, [from, to]) => sum + distanceKm(from, to), 0);
}

/**
 * @param {Task} task
 * @param {{flights: FlightOffer[], airports: Airports, offerId: string | undefined}} found
 * @returns {Route | null}
 */
function flightRoute(task, { flights, airports, offerId }) {
  const cheapest = chosenOf(flights);
  const request = askedFlight(task.agents);
  const ends = segmentsOf(cheapest);
  const from = named(request?.origin) ?? airportOf(airports, ends[0]?.origin);
  const to = named(request?.destination) ?? airportOf(airports, ends.at(-1)?.destination);
  if (!from || !to || distanceKm(from, to) < 1) return null;
  const stops = stopsOf(chosenOf(flights, offerId), airports);
  const onTheWay = [from, ...stops, to];
  const landings = stopsOf(cheapest, airports);
  const isKnown = Boolean(cheapest) && landings.length === ends.length - 1;
  return {
    key: keyOf([from, to]),
    kind: "flight",
    cities: [from, to],
    ways: [[from, to]],
    stops,
    legs: stops.length ? pairs(onTheWay) : [],
    words: flightWords({ from, to, stops: landings, isKnown }),
  };
}

/**
 * @param {TourPlan} plan
 * @param {Airports} airports
 * @returns {Route | null}
 */
function tourRoute({ start, order, returns, legs }, airports) {
  const names = start ? [start, ...order] : order;
  const at = legs.map((leg) => segmentsOf(leg)[0]?.origin);
  const last = segmentsOf(legs.at(-1)).at(-1)?.destination;
  const cities = names.flatMap((name, index) => {
    const place = airportOf(airports, at[index] ?? last);
    return place ? [{ ...place, name: cityOf(name) }] : [];
  });
  const first = cities[0];
  if (!first || cities.length < names.length || names.length < 2) return null;
  const ways = pairs(returns ? [...cities, first] : cities);
  const kind = /** @type {const} */ ("tour");
  const route = { key: keyOf(cities), kind, cities, ways, stops: [], legs: [], words: "" };
  const [, ...others] = cities.map(({ name }) => name);
  const back = returns ? " and back" : "";
  const words = `Tour from ${first.name} to ${listed(others)}${back}, ${kilometres(lengthOf(route))}`;
  return { ...route, words };
}

/** @param {{from: Named, to: Named, stops: Named[], isKnown: boolean}} route */
function flightWords({ from, to, stops, isKnown }) {
  const way = `Route from ${from.name} to ${to.name}, ${kilometres(distanceKm(from, to))}`;
  if (!isKnown) return way;
  const stopping = stops.length ? `stops in ${listed(stops.map(({ name }) => name))}` : "is nonstop";
  return `${way}; the cheapest flight ${stopping}`;
}

/**
 * Where the first direction of an offer lands between.
 *
 * @param {FlightOffer | undefined} offer
 * @param {Airports} airports
 */
function stopsOf(offer, airports) {
  return segmentsOf(offer)
    .slice(1)
    .flatMap(({ origin }) => airportOf(airports, origin) ?? []);
}

/** The flights of the first direction. @param {FlightOffer | undefined} offer */
function segmentsOf(offer) {
  return offer?.slices[0]?.segments ?? [];
}

/**
 * The offer with an id, or the cheapest.
 *
 * @template {FlightOffer | TourPlan} O
 * @param {O[]} offers
 * @param {string} [offerId]
 * @returns {O | undefined}
 */
function chosenOf(offers, offerId) {
  const byPrice = (/** @type {O} */ one, /** @type {O} */ other) => compare(one.price_total, other.price_total);
  return offers.find(({ offer_id }) => offer_id === offerId) ?? offers.toSorted(byPrice)[0];
}

/** @param {Airports} airports @param {string | undefined} code @returns {Named | null} */
function airportOf(airports, code) {
  const airport = code === undefined ? undefined : airports[code];
  if (!airport || !isPlace(airport)) return null;
  return { name: airport.city || airport.name, latitude: airport.latitude, longitude: airport.longitude };
}

/** A place of a request, with the name of its city alone. @param {any} place @returns {Named | null} */
function named(place) {
  if (!place || !isPlace(place)) return null;
  return { name: cityOf(place.label), latitude: place.latitude, longitude: place.longitude };
}

/** @param {any} value */
function isPlace({ latitude, longitude }) {
  return Number.isFinite(latitude) && Number.isFinite(longitude);
}

/** @param {readonly Place[]} places @returns {Place} */
function middleOf(places) {
  const mean = (/** @type {"latitude" | "longitude"} */ axis) =>
    places.reduce((sum, place) => sum + place[axis], 0) / places.length;
  return { latitude: mean("latitude"), longitude: mean("longitude") };
}

/** @param {readonly Place[]} places */
function keyOf(places) {
  return places.map(({ latitude, longitude }) => `${latitude.toFixed(1)},${longitude.toFixed(1)}`).join(" ");
}

/** @param {readonly Named[]} places @returns {[Named, Named][]} */
function pairs(places) {
  return places.slice(1).map((to, at) => [/** @type {Named} */ (places[at]), to]);
}

/** "Rome, Athens and Malta" @param {readonly string[]} names */
function listed(names) {
  return new Intl.ListFormat("en-GB", { type: "conjunction" }).format(names);
}
