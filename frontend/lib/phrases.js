/**
 * What the page says in the user's place: every control that changes the trip sends an ordinary message.
 *
 * So a click is seen in the conversation, interrupts as any message does, and needs nothing of the server that
 * words do not. Each sentence is one that the rules of understanding take exactly as it is meant; tests ask them.
 * Days carry their year, since a sentence may be read again after New Year's Eve.
 *
 * A change of the trip (`goTo`, `leaveOn`, `returnOn`, `people`) holds for the stay as well where the two agreed;
 * one of the stay (`checkIn`, `checkOut`, `hotelCity`) leaves the flight as it is.
 */

import { furtherWords } from "./asked.js";
import { aCar, stationName } from "./cars.js";
import { counted } from "./english.js";

/**
 * @typedef {import("./types.js").Money} Money
 * @typedef {import("./types.js").FlightOffer} FlightOffer
 * @typedef {import("./types.js").HotelOffer} HotelOffer
 * @typedef {import("./types.js").CarOffer} CarOffer
 * @typedef {import("./types.js").Offer} Offer
 * @typedef {import("./types.js").Slice} Slice
 * @typedef {import("./types.js").Agent} Agent
 * @typedef {{label?: string} & Object<string, unknown>} Spot
 * @typedef {{agents?: Object<string, Agent>, partials?: Object<string, Offer[]>}} TaskLike a task, or what an
 *   interrupted one left
 */

const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** @type {Object<string, string>} */
const CABINS = {
  economy: "Economy class",
  premium_economy: "Premium economy",
  business: "Business class",
  first: "First class",
};

/** @type {Map<string, string>} */
const SEARCHES = new Map([
  ["flight", "flights"],
  ["hotel", "hotels"],
  ["car", "rental cars"],
]);

/** The fields of requests that are told by words of this page. */
const TOLD_OF_FLIGHT = ["passengers", "cabin_class", "max_stops", "max_price", "departs_after", "departs_before"];
const TOLD_OF_STAY = ["district", "guests", "rooms", "stars", "max_price", "min_score"];
const TOLD_OF_CAR = ["max_price"];

// --- facts of the trip ---------------------------------------------------------------------------------------

/** @param {string} city a city or airport in the user's words, or in full: "Berlin, DE" */
export function leaveFrom(city) {
  return `Fly from ${city} instead.`;
}

/** @param {string} city where the trip goes; the hotel moves along where it was in the same city */
export function goTo(city) {
  return `Go to ${city} instead.`;
}

/** @param {string} city where the flight goes, and it alone: where the hotel is in another city */
export function flyTo(city) {
  return `Fly to ${city} instead.`;
}

/** @param {string} isoDate the day of the flight there: also for a day of the price chart */
export function leaveOn(isoDate) {
  return `Leave on ${day(isoDate)}.`;
}

/** @param {string} isoDate */
export function returnOn(isoDate) {
  return `Fly back on ${day(isoDate)}.`;
}

export function oneWay() {
  return "One way only.";
}

/** @param {number} count for flight and stay, where both are for the same people */
export function people(count) {
  return `Make it ${counted(count, "person", "people")}.`;
}

/** @param {number} count how many fly, where others stay */
export function passengers(count) {
  return `Flights for ${counted(count, "person", "people")}.`;
}

/** @param {string} cabinClass economy, premium_economy, business or first */
export function cabin(cabinClass) {
  return `${CABINS[cabinClass] ?? CABINS.economy}, please.`;
}

/** @param {number | null} most stops at most; null takes the limit away */
export function stops(most) {
  if (most === null) return "Flights with any number of stops.";
  return most === 0 ? "Direct flights, please." : `Flights with at most ${counted(most, "stop")}.`;
}

/** @param {Money | null} each at most, per person; null takes the limit away */
export function flightBudget(each) {
  return each ? `Flights under ${price(each)} per person.` : "No budget for the flights.";
}

/** @param {string | null} first earliest departure, "12:00" @param {string | null} last latest; neither takes both away */
export function departure(first, last) {
  if (first && last) return `Flights leaving between ${first} and ${last}.`;
  return first ? `Flights leaving after ${first}.` : last ? `Flights leaving before ${last}.` : "Any departure time.";
}

/** @param {string} name the one airline that is wanted; "" takes the wish away */
export function airline(name) {
  return name ? `Only flights with ${name}.` : "Any airline is fine.";
}

/** @param {string} what "Flights" or "Hotels" @param {string} words a wish as it is shown: "arriving by 10:00" */
export function wish(what, words) {
  return `${what} ${words}.`;
}

// --- facts of the stay ---------------------------------------------------------------------------------------

/** @param {string} city */
export function hotelCity(city) {
  return `A hotel in ${city} instead.`;
}

/** @param {string} name a part of the city; "" takes the wish away */
export function district(name) {
  return name ? `A hotel in the ${name} area.` : "A hotel in any district.";
}

