/**
 * The requests before the one that is shown, each with what was found for it: a drawer a request, by its name. Pure.
 *
 * The server lists them, on every device; what this window knows itself is there at once, and has no name until then.
 *
 * @typedef {import("./types.js").Money} Money
 * @typedef {import("./types.js").Offer} Offer
 * @typedef {import("./types.js").Task} Task
 * @typedef {import("./reduce.js").State} State
 *
 * @typedef {object} KeptRequest as `GET /requests` lists it
 * @property {string} task_id
 * @property {string} title "Berlin to Tokyo, 4 March, nonstop"
 * @property {string} message
 * @property {string} status
 * @property {string | null} relation
 * @property {string | null} from_task_id
 * @property {string} found_at
 * @property {Object<string, number>} partial_results
 * @property {Object<string, Money>} cheapest
 * @property {Object<string, Object<string, unknown>>} requests
 *
 * @typedef {object} Drawer
 * @property {string} key
 * @property {string} title "Berlin to Tokyo, 4 March: 12 flights"
 * @property {string} note "search not finished"
 * @property {string} message the request that it was
 * @property {string | null} foundAt when its prices were found, null where that is not known yet
 * @property {Object<string, Offer[]> | null} partials null until they were fetched
 */

import { cutShort } from "./agents.js";
import { keptBefore } from "./board.js";
import { counted } from "./english.js";
import { byKind, countsOf, kindOf } from "./offers.js";

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const DAY_HOURS = 24;
/** @type {[agent: string, thing: string][]} */
const THINGS = [["flight", "flight"], ["hotel", "hotel"], ["car", "car"], ["planner", "plan"]];

/**
 * The drawers, the newest request first, without what is on the board already.
 *
 * @param {State} state
 * @param {Task | null} search the search whose results are shown
 * @returns {Drawer[]}
 */
export function drawersOf(state, search) {
  const shown = new Set(Object.values(search?.partials ?? {}).flatMap((offers) => offers.map((offer) => offer?.offer_id)));
  const listed = (state.kept ?? []).filter(({ task_id }) => task_id !== search?.task_id);
  const names = new Set(listed.map(({ task_id }) => task_id));
  const unnamed = keptBefore(state, search, state.shown.before).filter(({ key }) => !names.has(key));
  return [
    ...unnamed.map(({ key, title, note, message, partials }) => ({ key, title, note, message, partials, foundAt: null })),
    ...listed.map((request) => drawerOf(state, request, shown)).filter((drawer) => drawer !== null),
  ].toSorted((one, other) => (one.key < other.key ? 1 : -1));
}

/** @param {State} state @param {KeptRequest} request @param {Set<string>} shown @returns {Drawer | null} */
function drawerOf(state, { task_id, title, message, found_at: foundAt, partial_results: counts }, shown) {
  const all = partialsOf(state, task_id);
  const partials = all && without(all, shown);
  const left = partials ? countsOf(byKind(partials)) : countWords(counts);
  if (!left) return null; // all of it is on the board
  const note = cutShort(state.interrupted[task_id]?.agents ?? {});
  return { key: task_id, title: `${title}: ${left}`, note, message, foundAt, partials };
}

/** What was found for an earlier request, as far as this window has it. @param {State} state @param {string} taskId */
export function partialsOf({ interrupted, shown: { before }, keptOffers }, taskId) {
  return interrupted[taskId]?.partials ?? (before?.task_id === taskId ? before.partials : null) ?? keptOffers[taskId] ?? null;
}

/** @param {Object<string, Offer[]>} partials @param {Set<string>} shown @returns {Object<string, Offer[]>} */
function without(partials, shown) {
  const left = Object.entries(partials).map(([agent, offers]) => [
    agent,
    offers.filter((offer) => kindOf(offer) !== null && !shown.has(offer.offer_id)),
  ]);
  return Object.fromEntries(left);
}

/** "11 flights, 27 hotels" @param {Object<string, number>} counts by agent */
export function countWords(counts) {
  return THINGS.map(([agent, thing]) => (counts[agent] ? counted(counts[agent], thing) : "")).filter(Boolean).join(", ");
}

/** "3 earlier searches kept"; "" for none. @param {Drawer[]} drawers */
export function keptWords(drawers) {
  return drawers.length ? `${counted(drawers.length, "earlier search", "earlier searches")} kept` : "";
}

/**
 * How old a price is: "just now", "5 min", "3 h", "2 days".
 *
 * @param {string | null} foundAt
 * @param {number} now milliseconds since 1970
 */
export function ageOf(foundAt, now) {
  const minutes = Math.floor((now - Date.parse(foundAt ?? "")) / MINUTE_MS);
  if (Number.isNaN(minutes)) return "";
  if (minutes < 1) return "just now";
  if (minutes < HOUR_MINUTES) return `${minutes} min`;
  const hours = Math.floor(minutes / HOUR_MINUTES);
  return hours < DAY_HOURS ? `${hours} h` : counted(Math.floor(hours / DAY_HOURS), "day");
}

/** What the agents of a search were asked for. @param {Task} search @returns {KeptRequest["requests"]} */
export function requestsOf({ agents }) {
  const asked = Object.entries(agents).filter(([name, { request }]) => name !== "booking" && request);
  return Object.fromEntries(asked.map(([name, { request }]) => [name, request ?? {}]));
}

/** What was asked, to be compared. @param {KeptRequest["requests"]} requests */
export function askedIn(requests) {
  return JSON.stringify(Object.entries(requests).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
