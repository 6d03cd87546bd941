/** Tours, flight and hotel offers as rows. Times are shown as written, which is local to their airport. */

import { element } from "./elements.js";

const DAY_MS = 86_400_000;
const dayFormat = new Intl.DateTimeFormat(undefined, {
  weekday: "short",
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});

export function money({ amount, currency }) {
  try {
    return new Intl.NumberFormat(undefined, { style: "currency", currency }).format(Number(amount));
  } catch {
    return `${amount} ${currency}`;
  }
}

function day(iso) {
  return dayFormat.format(new Date(`${iso.slice(0, 10)}T00:00:00Z`));
}

function daysBetween(from, to) {
  return Math.round((Date.parse(to.slice(0, 10)) - Date.parse(from.slice(0, 10))) / DAY_MS);
}

function duration(minutes) {
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")}`;
}

/** "Thu, 4 Mar · LIS 10:05 → 08:40 +1 NRT · 16 h 35 · 1 stop (FRA)" */
export function sliceLine({ segments, duration_minutes: minutes }) {
  const first = segments[0];
  const last = segments[segments.length - 1];
  const later = daysBetween(first.departs_at, last.arrives_at);
  const stops = segments.slice(1).map((segment) => segment.origin);
  const count = stops.length === 1 ? "1 stop" : `${stops.length} stops`;
  const via = stops.length === 0 ? "direct" : `${count} (${stops.join(", ")})`;
  const shift = later === 0 ? "" : ` ${later > 0 ? "+" : "−"}${Math.abs(later)}`;
  const start = `${first.origin} ${first.departs_at.slice(11, 16)}`;
  const end = `${last.arrives_at.slice(11, 16)}${shift} ${last.destination}`;
  return [day(first.departs_at), `${start} → ${end}`, duration(minutes), via].join(" · ");
}

function carriers(offer) {
  const segments = offer.slices.flatMap((slice) => slice.segments);
  return [...new Set(segments.map((segment) => segment.carrier_name || segment.carrier))].join(", ");
}

function offerRow(name, lines, price, note, live) {
  return element(
    "li",
    { className: "offer" },
    element(
      "div",
      { className: "offer-what" },
      element("p", { className: "offer-name" }, name, live ? "" : element("span", { className: "badge" }, "demo")),
      ...lines.map((line) => element("p", { className: "offer-line" }, line)),
    ),
    element(
      "div",
      { className: "offer-price" },
      element("p", { className: "price" }, price),
      element("p", { className: "offer-line" }, note),
    ),
  );
}

/** "Vienna → Rome → Athens → Vienna" */
export function route({ start, order, returns }) {
  const cities = start ? [start, ...order] : order;
  return [...cities, ...(returns ? [cities[0]] : [])].join(" → ");
}

export function tourRow(plan) {
  const days = `${day(plan.first_day)} – ${day(plan.last_day)}`;
  const nights = plan.stays.map((stay) => `${stay.city} ${stay.nights}`).join(", ");
  const flights = plan.legs.map((leg) => `${sliceLine(leg.slices[0])} · ${carriers(leg)} · ${money(leg.price_total)}`);
  const note = plan.passengers > 1 ? `${money(plan.price_per_person)} each` : `${plan.legs.length} flights`;
  const lines = [`${days} · nights: ${nights}`, ...flights];
  return offerRow(route(plan), lines, money(plan.price_total), note, plan.live);
}

export function flightRow(offer) {
  const cabin = offer.cabin_class.replaceAll("_", " ");
  const note = offer.passengers > 1 ? `${money(offer.price_per_person)} each` : cabin;
  return offerRow(carriers(offer), offer.slices.map(sliceLine), money(offer.price_total), note, offer.live);
}

export function hotelRow(offer) {
  const place = [offer.district || offer.city, `${offer.distance_km.toFixed(1)} km to the centre`].join(" · ");
  const stay = `${day(offer.check_in)} – ${day(offer.check_out)} · score ${offer.score}`;
  const name = element(
    "span",
    {},
    `${offer.name} `,
    element("span", { className: "stars", title: `${offer.stars} stars` }, "★".repeat(offer.stars)),
  );
  const perNight = `${money(offer.price_per_night)} a night`;
  return offerRow(name, [place, stay], money(offer.price_total), perNight, offer.live);
}

export function cheapestFirst(offers) {
  return offers.toSorted((one, other) => Number(one.price_total.amount) - Number(other.price_total.amount));
}

export function cheapest(offers) {
  return cheapestFirst(offers)[0].price_total;
}
