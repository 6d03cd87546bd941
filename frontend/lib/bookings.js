/**
 * Bookings in words. Pure.
 *
 * @typedef {import("./types.js").Money} Money
 *
 * @typedef {object} Booking
 * @property {string} reference
 * @property {"flight" | "hotel" | "car" | "hold"} kind
 * @property {string} title
 * @property {string} state held, booked, cancelled or expired
 * @property {Money | null} price_total
 * @property {Money | null} [refund] what was given back
 * @property {string} [refund_rule]
 * @property {string | null} expires_at until when it is held
 * @property {boolean} cancellable
 * @property {string} provider
 * @property {boolean} demo whether nothing was really bought
 * @property {{offer_id?: string, source?: string}} [offer] what was booked, as it stood among the results
 */

import { capitalised } from "./english.js";
import { byOwnClock, momentWords, serverNow } from "./expiry.js";
import { written } from "./money.js";
import { shortDay } from "./times.js";

/** @type {Object<string, string>} */
const STATES = { held: "Held", booked: "Booked", cancelled: "Cancelled", expired: "No longer held" };

/** The offers that are booked, by their ids. @param {Booking[]} bookings */
export function bookedOffers(bookings) {
  return new Set(bookings.filter(({ state }) => state === "booked").flatMap(({ offer }) => offer?.offer_id ?? []));
}

/** Who sold it. @param {Booking} booking @returns {import("./sellers.js").Sold} */
export function soldBy({ provider, demo, offer }) {
  return { provider, source: offer?.source, live: !demo };
}

/**
 * "Booked", "Held until 11:20" by the visitor's clock, "Held until Thu 4 Mar 10:20 UTC" for whoever reads it elsewhere.
 *
 * @param {Booking} booking
 * @param {{isShared?: boolean}} [options]
 */
export function bookingState({ state, expires_at: until }, { isShared = false } = {}) {
  const words = STATES[state] ?? state;
  if (state !== "held" || !until) return words;
  const moment = isShared ? `${shortDay(until)} ${until.slice(11, 16)} UTC` : momentWords(Date.parse(until), serverNow());
  return `${words} until ${moment}`;
}

/** What comes back, or came back. @param {Booking} booking */
export function refundLine({ state, refund, refund_rule: rule = "" }) {
  if (state === "cancelled") return refund && Number(refund.amount) ? `${written(refund)} refunded` : "No refund";
  return capitalised(byOwnClock(rule, serverNow()));
}
