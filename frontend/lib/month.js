/**
 * A month of prices: which days it has, what to ask the server for them, and what each says. Pure.
 *
 * @typedef {import("./fares.js").DayFare} DayFare
 * @typedef {import("./types.js").Money} Money
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

import { compare, spoken } from "./money.js";
import { shortDay } from "./times.js";

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
