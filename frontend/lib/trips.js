/**
 * The trips of this browser, newest first, in its local storage; the open one stands in the address as `?trip=`.
 *
 * A trip is a user of the server: its id is long and random, and where people are not told apart, whoever knows it can
 * read the conversation. Where there is no storage (a private window may have none) the trips last as long as the page, as
 * they do where people are told apart: then the server lists them.
 */

import { FACE } from "./face.js";
import { ofBrowser, randomId } from "./storage.js";

/** Under which the trips are stored; a `storage` event names it where another window has changed them. */
export const KEY = "detour.trips";
/** How many characters a trip's name has at most. */
export const LONGEST_NAME = 60;
const USER_ID = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;

/**
 * @typedef {object} Trip
 * @property {string} userId
 * @property {string} name "" for one that nothing was written in yet
 * @property {true} [own] its user has named it, so that it keeps that name
 */

/** @type {Trip[]} */
let remembered = [];

/**
 * All trips, the newest first.
 *
 * @returns {Trip[]}
 */
export function allTrips() {
  let stored;
  try {
    stored = ofBrowser.get(KEY);
  } catch {
    return remembered;
  }
  return tripsIn(stored ?? "[]");
}

/** Whether the address names a trip, as it does once one is open. */
export function isTripInAddress() {
  const params = new URLSearchParams(location.search);
  return params.has(FACE.key) || params.has("trip");
}

/** The trip that the address names, else the last one, else a new one; it is in the list and in the address then. */
export function currentTrip() {
  const params = new URLSearchParams(location.search);
  const asked = params.get(FACE.key) ?? params.get("trip");
  const trips = allTrips();
  const userId = asked !== null && USER_ID.test(asked) ? asked : (trips[0]?.userId ?? newTripId());
  if (!trips.some((trip) => trip.userId === userId)) keep([{ userId, name: "" }, ...trips]);
  if (asked !== userId) history.replaceState(null, "", address(userId) + location.hash);
  return userId;
}

/**
 * Go to a trip, as a further entry of the browser's history, or in place of the one that is open.
 *
 * @param {string} userId
 * @param {{inPlace?: boolean}} [how]
 */
export function openTrip(userId, { inPlace = false } = {}) {
  if (inPlace) history.replaceState(null, "", address(userId));
  else history.pushState(null, "", address(userId));
  currentTrip();
}

/** The id of a trip that does not exist yet. */
export function newTripId() {
  return `${FACE.key}-${randomId()}`;
}

/**
 * Name a trip, as its user says.
 *
 * @param {string} userId
 * @param {string} name
 */
export function nameTrip(userId, name) {
  keep(allTrips().map((trip) => (trip.userId === userId ? { ...trip, name: shortened(name), own: true } : trip)));
}

/**
 * Name a trip after what is known of it, unless its user has named it.
 *
 * @param {string} userId
 * @param {string} name
 * @returns {boolean} whether it has another name now
 */
export function suggestName(userId, name) {
  const trips = allTrips();
  const trip = trips.find((each) => each.userId === userId);
  const short = shortened(name);
  if (!trip || trip.own || !short || trip.name === short) return false;
  keep(trips.map((each) => (each === trip ? { ...trip, name: short } : each)));
  return true;
}

/** @param {string} name */
function shortened(name) {
  return Array.from(name.trim().replaceAll(/\s+/gu, " ")).slice(0, LONGEST_NAME).join("");
}

/**
 * Take a trip out of the list.
 *
 * @param {string} userId
 * @returns {string} the trip to go to where that one was open
 */
export function forgetTrip(userId) {
  const left = allTrips().filter((trip) => trip.userId !== userId);
  keep(left);
  return left[0]?.userId ?? newTripId();
}

/**
 * Make the list what the server tells of the person who is signed in: another may have used this browser before. Names
 * that were given here stay, and so does the trip that is open.
 *
 * @param {{user_id: string, title: string}[]} conversations the newest first
 */
export function keepOwnTrips(conversations) {
  const known = allTrips();
  const own = conversations.map(({ user_id: userId, title }) => {
    const before = known.find((trip) => trip.userId === userId);
    return before?.name ? before : { userId, name: shortened(title) };
  });
  const open = currentTrip();
  const isOwn = own.some((trip) => trip.userId === open);
  // Of those in which nothing was said yet, the open one is enough.
  keep([...(isOwn ? [] : [{ userId: open, name: "" }]), ...own.filter((trip) => trip.name || trip.userId === open)]);
}

/**
 * Whether a trip is in the list: it is not once it was deleted, be it in another window.
 *
 * @param {string} userId
 */
export function isKept(userId) {
  return allTrips().some((trip) => trip.userId === userId);
}

/** @param {Trip[]} trips */
function keep(trips) {
  remembered = trips;
  try {
    ofBrowser.set(KEY, JSON.stringify(trips));
  } catch {
    // No storage, or no room in it: the list lasts as long as the page.
  }
}

/** @param {string} userId */
function address(userId) {
  const params = new URLSearchParams(location.search);
  if (FACE.key !== "trip") params.delete("trip");
  params.set(FACE.key, userId);
  return `${location.pathname}?${params}`;
}

/**
 * What is stored may be of another version, or of another hand.
 *
 * @param {string} text
 * @returns {Trip[]}
 */
function tripsIn(text) {
  try {
    const stored = JSON.parse(text);
    const trips = Array.isArray(stored) ? stored.filter(isTrip) : [];
    return trips.map(({ userId, name, own }) => (own === true ? { userId, name, own } : { userId, name }));
  } catch {
    return [];
  }
}

/**
 * @param {any} value
 * @returns {value is Trip}
 */
function isTrip(value) {
  return typeof value?.userId === "string" && USER_ID.test(value.userId) && typeof value.name === "string";
}