/** @param {string} isoDate */
export function checkIn(isoDate) {
  return `Check in on ${day(isoDate)}.`;
}

/** @param {string} isoDate */
export function checkOut(isoDate) {
  return `Check out on ${day(isoDate)}.`;
}

/** @param {number} count how many stay, where others fly */
export function guests(count) {
  return `A hotel for ${counted(count, "person", "people")}.`;
}

/** @param {number} count */
export function rooms(count) {
  return `Make it ${counted(count, "room")}.`;
}

/** @param {number | null} least stars at least; null takes the limit away */
export function stars(least) {
  return least ? `Hotels with ${counted(least, "star")}.` : "Hotels with any number of stars.";
}

/** @param {Money | null} each at most, per night; null takes the limit away */
export function hotelBudget(each) {
  return each ? `Hotels under ${price(each)} per night.` : "No budget for the hotel.";
}

/** @param {number | null} least guest score out of 10; null takes the limit away */
export function score(least) {
  return least ? `Hotels rated ${least} or better.` : "Hotels with any rating.";
}

/** @param {string} name "pool" @param {boolean} wanted */
export function amenity(name, wanted) {
  return wanted ? `Hotels with ${name.replaceAll("_", " ")}.` : `No ${name.replaceAll("_", " ")} needed.`;
}

// --- facts of the rental car ---------------------------------------------------------------------------------

/** @param {string} city where a car is picked up and returned, and where it alone is wanted */
export function carCity(city) {
  return `A car in ${city} instead.`;
}

/** @param {string} isoDate */
export function pickUp(isoDate) {
  return `Pick up the car on ${day(isoDate)}.`;
}

/** @param {string} isoDate */
export function dropOff(isoDate) {
  return `Return the car on ${day(isoDate)}.`;
}

/** @param {string} name small, compact, estate, suv, convertible or van; "" takes the wish away */
export function carClass(name) {
  return name ? `${aCar(name)}, please.` : "A car of any size.";
}

/** @param {string} name automatic or manual; "" takes the wish away */
export function transmission(name) {
  return name ? `${name === "manual" ? "A manual" : "An automatic"} car, please.` : "A car with any transmission.";
}

/** @param {string} name airport or centre; "" takes the wish away */
export function station(name) {
  return name ? `Pick up the car ${stationName(name)}.` : "A car at any station.";
}

/** @param {Money | null} each at most, per day; null takes the limit away */
export function carBudget(each) {
  return each ? `Cars under ${price(each)} a day.` : "No budget for the car.";
}

// --- offers and bookings -------------------------------------------------------------------------------------

/** @param {FlightOffer} offer exactly this one, whatever the order in which offers are shown */
export function bookFlight(offer) {
  return `Book the flight ${flightName(offer)}.`;
}

/** @param {HotelOffer} offer exactly this one */
export function bookHotel(offer) {
  const where = offer.district ? ` in ${offer.district}` : "";
  return `Book the hotel "${offer.name}"${where} from ${day(offer.check_in)} to ${day(offer.check_out)}.`;
}

/** @param {CarOffer} offer exactly this one */
export function bookCar(offer) {
  const name = `${offer.transmission} car "${offer.model}, ${offer.supplier}" ${stationName(offer.station)}`;
  return `Book the ${name} from ${day(offer.pick_up)} to ${day(offer.drop_off)}.`;
}

/** @param {string} reference "DEMO-7K2Q4M" */
export function cancelBooking(reference) {
  return `Cancel my booking ${reference}.`;
}

// --- searches ------------------------------------------------------------------------------------------------

/** @param {TaskLike} task one that was interrupted, with what its agents were asked to find */
export function takeUpAgain(task) {
  const what = [flightsOf(task), hotelsOf(task), carsOf(task)].filter(Boolean).join(" and the ");
  return what ? `Go back to the ${what}.` : "Go back to the previous search.";
}

/** @param {string} agent flight, hotel or car: search once more for the same */
export function retry(agent) {
  const what = SEARCHES.get(agent);
  return what ? `Search the ${what} again.` : "Try again.";
}

// --- words ---------------------------------------------------------------------------------------------------

/** "10 December 2026" @param {string} isoDate a day, or a time of which only the day counts */
export function day(isoDate) {
  const [year, month, date] = isoDate.slice(0, 10).split("-").map(Number);
  return `${date} ${MONTHS[Number(month) - 1]} ${year}`;
}

/** "600 EUR", "99.50 EUR" @param {Money} money */
function price({ amount, currency }) {
  return `${amount.replace(/\.0+$/, "")} ${currency}`;
}

/**
 * "Amberwing Demo 253 and 1908 on 10 December 2026 at 09:05, back with Amberwing Demo 256 on ...": the carrier and
 * the numbers, and when it leaves, of each direction.
 *
 * @param {FlightOffer} offer
 */
