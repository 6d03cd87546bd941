/**
 * Times and days: written, spoken, reckoned. Pure, without a clock.
 *
 * Times of flights are local to their airport and carry its offset ("2027-03-04T10:20:00+01:00"). They are shown as
 * they are written; only how long something takes is computed from the instants that they mean.
 */

import { counted } from "./english.js";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** "10:20", as it is written. @param {string} time */
export function clock(time) {
  return time.slice(11, 16);
}

/** "Thu 4 Mar". @param {string} day a day, or a time on it as written */
export function shortDay(day) {
  const date = midnight(day);
  return `${WEEKDAYS[date.getUTCDay()]} ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
}

/** "Thu 4 Mar 2027". @param {string} day */
export function fullDay(day) {
  return `${shortDay(day)} ${midnight(day).getUTCFullYear()}`;
}

/** "4 Mar". @param {string} day */
export function dayMonth(day) {
  const date = midnight(day);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
}

/**
 * "4 – 12 Mar 2027", "28 Feb – 3 Mar 2027", "4 Mar 2027" where there is no end.
 *
 * @param {string} from
 * @param {string | null} [until]
 */
export function dayRange(from, until = null) {
  const first = midnight(from);
  if (until === null) return dayMonthYear(first);
  const last = midnight(until);
  if (first.getUTCFullYear() !== last.getUTCFullYear()) return `${dayMonthYear(first)} – ${dayMonthYear(last)}`;
  const month = first.getUTCMonth() === last.getUTCMonth() ? "" : ` ${MONTHS[first.getUTCMonth()]}`;
  return `${first.getUTCDate()}${month} – ${dayMonthYear(last)}`;
}

/**
 * Days from one written date to another: a flight over the date line may arrive the day before it left.
 *
 * @param {string} from
 * @param {string} to
 */
export function daysBetween(from, to) {
  return Math.round((midnight(to).getTime() - midnight(from).getTime()) / DAY_MS);
}

/**
 * Minutes that pass between two times with offsets, whatever the clocks on the walls do meanwhile.
 *
 * @param {string} from
 * @param {string} to
 */
export function minutesBetween(from, to) {
  return Math.round((Date.parse(to) - Date.parse(from)) / MINUTE_MS);
}

/** "+1" behind a time, "−1" over the date line, "" on the same day. @param {number} days */
export function dayShift(days) {
  if (days === 0) return "";
  return `${days > 0 ? "+" : "−"}${Math.abs(days)}`;
}

/** @param {number} days */
export function spokenDayShift(days) {
  if (days === 0) return "";
  if (Math.abs(days) === 1) return days > 0 ? "the next day" : "the day before";
  return `${Math.abs(days)} days ${days > 0 ? "later" : "earlier"}`;
}

/** "13 h 05", "45 min". @param {number} minutes */
export function duration(minutes) {
  const whole = Math.max(0, Math.round(minutes));
  if (whole < 60) return `${whole} min`;
  return `${Math.floor(whole / 60)} h ${String(whole % 60).padStart(2, "0")}`;
}

/** "13 hours 5 minutes". @param {number} minutes */
export function spokenDuration(minutes) {
  const whole = Math.max(0, Math.round(minutes));
  const hours = Math.floor(whole / 60);
  const rest = whole % 60;
  return [hours ? counted(hours, "hour") : "", rest || !hours ? counted(rest, "minute") : ""].filter(Boolean).join(" ");
}

/** "7 s", "1:05 min". @param {number} seconds */
export function elapsed(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")} min`;
}

/** @param {string} day */
function midnight(day) {
  return new Date(`${day.slice(0, 10)}T00:00:00Z`);
}

/** @param {Date} date */
function dayMonthYear(date) {
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}
