/** On what terms an offer is sold, in words: "" for what its seller does not tell. Pure. */

import { capitalised, counted } from "./english.js";
import { momentWords, serverNow } from "./expiry.js";
import { written } from "./money.js";
import { shortDay } from "./times.js";

/**
 * @typedef {import("./types.js").FlightOffer} FlightOffer
 * @typedef {import("./types.js").Terms} Terms
 * @typedef {import("./types.js").Money} Money
 * @typedef {{terms?: Terms | null}} OnTerms
 */

/** "1 checked bag, 1 carry-on bag", "No checked bag". @param {Pick<FlightOffer, "checked_bags" | "terms">} offer */
export function bagsOf({ checked_bags: checked, terms }) {
  return capitalised([bags(checked, "checked bag"), bags(terms?.carry_on_bags, "carry-on bag")].filter(Boolean).join(", "));
}

/** @param {number | null | undefined} count @param {string} kind */
function bags(count, kind) {
  if (count == null) return "";
  return count > 0 ? counted(count, kind) : `no ${kind}`;
}

/**
 * What may be given back or changed, and what that costs: "Refundable for €40.00, no changes".
 *
 * @param {Pick<FlightOffer, "refundable" | "changeable" | "terms">} offer
 */
export function changesOf({ refundable, changeable, terms }) {
  const refund = refundable == null ? "" : refundable ? `refundable${at(terms, "refund_fee")}` : "no refund";
  const change = changeable == null ? "" : changeable ? `changeable${at(terms, "change_fee")}` : "no changes";
  const both = refundable === false && changeable ? [change, refund] : [refund, change];
  return capitalised(both.filter(Boolean).join(", "));
}

/** The demo takes no fee; a seller that tells none takes one that it tells later. @param {Terms | null | undefined} terms @param {"refund_fee" | "change_fee"} name */
function at(terms, name) {
  if (!terms) return "";
  const fee = terms[name];
  if (!fee) return " for a fee";
  return Number(fee.amount) ? ` for ${written(fee)}` : "";
}

/**
 * What cancelling a stay costs: "Free cancellation until Sun 7 Mar, then €120.00".
 *
 * @param {OnTerms & {free_cancellation_until: string | null}} offer
 */
export function cancellingOf({ free_cancellation_until: until, terms }) {
  const fees = terms?.cancelling ?? [];
  const told = fees.map(({ since, fee }, nth) => (nth || !until ? `${written(fee)} from ${moment(since)}` : written(fee)));
  if (until) return [`Free cancellation until ${shortDay(until)}`, told.join(", ")].filter(Boolean).join(", then ");
  if (fees.length) return `Cancelling costs ${told.join(", ")}`;
  return terms && terms.refundable !== false ? "What cancelling costs is told later" : "No free cancellation";
}

/**
 * Who travels, where the price is for children as such: "2 adults, a child under 1, 2 children of 7 and 9".
 *
 * @param {OnTerms & {passengers?: number, guests?: number}} offer
 */
export function partyOf({ terms, passengers, guests }) {
  const ages = terms?.children ?? [];
  if (ages.length === 0) return "";
  const small = ages.filter((age) => age === 0).length;
  const older = ages.filter((age) => age > 0);
  const list = [older.slice(0, -1).join(", "), ...older.slice(-1)].filter((part) => part !== "").join(" and ");
  const told = [
    counted((passengers ?? guests ?? ages.length) - ages.length, "adult"),
    small === 1 ? "a child under 1" : small ? `${small} children under 1` : "",
    older.length === 1 ? `a child of ${list}` : older.length ? `${older.length} children of ${list}` : "",
  ];
  return told.filter(Boolean).join(", ");
}

/** What the price of one traveller is, among several. @param {OnTerms} offer */
export function forEach({ terms }) {
  return terms?.children?.length ? "a person on average" : "each";
}

/** @type {Object<string, string>} */
const PAPERS = { passports: "a passport of each", others: "papers that cannot be given here, so it is not booked" };

/**
 * The rest of what a seller tells, under the names that a comparison has for it.
 *
 * @param {OnTerms & {passengers?: number, guests?: number}} offer
 * @returns {Record<"For" | "The airline wants" | "At the hotel" | "Can be held" | "On offer", string>}
 */
export function furtherTerms(offer) {
  const { terms } = offer;
  return {
    For: partyOf(offer),
    "The airline wants": PAPERS[terms?.papers ?? "none"] ?? "",
    "At the hotel": terms?.paid_there ? `${written(terms.paid_there)} more` : "",
    "Can be held": terms?.held_until ? `until ${moment(terms.held_until)}` : "",
    "On offer": terms?.expires_at ? `until ${moment(terms.expires_at)}` : "",
  };
}

/**
 * "For 2 adults, a child of 7", "€6.40 more at the hotel", "Can be held until Wed 2 Dec, 14:20", "On offer until 14:20".
 *
 * @param {OnTerms & {passengers?: number, guests?: number}} offer
 */
export function furtherLines(offer) {
  const told = Object.entries(furtherTerms(offer));
  return told.map(([name, words]) => words && (name === "At the hotel" ? `${words} at the hotel` : `${name} ${words}`));
}

/** When an offer ends, in milliseconds since 1970; Infinity for what has no end. @param {OnTerms} offer */
export function endOf({ terms }) {
  return terms?.expires_at ? Date.parse(terms.expires_at) : Infinity;
}

/** By the visitor's clock. @param {string} time */
function moment(time) {
  return momentWords(Date.parse(time), serverNow());
}