function flightName(offer) {
  return offer.slices.map(direction).join(", back with ");
}

/** @param {Slice} slice */
function direction({ segments }) {
  const flights = segments.map(({ carrier_name: name, number }, at) =>
    at > 0 && segments[at - 1]?.carrier_name === name ? number : `${name} ${number}`,
  );
  const leaves = segments[0]?.departs_at ?? "";
  return `${flights.join(" and ")} on ${day(leaves)} at ${leaves.slice(11, 16)}`;
}

/** All that flights were asked for, in words; "" for none. @param {TaskLike} task */
function flightsOf({ agents, partials }) {
  const asked = agents?.flight?.request;
  if (asked) {
    return words(
      "flights",
      then("from", label(asked.origin)),
      then("to", label(asked.destination)),
      then("on", date(asked.departure_date)),
      leaving(asked.departs_after, asked.departs_before),
      then("returning on", date(asked.return_date)),
      then("for", several(asked.passengers, "people")),
      then("in", asked.cabin_class === "economy" ? "" : (CABINS[String(asked.cabin_class)] ?? "").toLowerCase()),
      then("with", mostStops(asked.max_stops)),
      then("under", limit(asked.max_price, "person")),
      ...furtherWords(asked, TOLD_OF_FLIGHT).map(([, wished]) => `, ${wished}`),
    );
  }
  const found = /** @type {FlightOffer | undefined} */ (partials?.flight?.[0]);
  const there = found?.slices[0]?.segments;
  return there?.length ? `flights to ${there.at(-1)?.destination} on ${day(there[0]?.departs_at ?? "")}` : "";
}

/** All that a stay was asked for, in words; "" for none. @param {TaskLike} task */
function hotelsOf({ agents, partials }) {
  const asked = agents?.hotel?.request;
  if (asked) {
    return words(
      "hotels",
      then("in", label(asked.city)),
      then("from", date(asked.check_in)),
      then("to", date(asked.check_out)),
      asked.district ? `in the ${asked.district} area` : "",
      then("for", several(asked.guests, "people")),
      then("with", several(asked.rooms, "rooms")),
      then("with", several(asked.stars, "stars")),
      then("under", limit(asked.max_price, "night")),
      asked.min_score ? `rated ${asked.min_score} or better` : "",
      ...furtherWords(asked, TOLD_OF_STAY).map(([, wished]) => `, ${wished}`),
    );
  }
  const found = /** @type {HotelOffer | undefined} */ (partials?.hotel?.[0]);
  return found ? `hotels in ${found.city}, ${found.country} from ${day(found.check_in)} to ${day(found.check_out)}` : "";
}

/** All that a rental car was asked for, in words; "" for none. @param {TaskLike} task */
function carsOf({ agents, partials }) {
  const asked = agents?.car?.request;
  if (asked) {
    return words(
      "rental cars",
      then("in", label(asked.city)),
      then("from", date(asked.pick_up)),
      then("to", date(asked.drop_off)),
      asked.max_price ? `under ${price(/** @type {Money} */ (asked.max_price))} a day` : "",
      ...furtherWords(asked, TOLD_OF_CAR).map(([, wished]) => `, ${wished}`),
    );
  }
  const found = /** @type {CarOffer | undefined} */ (partials?.car?.[0]);
  return found ? `rental cars in ${found.city}, ${found.country} from ${day(found.pick_up)} to ${day(found.drop_off)}` : "";
}

/** @param {...string} told */
function words(...told) {
  return told.length > 1 && told.slice(1).some(Boolean) ? told.filter(Boolean).join(" ").replaceAll(" ,", ",") : "";
}

/** @param {string} word @param {string} what */
function then(word, what) {
  return what && `${word} ${what}`;
}

/** @param {unknown} place */
function label(place) {
  return /** @type {Spot | null} */ (place)?.label ?? "";
}

/** @param {unknown} isoDate */
function date(isoDate) {
  return typeof isoDate === "string" ? day(isoDate) : "";
}

/** More than one of something, which is what is searched for unless said. @param {unknown} count @param {string} many */
function several(count, many) {
  return typeof count === "number" && count > 1 ? `${count} ${many}` : "";
}

/** @param {unknown} most */
function mostStops(most) {
  if (typeof most !== "number") return "";
  return most === 0 ? "no stops" : `at most ${counted(most, "stop")}`;
}

/** When the first flight leaves. @param {unknown} first "09:05" @param {unknown} last */
function leaving(first, last) {
  if (first && last) return `leaving between ${first} and ${last}`;
  return first ? `leaving after ${first}` : last ? `leaving by ${last}` : "";
}

/** @param {unknown} money @param {string} each */
function limit(money, each) {
  return money ? `${price(/** @type {Money} */ (money))} per ${each}` : "";
}
