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
 * @typedef {import("./asked.js").CarRequest} CarRequest
 *
 * @typedef {object} Control the input that a fact is edited with
 * @property {"text" | "place" | "date" | "number" | "select"} type
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
 * @property {boolean} assumed whether nobody said it: it comes from the rest of the trip, or is what is usual
 * @property {boolean} usual whether it says what is assumed anyhow, so that it need not be told at once
 * @property {Control} control
 * @property {(value: string) => string} say the message that asks for this value
 *
 * @typedef {Omit<Fact, "usual" | "assumed">} Plain
 */

import { askedCar, askedFlight, askedStay, cityOf, furtherWords } from "./asked.js";
import { counted } from "./english.js";
import { cabinName } from "./flights.js";
import { rounded } from "./money.js";
import * as phrases from "./phrases.js";
import { dayMonth, shortDay } from "./times.js";

/** What stands where anything will do. */
export const OPEN = "Any";
/** What stands where something has still to be said. */
const UNSAID = "Not set";
/** What is assumed where nobody says anything else. */
const USUAL = new Set([OPEN, cabinName("economy"), "1 room"]);

/** The facts that may be assumed, each with its field of the request. */
const OF_FLIGHT = { leave: "departure_date", back: "return_date", people: "passengers", cabin: "cabin_class" };
const OF_CAR = { "pick-up": "pick_up", "drop-off": "drop_off" };
const OF_STAY = { "check-in": "check_in", "check-out": "check_out", guests: "guests", rooms: "rooms" };

/** What is no limit: how many they are. */
const HOW_MANY = ["passengers", "guests", "rooms", "children"];

/** The fields that have a fact of their own here; others are shown as the server words them. */
const TOLD_OF_FLIGHT = ["passengers", "cabin_class", "max_stops", "max_price"];
const TOLD_OF_STAY = ["district", "guests", "rooms", "stars", "max_price"];
const TOLD_OF_CAR = ["max_price"];

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
  const car = askedCar(agents);
  return [
    ...(flight ? flightFacts(flight, stay).map((fact) => told(fact, flight, OF_FLIGHT)) : []),
    ...(stay ? hotelFacts(stay, flight).map((fact) => told(fact, stay, OF_STAY)) : []),
    ...(car ? carFacts(car, flight, stay).map((fact) => told(fact, car, OF_CAR)) : []),
  ];
}

/** @param {Plain} fact @param {{assumed?: string[]}} asked @param {Object<string, string>} fields @returns {Fact} */
function told(fact, { assumed = [] }, fields) {
  return { ...fact, usual: USUAL.has(fact.text), assumed: assumed.includes(fields[fact.name] ?? "") };
}

/**
 * What was asked for and is not used, in the user's own words; none where agents were not asked for anything.
 *
 * @param {Object<string, Agent>} agents
 * @returns {string[]}
 */
export function unusedOf(agents) {
  return (askedFlight(agents) ?? askedStay(agents) ?? askedCar(agents))?.unused ?? [];
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
      control: { type: "date", value: back ?? "", required: false, hint: "Leave empty for one way" },
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
    ...furtherWords(asked, TOLD_OF_FLIGHT).map((wish) => worded("flight", "Flights", wish)),
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
      control: /** @type {Control} */ ({ type: "text", value: district, required: false, hint: "Leave empty for any district" }),
    },
    budget("hotel-budget", "Night up to", asked.max_price, "", phrases.hotelBudget),
    ...furtherWords(asked, TOLD_OF_STAY).map((wish) => worded("hotel", "Hotels", wish)),
  ];
  return own.filter((fact) => fact !== null);
}

/** @param {CarRequest} asked @param {FlightRequest | null} flight @param {HotelRequest | null} hotel @returns {Plain[]} */
function carFacts(asked, flight, hotel) {
  const { city, pick_up: from, drop_off: to } = asked;
  const goal = flight?.destination ?? hotel?.city;
  const [first, last] = flight ? [flight.departure_date, flight.return_date] : [hotel?.check_in, hotel?.check_out];
  const own = [
    goal?.label === city?.label ? null : place("car-city", goal ? "Car in" : "To", city?.label, phrases.carCity),
    first === from ? null : day("pick-up", "Pick up", from, phrases.pickUp),
    last === to ? null : day("drop-off", "Return the car", to, phrases.dropOff),
    budget("car-budget", "Day up to", asked.max_price, "", phrases.carBudget),
    ...furtherWords(asked, TOLD_OF_CAR).map((wish) => worded("car", "Rental cars", wish)),
  ];
  return own.filter((fact) => fact !== null);
}

/** @param {string} name @param {string} label @param {string | undefined} value @param {Fact["say"]} say @returns {Plain} */
function place(name, label, value, say) {
  return { name, label, text: value || UNSAID, control: { type: "place", value: value ?? "", required: true }, say };
}

/**
 * A wish that this page has no input for: it is changed in the words in which it is shown.
 *
 * @param {string} agent
 * @param {string} label
 * @param {[field: string, words: string]} wish
 * @returns {Plain}
 */
function worded(agent, label, [field, text]) {
  const control = /** @type {Control} */ ({ type: "text", value: text, required: true });
  return { name: `${agent}-${field}`, label, text, control, say: (words) => phrases.wish(label, words) };
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
    control: { type: "number", value, required: false, min: 1, hint: `In ${currency}. Leave empty for any price` },
    say: (amount) => say(amount ? { amount, currency } : null),
  };
}

/**
 * What is asked of the offers, each once: "nonstop", "at least 4 stars".
 *
 * @param {Object<string, Agent>} agents
 */
export function limitsOf(agents) {
  const asked = [askedFlight(agents), askedStay(agents), askedCar(agents)].filter((request) => request !== null);
  return [...new Set(asked.flatMap((request) => furtherWords(request, HOW_MANY).map(([, words]) => words)))];
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
  return cityOf((askedStay(agents) ?? askedCar(agents))?.city?.label);
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
  const first = flight ? flight.departure_date : (askedStay(agents)?.check_in ?? askedCar(agents)?.pick_up);
  const places = placesOf(agents);
  if (places && `${before},`.includes(`→ ${places},`)) return before;
  return places && first ? `${places}, ${dayMonth(first)}` : places;
}
