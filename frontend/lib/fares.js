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

// --- A month of fares

/**
 * @typedef {Object<string, string | number>} FareQuery
 *
 * @typedef {object} MonthDay
 * @property {string} date
 * @property {number} column of the week, Monday first, from 1
 * @property {Money | null | undefined} price null where nothing flies, left out while it is not known
 * @property {"low" | ""} level whether it is among the cheapest third of the month
 * @property {boolean} isChosen the day that the trip begins on now
 * @property {boolean} isCheapest
 * @property {boolean} isOpen whether the trip could begin on it
 * @property {string} words for who does not see the grid
 */

/** A month is asked for in three parts, so that others have their turn between: 11 days around each of these. */
const [MIDDLES, REACH] = [[6, 17, 28], 5];

/** "2027-03" of a day, or so many months away. @param {string} day @param {number} [away] */
export function monthOf(day, away = 0) {
  const [year, month] = day.split("-").map(Number);
  return new Date(Date.UTC(Number(year), Number(month) - 1 + away, 1)).toISOString().slice(0, 7);
}

/** "March 2027" @param {string} month */
export function monthName(month) {
  return new Date(`${month}-01T00:00:00Z`).toLocaleDateString("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });
}

/**
 * What to ask for a month, part by part; nothing for days before today.
 *
 * @param {FareQuery} query
 * @param {string} month
 * @param {string} today
 * @returns {FareQuery[]}
 */
export function monthQueries(query, month, today) {
  const days = daysIn(month);
  return MIDDLES.flatMap((middle) => {
    const last = days[Math.min(days.length, middle + REACH) - 1] ?? "";
    return last < today ? [] : [{ ...query, departure_date: days[middle - 1] ?? "", days: REACH }];
  });
}

/**
 * @param {string} month
 * @param {readonly DayFare[]} fares those that are known, of any days
 * @param {{chosen: string, today: string}} about
 * @returns {MonthDay[]}
 */
export function monthDays(month, fares, { chosen, today }) {
  const known = new Map(fares.map(({ date, price_total }) => [date, price_total]));
  const days = daysIn(month);
  const prices = days.flatMap((date) => known.get(date) ?? []).sort(compare);
  const [least, low] = [prices[0], prices[Math.floor(prices.length / 3) - 1]];
  return days.map((date) => {
    const price = known.get(date);
    const isChosen = date === chosen;
    const isCheapest = Boolean(price && least && compare(price, least) === 0);
    const isOpen = date >= today && !isChosen && price !== null;
    const costs = price ? `: ${spoken(price)}` : price === null ? ": no flight found" : "";
    const day = isChosen ? `${shortDay(date)}, the day you leave` : isOpen ? `Leave on ${shortDay(date)}` : shortDay(date);
    return {
      date,
      column: ((new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7) + 1,
      price,
      level: price && low && compare(price, low) <= 0 ? "low" : "",
      isChosen,
      isCheapest,
      isOpen,
      words: `${day}${costs}${isCheapest ? ", the cheapest of the month" : ""}`,
    };
  });
}

/** @param {string} month */
function daysIn(month) {
  const [year, number] = month.split("-").map(Number);
  const count = new Date(Date.UTC(Number(year), Number(number), 0)).getUTCDate();
  return Array.from({ length: count }, (_, at) => `${month}-${String(at + 1).padStart(2, "0")}`);
}
