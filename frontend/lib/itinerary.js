/** The trip as plain text, to be sent to a friend: what is booked, else the cheapest of what was found. Pure. */

import { inventedIn } from "./board.js";
import { bookingState, soldBy } from "./bookings.js";
import { counted } from "./english.js";
import { factsOf } from "./facts.js";
import { carriersOf, directionOf, stopCount } from "./flights.js";
import { written } from "./money.js";
import { byKind, citiesInOrder, ORDERS } from "./offers.js";
import { markOf, viaSeller } from "./sellers.js";
import { dayRange, dayShift, duration, fullDay, shortDay } from "./times.js";

const FOUND_TOLD = 3;

/**
 * @param {import("./reduce.js").State} state
 * @param {import("./types.js").Task | null} search the task whose results are shown
 * @param {string} title
 */
export function itineraryText(state, search, title) {
  const facts = factsOf(search?.agents ?? {}).map(({ label, text }) => `${label}: ${text}`);
  const found = byKind(search?.partials ?? {});
  const bookings = /** @type {import("./bookings.js").Booking[]} */ (state.bookings ?? []);
  const parts = [
    [title, ...facts],
    section("Bookings", bookings.map(bookingLine)),
    section("Plans", cheapestOf(found.plan, "plan").map(planLines)),
    section("Flights", cheapestOf(found.flight, "flight").map(flightLines)),
    section("Hotels", cheapestOf(found.hotel, "hotel").map(hotelLine)),
    { none: [], some: ["What no seller is named of is demo data."], all: ["Demo data."] }[inventedIn(search ? [search] : [], bookings)],
  ];
  const text = parts.filter((lines) => lines.length).map((lines) => lines.join("\n")).join("\n\n");
  return text.replaceAll("\u00a0", " "); // what holds words together on the page is only odd elsewhere
}

/** @param {string} title @param {string[]} lines */
function section(title, lines) {
  return lines.length ? [title, ...lines] : [];
}

/**
 * @template {import("./types.js").Offer} O
 * @param {O[]} offers
 * @param {import("./offers.js").Kind} kind
 */
function cheapestOf(offers, kind) {
  return offers.toSorted(ORDERS[kind][0]?.by).slice(0, FOUND_TOLD);
}

/** @param {import("./bookings.js").Booking} booking */
function bookingLine(booking) {
  const total = booking.price_total ? `, ${written(booking.price_total)}` : "";
  return `- ${booking.reference}: ${booking.title}${total} (${bookingState(booking, { isShared: true }).toLowerCase()})${soldWords(soldBy(booking))}`;
}

/** ", via Duffel (test)"; "" for the demo. @param {import("./sellers.js").Sold} sold */
function soldWords(sold) {
  const seller = viaSeller(sold);
  return seller && `, ${seller}${markOf(sold) ? " (test)" : ""}`;
}

/** @param {import("./types.js").FlightOffer} offer */
function flightLines(offer) {
  return [`- ${carriersOf(offer)}, ${written(offer.price_total)}${soldWords(offer)}`, ...offer.slices.map(directionLine)].join("\n");
}

/** @param {import("./types.js").Slice} slice */
function directionLine(slice) {
  const direction = directionOf(slice);
  const { day, from, leaves, to, lands, shift, minutes } = direction;
  const numbers = slice.segments.map(({ carrier_name: name, number }) => `${name} ${number}`).join(", ");
  const arrival = [lands, dayShift(shift)].filter(Boolean).join(" ");
  return `  ${fullDay(day)}: ${from} ${leaves} – ${to} ${arrival}, ${duration(minutes)}, ${stopCount(direction).toLowerCase()} (${numbers})`;
}

/** @param {import("./types.js").HotelOffer} offer */
function hotelLine(offer) {
  const { name, stars, district, city, check_in, check_out, price_total } = offer;
  const what = [name, stars === null ? "" : counted(stars, "star"), district, city].filter(Boolean).join(", ");
  return `- ${what}: ${dayRange(check_in, check_out)}, ${written(price_total)}${soldWords(offer)}`;
}

/** @param {import("./types.js").TourPlan} plan */
function planLines(plan) {
  const stays = plan.stays.map(({ city, nights }) => `${city} ${counted(nights, "night")}`).join(", ");
  const days = `${shortDay(plan.first_day)} – ${shortDay(plan.last_day)}`;
  return [`- ${citiesInOrder(plan)}, ${days}, ${written(plan.price_total)}`, `  ${stays}`, ...plan.legs.flatMap((leg) => leg.slices.map(directionLine))].join("\n");
}
