/**
 * The trip as a line: a node for each request that has offers, a branch where one changed one's mind. Pure.
 *
 * What a later request put aside is the tip of a branch; what was only added to lies on the line, which ends at the
 * request whose results are shown.
 *
 * @typedef {import("./types.js").Agent} Agent
 * @typedef {import("./types.js").Money} Money
 * @typedef {import("./kept.js").KeptRequest} KeptRequest
 *
 * @typedef {object} Stop
 * @property {string} key
 * @property {string} title "Berlin to Tokyo, 4 March, nonstop"
 * @property {string} label what of it the stop before does not say: "nonstop"
 * @property {string} found "11 flights, 27 hotels"
 * @property {boolean} aside whether it is the tip of a branch
 * @property {boolean} now whether its results are shown
 * @property {string} message what goes back to it
 * @property {Object<string, Agent>} agents what was searched for
 * @property {Object<string, Money>} cheapest
 * @property {Object<string, number>} counts
 *
 * @typedef {{name: string, one: string, other: string}} Difference
 */

import { factsOf, placesOf } from "./facts.js";
import { askedIn, countWords, requestsOf } from "./kept.js";
import { compare, written } from "./money.js";
import { day, takeUpAgain } from "./phrases.js";

/** @type {[agent: string, found: string, price: string][]} */
const KINDS = [
  ["flight", "Flights", "Cheapest flight"],
  ["hotel", "Hotels", "Cheapest stay"],
  ["car", "Cars", "Cheapest car"],
  ["planner", "Plans", "Cheapest plan"],
];

/**
 * The stops, the oldest first; none while there is only one request, which branches off nothing.
 *
 * @param {import("./reduce.js").State} state
 * @returns {Stop[]}
 */
export function lineOf({ kept, shown: { search } }) {
  const requests = (kept ?? []).toReversed();
  const current = requests.find(({ task_id }) => task_id === search?.task_id) ?? likeNow(requests, search);
  const listed = current || !search || !isSearch(search) ? requests : [...requests, unlisted(search)];
  const now = current ?? listed.at(-1);
  // A booking searches some of its request again, which is no other request.
  const all = listed.filter((request) => request === now || askedIn(request.requests) !== askedIn(now?.requests ?? {}));
  if (all.length < 2) return [];
  const onLine = lineTo(now, listed);
  return all.map((request, at) => ({
    key: request.task_id,
    title: request.title,
    label: labelOf(request, all[at - 1]),
    found: countWords(request.partial_results),
    aside: !onLine.has(request.task_id),
    now: request === now,
    message: backTo(request),
    agents: agentsOf(request),
    cheapest: request.cheapest,
    counts: request.partial_results,
  }));
}

/**
 * What differs between two stops: their facts, how much was found, and price for price.
 *
 * @param {Stop} one
 * @param {Stop} other
 * @returns {Difference[]}
 */
export function differences(one, other) {
  const [facts, others] = [textsOf(one), textsOf(other)];
  const names = new Set([...facts.keys(), ...others.keys()]);
  const rows = [...names].map((name) => ({ name, one: facts.get(name) ?? "–", other: others.get(name) ?? "–" }));
  const counts = KINDS.map(([agent, name]) => row(name, one.counts[agent], other.counts[agent], String));
  const prices = KINDS.map(([agent, , name]) => row(name, one.cheapest[agent], other.cheapest[agent], written));
  return [...rows, ...counts, ...prices].filter((each) => each.one !== each.other);
}

/**
 * "flights €120.50 cheaper": how one compares to the other, by the cheapest of both.
 *
 * @param {Stop} one
 * @param {Stop} other
 */
export function dearer(one, other) {
  const shared = KINDS.filter(([agent]) => one.cheapest[agent]?.currency === other.cheapest[agent]?.currency);
  const told = shared.map(([agent, found]) => {
    const [a, b] = [one.cheapest[agent], other.cheapest[agent]];
    if (!a || !b || compare(a, b) === 0) return "";
    const apart = { amount: Math.abs(Number(a.amount) - Number(b.amount)).toFixed(2), currency: a.currency };
    return `${found.toLowerCase()} ${written(apart)} ${compare(a, b) < 0 ? "cheaper" : "dearer"}`;
  });
  return told.filter(Boolean).join(", ");
}

