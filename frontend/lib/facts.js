/**
 * The facts of a trip, as its agents were asked to find it: what each says, how it is edited, and the message that
 * an edit sends. Pure.
 *
 * A fact of the stay is told apart only where it differs from the flight's, so that a trip of two days and one place
 * reads as one.
 *
 * @typedef {import("./types.js").Money} Money
 * @typedef {import("./types.js").Agent} Agent
 * @typedef {import("./asked.js").FlightRequest} FlightRequest
 * @typedef {import("./asked.js").HotelRequest} HotelRequest
 *
 * @typedef {object} Control the native input that a fact is edited with
 * @property {"text" | "date" | "number" | "select"} type
 * @property {string} value what it begins with
 * @property {boolean} required whether it may not be left empty
 * @property {string} [hint] what an empty one means
 * @property {number} [min]
 * @property {number} [max]
 * @property {[value: string, name: string][]} [options]
 *
 * @typedef {object} Fact
 * @property {string} name
 * @property {string} label
 * @property {string} text
 * @property {boolean} usual whether it says what is assumed anyhow, so that it need not be told at once
 * @property {Control} control
 * @property {(value: string) => string} say the message that asks for this value
 *
 * @typedef {Omit<Fact, "usual">} Plain
 */

import { askedFlight, askedStay, cityOf } from "./asked.js";
import { counted } from "./english.js";
import { cabinName } from "./flights.js";
import { rounded } from "./money.js";
import * as phrases from "./phrases.js";
import { dayMonth, shortDay } from "./times.js";

/** What stands where anything will do. */
export const OPEN = "Any";
/** What stands where something has still to be said. */
const UNSAID = "Not said yet";
/** What is assumed where nobody says anything else. */
const USUAL = new Set([OPEN, cabinName("economy"), "1 room"]);

const MOST_PEOPLE = 9;
const MOST_ROOMS = 5;
const CABINS = ["economy", "premium_economy", "business", "first"];
const DEFAULT_CURRENCY = "EUR";

/**
 * The facts of what agents look for; none where they were not asked for anything that this page knows.
 *
 * @param {Object<string, Agent>} agents
 * @returns {Fact[]}
 */
export function factsOf(agents) {
  const flight = askedFlight(agents);
  const stay = askedStay(agents);
  const facts = [...(flight ? flightFacts(flight, stay) : []), ...(stay ? hotelFacts(stay, flight) : [])];
  return facts.map((fact) => ({ ...fact, usual: USUAL.has(fact.text) }));
}

/** @param {FlightRequest} asked @param {HotelRequest | null} hotel @returns {Plain[]} */
function flightFacts(asked, hotel) {
  const apart = hotel !== null && hotel.city?.label !== asked.destination?.label;
  const others = hotel !== null && hotel.guests !== asked.passengers;
  const { origin, destination, departure_date: leave, return_date: back, passengers, cabin_class, max_stops } = asked;
  return [
    place("from", "From", origin?.label, phrases.leaveFrom),
    place("to", "To", destination?.label, apart ? phrases.flyTo : phrases.goTo),
    day("leave", "Leave", leave, phrases.leaveOn),
    {
      ...day("back", "Return", back ?? "", (value) => (value ? phrases.returnOn(value) : phrases.oneWay())),
      text: back ? shortDay(back) : "One way",
      control: { type: "date", value: back ?? "", required: false, hint: "Empty: one way" },
    },
    number("people", "People", passengers, MOST_PEOPLE, "person", others ? phrases.passengers : phrases.people),
    choice("cabin", "Cabin", cabin_class, CABINS.map((cabin) => [cabin, cabinName(cabin)]), phrases.cabin),
    choice(
      "stops",
      "Stops",
      max_stops === null || max_stops === undefined ? "" : String(max_stops),
      [["", OPEN], ["0", "Nonstop"], ["1", "1 at most"], ["2", "2 at most"]],
      (value) => phrases.stops(value === "" ? null : Number(value)),
    ),
    budget("flight-budget", "Fare up to", asked.max_price, "each", phrases.flightBudget),
  ];
}

