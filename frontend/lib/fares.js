/**
 * Prices by day: what to ask the server for a flight that is looked for, and what a chart of its answer says. Pure.
 *
 * @typedef {import("./types.js").Money} Money
 * @typedef {import("./types.js").Task} Task
 * @typedef {{date: string, price_total?: Money | null}} DayFare null where nothing flies, left out while not known
 * @typedef {{base: string, days: readonly DayFare[], isKnown: boolean}} Week some days, and of what search they are
 *   but for its day
 *
 * @typedef {object} DayBar
 * @property {string} date
 * @property {Money | null | undefined} price
 * @property {number} share of the dearest day's price, 0 where there is none
 * @property {boolean} isChosen the day that the trip begins on now
 * @property {boolean} isCheapest
 * @property {string} words for those who don't see the bar
 */

import { askedFlight } from "./asked.js";
import { compare, rounded, spoken } from "./money.js";
import { shortDay } from "./times.js";

const DAY_MS = 86_400_000;
const [LEAST_DAYS, MOST_DAYS] = [3, 7];
const MOST_CODES = 8;

/**
 * The query for the days around that on which a task's flight leaves; null where it is not known, or has passed.
 *
 * @param {Task | null} task
 * @returns {Object<string, string | number> | null}
 */
export function fareQuery(task) {
  const asked = askedFlight(task?.agents ?? {});
  if (!asked) return null;
  const origins = codes(asked.origin);
  const destinations = codes(asked.destination);
  if (!origins || !destinations || typeof asked.departure_date !== "string") return null;
  const query = {
    origins,
    destinations,
    departure_date: asked.departure_date,
    return_date: asked.return_date,
    passengers: asked.passengers,
    cabin_class: asked.cabin_class,
    max_stops: asked.max_stops,
    max_price: asked.max_price?.amount,
    currency: asked.max_price?.currency,
    days: Math.min(MOST_DAYS, Math.max(LEAST_DAYS, asked.flexible_days ?? 0)),
  };
  return Object.fromEntries(Object.entries(query).flatMap(([name, value]) => (isGiven(value) ? [[name, value]] : [])));
}

/**
 * What a query asks for on whatever day: where this is the same, so are the prices.
 *
 * @param {Object<string, string | number>} query
 */
export function baseOf(query) {
  return JSON.stringify({ ...query, departure_date: "" });
}

/**
 * Whether a week that is shown tells the prices around a query's day as well: then the days stay where they are, and
 * only the mark moves.
 *
 * @param {Week | null} week
 * @param {Object<string, string | number>} query
 */
export function tellsAround(week, query) {
  if (!week?.isKnown || week.base !== baseOf(query)) return false;
  const at = week.days.findIndex(({ date }) => date === query.departure_date);
  return at > 0 && at < week.days.length - 1;
}

/**
 * The days that an answer will most likely be about, before it is there.
 *
 * @param {Object<string, string | number>} query
 * @returns {DayFare[]}
 */
export function expectedDays({ departure_date: middle, days }) {
  const noon = Date.parse(`${middle}T12:00:00Z`);
  const reach = Number(days);
  return Array.from({ length: 2 * reach + 1 }, (_, at) => ({
    date: new Date(noon + (at - reach) * DAY_MS).toISOString().slice(0, 10),
  }));
}

/**
 * @param {readonly DayFare[]} days
 * @param {string} chosen the day on which the trip begins now
 * @returns {DayBar[]}
 */
export function barsOf(days, chosen) {
  const prices = days.flatMap(({ price_total: price }) => price ?? []);
  const least = cheapestOf(prices);
  const most = Math.max(...prices.map(({ amount }) => Number(amount)));
  return days.map(({ date, price_total: price }) => {
    const isChosen = date === chosen;
    const isCheapest = Boolean(price && least && compare(price, least) === 0);
    const share = price ? Number(price.amount) / most : 0;
    const day = isChosen ? `${shortDay(date)}, the day you leave` : `Leave on ${shortDay(date)}`;
    const costs = price === null ? "no flight found" : price && spoken(price);
    const words = `${costs ? `${day}: ${costs}` : day}${isCheapest ? ", the cheapest" : ""}`;
    return { date, price, share, isChosen, isCheapest, words };
  });
}

/**
 * Which day is the cheapest, and what that would save: "Cheapest on Tue 8 Dec, €512: €100 less than on Thu 10 Dec."
 *
 * @param {readonly DayBar[]} bars
 */
export function summaryOf(bars) {
  const chosen = bars.find(({ isChosen }) => isChosen);
  const best = chosen?.isCheapest ? chosen : bars.find(({ isCheapest }) => isCheapest);
  if (!best?.price) return "";
  if (best === chosen) return `${shortDay(best.date)} is the cheapest of these days, ${rounded(best.price)}.`;
  const cheapest = `Cheapest on ${shortDay(best.date)}, ${rounded(best.price)}`;
  if (!chosen?.price) return `${cheapest}.`;
  const { amount, currency } = chosen.price;
  const saved = { amount: String(Number(amount) - Number(best.price.amount)), currency };
  return `${cheapest}: ${rounded(saved)} less than on ${shortDay(chosen.date)}.`;
}

/** @template V @param {V | null | undefined} value @returns {value is V} */
function isGiven(value) {
  return value !== null && value !== undefined;
}

/** @param {readonly Money[]} prices */
function cheapestOf(prices) {
  return prices.toSorted(compare)[0] ?? null;
}

/** @param {import("./asked.js").Spot | null} place */
function codes(place) {
  const known = Array.isArray(place?.codes) ? place.codes : [];
  return known.slice(0, MOST_CODES).join(",");
}