/**
 * @template T
 * @param {string} name
 * @param {T | undefined} one
 * @param {T | undefined} other
 * @param {(value: T) => string} words
 * @returns {Difference}
 */
function row(name, one, other, words) {
  return { name, one: one === undefined ? "–" : words(one), other: other === undefined ? "–" : words(other) };
}

/** @param {Stop} stop */
function textsOf({ agents }) {
  return new Map(factsOf(agents).map(({ label, text }) => [label, text]));
}

/** @param {import("./types.js").Task} search */
function isSearch({ agents }) {
  return Object.values(agents).some(({ request }) => request && Object.keys(request).length);
}

/**
 * A request that asks for just the same as the search that is shown.
 *
 * @param {KeptRequest[]} requests
 * @param {import("./types.js").Task | null} search
 */
function likeNow(requests, search) {
  if (!search || !isSearch(search)) return undefined;
  const asked = askedIn(requestsOf(search));
  return requests.findLast((request) => askedIn(request.requests) === asked);
}

/** The search that is shown, before it has found anything. @param {import("./types.js").Task} search @returns {KeptRequest} */
function unlisted(search) {
  const { task_id, message, status, agents, transfer } = search;
  return {
    task_id,
    title: titleOf(agents) || message,
    message,
    status,
    relation: transfer?.relation ?? "refine",
    from_task_id: transfer?.from_task_id ?? null,
    found_at: "",
    partial_results: {},
    cheapest: {},
    requests: requestsOf(search),
  };
}

/** "Berlin to Tokyo, 4 March", as the server will name it, without its limits. @param {Object<string, Agent>} agents */
function titleOf(agents) {
  const first = agents.flight?.request?.departure_date ?? agents.hotel?.request?.check_in ?? agents.car?.request?.pick_up;
  const on = typeof first === "string" ? day(first).replace(/ \d+$/, "") : "";
  return [placesOf(agents).replace("\u00a0→ ", " to "), on].filter(Boolean).join(", ");
}

/**
 * The stops that the line goes through: that of now, and those that were only added to.
 *
 * @param {KeptRequest | undefined} now
 * @param {KeptRequest[]} all
 */
function lineTo(now, all) {
  const line = new Set(now ? [now.task_id] : []);
  let last = now;
  while (last) {
    const before = all.find(({ task_id }) => task_id === last?.from_task_id);
    if (before && last.relation === "add") line.add(before.task_id);
    last = before && before.task_id < last.task_id ? before : undefined;
  }
  return line;
}

/**
 * What a request says that the one before does not: a limit, or that hotels are looked for as well.
 *
 * @param {KeptRequest} request
 * @param {KeptRequest} [before]
 */
function labelOf({ title, requests }, before) {
  const [said, known] = [partsOf(title), new Set(partsOf(before?.title ?? ""))];
  const fresh = said.filter((part) => !known.has(part));
  if (fresh.length) return fresh.join(", ");
  const added = Object.keys(requests).filter((agent) => before && !(agent in before.requests));
  return added.length ? `and ${added.map((agent) => `${agent}s`).join(" and ")}` : (said[0] ?? "");
}

/** @param {string} title */
function partsOf(title) {
  const [route = "", ...rest] = title.split(", ");
  return [route.split(" to ").at(-1) ?? route, ...rest];
}

/** @param {KeptRequest} request @returns {Object<string, Agent>} */
function agentsOf({ requests }) {
  const idle = { state: /** @type {const} */ ("done"), detail: "", done: 0, total: 0, count: 0 };
  return Object.fromEntries(Object.entries(requests).map(([name, request]) => [name, { ...idle, request }]));
}

/** The message that goes back to a request; a tour is asked for again. @param {KeptRequest} request */
function backTo(request) {
  const agents = agentsOf(request);
  return agents.flight || agents.hotel || agents.car ? takeUpAgain({ agents }) : request.message;
}
