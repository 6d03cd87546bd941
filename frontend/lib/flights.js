/**
 * What a flight offer's rows say: times as written, stops with the time between flights, carriers. Pure.
 *
 * @typedef {import("./types.js").FlightOffer} FlightOffer
 * @typedef {import("./types.js").Slice} Slice
 *
 * @typedef {object} Stop a landing between the first take-off and the last landing
 * @property {string} airport where it lands
 * @property {string} leavesFrom where the next flight leaves, if that is another airport; else ""
 * @property {number} minutes between landing and take-off, by the instants
 * @property {boolean} overnight whether the next flight leaves on a later day
 *
 * @typedef {object} Direction
 * @property {string} day of the first take-off
 * @property {string} leaves "10:20"
 * @property {string} lands "07:35"
 * @property {number} shift days between the written dates of both
 * @property {string} from airport code
 * @property {string} to
 * @property {number} minutes from take-off to last landing
 * @property {Stop[]} stops
 */

import { counted, inWords } from "./english.js";
import { clock, daysBetween, duration, minutesBetween, shortDay, spokenDayShift, spokenDuration } from "./times.js";

/**
 * @param {Slice} slice
 * @returns {Direction}
 */
export function directionOf({ segments, duration_minutes: minutes }) {
  const first = segments[0];
  const last = segments.at(-1);
  if (!first || !last) throw new RangeError("A direction has at least one flight.");
  return {
    day: first.departs_at.slice(0, 10),
    leaves: clock(first.departs_at),
    lands: clock(last.arrives_at),
    shift: daysBetween(first.departs_at, last.arrives_at),
    from: first.origin,
    to: last.destination,
    minutes,
    stops: stopsOf(segments),
  };
}

/**
 * @param {Slice["segments"]} segments
 * @returns {Stop[]}
 */
function stopsOf(segments) {
  return segments.slice(1).map((next, index) => {
    const before = /** @type {Slice["segments"][number]} */ (segments[index]);
    return {
      airport: before.destination,
      leavesFrom: next.origin === before.destination ? "" : next.origin,
      minutes: minutesBetween(before.arrives_at, next.departs_at),
      overnight: daysBetween(before.arrives_at, next.departs_at) > 0,
    };
  });
}

/** "Nonstop", "1 stop", "2 stops". @param {Direction} direction */
export function stopCount({ stops }) {
  return stops.length ? counted(stops.length, "stop") : "Nonstop";
}

/** "1 h 35 ARN", "7 h 10 HND → NRT overnight". @param {Stop} stop */
export function stopLine({ airport, leavesFrom, minutes, overnight }) {
  const where = leavesFrom ? `${airport} → ${leavesFrom}` : airport;
  return `${duration(minutes)} ${where}${overnight ? " overnight" : ""}`;
}

/** All of a direction in one sentence, for screen readers. @param {Direction} direction */
export function spokenDirection(direction) {
  const { day, leaves, lands, shift, from, to, minutes, stops } = direction;
  const arrival = ["lands", to, "at", lands, spokenDayShift(shift)].filter(Boolean).join(" ");
  const waits = stops.map(({ airport, leavesFrom, minutes: wait }) => {
    const change = leavesFrom ? `, then on from ${leavesFrom}` : "";
    return `${spokenDuration(wait)} in ${airport}${change}`;
  });
  const via = stops.length ? `${counted(stops.length, "stop")}: ${waits.join(", ")}` : "nonstop";
  return `${shortDay(day)}: leaves ${from} at ${leaves}, ${arrival}; ${spokenDuration(minutes)}, ${via}.`;
}

/** "Juniper Demo, Larch Demo", every carrier once. @param {FlightOffer} offer */
export function carriersOf({ slices }) {
  const names = slices.flatMap(({ segments }) => segments.map((segment) => segment.carrier_name || segment.carrier));
  return [...new Set(names)].join(", ");
}

/** Minutes on the way in all directions. @param {FlightOffer} offer */
export function minutesOf({ slices }) {
  return slices.reduce((sum, slice) => sum + slice.duration_minutes, 0);
}

/** Stops in all directions. @param {FlightOffer} offer */
export function stopsIn({ slices }) {
  return slices.reduce((sum, { segments }) => sum + segments.length - 1, 0);
}

/** "Premium economy". @param {string} cabin */
export function cabinName(cabin) {
  return inWords(cabin);
}