/** @param {HotelRequest} asked @param {FlightRequest | null} flight @returns {Plain[]} */
function hotelFacts(asked, flight) {
  const { city, district, check_in: arrive, check_out: depart, guests, rooms, stars } = asked;
  const together = flight !== null && flight.destination?.label === city?.label;
  const sameDays = flight !== null && flight.departure_date === arrive && flight.return_date === depart;
  const own = [
    together ? null : place("city", flight ? "Hotel in" : "To", city?.label, phrases.hotelCity),
    sameDays ? null : day("check-in", "Check in", arrive, phrases.checkIn),
    sameDays ? null : day("check-out", "Check out", depart, phrases.checkOut),
    flight?.passengers === guests ? null : number("guests", "Guests", guests, MOST_PEOPLE, "guest", phrases.guests),
    number("rooms", "Rooms", rooms, MOST_ROOMS, "room", phrases.rooms),
    choice(
      "stars",
      "Stars",
      stars ? String(stars) : "",
      [["", OPEN], ["2", "2 or more"], ["3", "3 or more"], ["4", "4 or more"], ["5", "5"]],
      (value) => phrases.stars(value === "" ? null : Number(value)),
    ),
    {
      ...place("district", "District", district, phrases.district),
      text: district || OPEN,
      control: /** @type {Control} */ ({ type: "text", value: district, required: false, hint: "Empty: any district" }),
    },
    budget("hotel-budget", "Night up to", asked.max_price, "", phrases.hotelBudget),
  ];
  return own.filter((fact) => fact !== null);
}

/** @param {string} name @param {string} label @param {string | undefined} value @param {Fact["say"]} say @returns {Plain} */
function place(name, label, value, say) {
  return { name, label, text: value || UNSAID, control: { type: "text", value: value ?? "", required: true }, say };
}

/** @param {string} name @param {string} label @param {string | null} value @param {Fact["say"]} say @returns {Plain} */
function day(name, label, value, say) {
  const text = value ? shortDay(value) : UNSAID;
  return { name, label, text, control: { type: "date", value: value ?? "", required: true }, say };
}

/**
 * @param {string} name
 * @param {string} label
 * @param {number} value
 * @param {number} max
 * @param {string} noun
 * @param {(count: number) => string} say
 * @returns {Plain}
 */
function number(name, label, value, max, noun, say) {
  const control = /** @type {Control} */ ({ type: "number", value: String(value), required: true, min: 1, max });
  const text = noun === "person" ? counted(value, noun, "people") : counted(value, noun);
  return { name, label, text, control, say: (written) => say(Number(written)) };
}

/**
 * @param {string} name
 * @param {string} label
 * @param {string} value
 * @param {[value: string, name: string][]} options
 * @param {Fact["say"]} say
 * @returns {Plain}
 */
function choice(name, label, value, options, say) {
  const text = options.find(([each]) => each === value)?.[1] ?? value;
  return { name, label, text, control: { type: "select", value, required: false, options }, say };
}

/**
 * @param {string} name
 * @param {string} label
 * @param {Money | null} limit
 * @param {string} each
 * @param {(limit: Money | null) => string} say
 * @returns {Plain}
 */
function budget(name, label, limit, each, say) {
  const currency = limit?.currency ?? DEFAULT_CURRENCY;
  const value = limit ? String(Number(limit.amount)) : "";
  return {
    name,
    label,
    text: limit ? [rounded(limit), each].filter(Boolean).join(" ") : OPEN,
    control: { type: "number", value, required: false, min: 1, hint: `In ${currency}. Empty: any price` },
    say: (amount) => say(amount ? { amount, currency } : null),
  };
}

/**
 * "Berlin → Tokyo", "Tokyo"; "" where agents were not asked for a place. A line ends behind an
 * arrow rather than before it.
 *
 * @param {Object<string, Agent>} agents
 */
export function placesOf(agents) {
  const flight = askedFlight(agents);
  if (flight) return [flight.origin, flight.destination].map((place) => cityOf(place?.label)).filter(Boolean).join("\u00a0→ ");
  return cityOf(askedStay(agents)?.city?.label);
}

/**
 * What a trip may be called: "Berlin → Tokyo, 10 Dec"; "" where no place is known. A stay where its way leads is no
 * other trip: it keeps the name that it has.
 *
 * @param {Object<string, Agent>} agents
 * @param {string} [before] its name until now
 */
export function tripName(agents, before = "") {
  const flight = askedFlight(agents);
  const first = flight ? flight.departure_date : askedStay(agents)?.check_in;
  const places = placesOf(agents);
  if (places && `${before},`.includes(`→ ${places},`)) return before;
  return places && first ? `${places}, ${dayMonth(first)}` : places;
}
