/**
 * What the trip board says of a state: its headline, and what is kept of the searches before the one it shows.
 * Pure.
 *
 * @typedef {import("./types.js").Task} Task
 * @typedef {import("./types.js").Offer} Offer
 * @typedef {import("./types.js").Agent} Agent
 * @typedef {import("./reduce.js").State} State
 * @typedef {import("./types.js").Interrupted} Interrupted
 *
 * @typedef {object} Kept what an earlier task found that the shown one has not
 * @property {string} key
 * @property {string} counts "12 flights"
 * @property {string} title "Kept from your previous search: 12 flights"
 * @property {string} note "search not finished"
 * @property {string} message the request that it was
 * @property {Object<string, Offer[]>} partials
 */

import { cutShort } from "./agents.js";
import { counted } from "./english.js";
import { placesOf } from "./facts.js";
import { byKind, citiesInOrder, countsOf, kindOf } from "./offers.js";
import { others } from "./plain.js";
import { isDemo } from "./sellers.js";
import { isOnlyBooking } from "./shown.js";
import { isActive } from "./tasks.js";

/** How many interrupted tasks the board shows the results of. */
const KEPT_SHOWN = 2;
/** @type {Object<string, string>} */
const BECAUSE = {
  timed_out: "it took too long",
  shutdown: "the server was stopped",
  lost: "the server went away",
};

/**
 * Whether a message was sent that what is shown does not follow yet: while it is on its way, and until its task has
 * told what it does.
 *
 * @param {State} state
 */
export function isAdjusting({ task, tasks, outbox }) {
  if (!isActive(task)) return false;
  const sent = outbox.some((item) => item.state !== "unsent" && item.state !== "waiting" && item.task_id !== task.task_id);
  const newer = Object.values(tasks).some((other) => other.started > task.started && isActive(other));
  return sent || newer;
}

/**
 * @param {State} state
 * @param {Task | null} search the task whose results are shown
 * @returns {{title: string, detail: string}}
 */
export function headlineOf(state, search) {
  const { task, stopping } = state;
  if (!task || isBare(task)) return { title: "Your trip", detail: "" };
  const where = whereOf(search ?? task);
  const found = foundBy(search ?? task);
  const with_ = (/** @type {string} */ words) => (where ? `${words} ${where}` : words);
  const after = (/** @type {string} */ words) => (where ? `${words}: ${where}` : words);
  if (isActive(task) && stopping === task.task_id) return { title: after("Stopping"), detail: found };
  switch (task.status) {
    case "queued":
      return { title: after("Waiting its turn"), detail: "The previous request finishes first." };
    case "input_required":
      return { title: after("Waiting for you"), detail: "Answer in the chat to continue." };
    case "cancelling":
      return { title: after("Stopping"), detail: "Work already started finishes first." };
    case "completed":
      return { title: where || "Done", detail: found };
    case "failed":
      return { title: after("Not finished"), detail: found ? `${found} found before` : "" };
    case "interrupted": {
      const said = [BECAUSE[task.reason ?? ""], found && `${found} kept`, found && cutShort(task.agents)];
      return { title: after("Stopped"), detail: said.filter(Boolean).join(", ") };
    }
    default:
      if (isAdjusting(state)) return { title: with_("Adjusting"), detail: found };
      if (!Object.keys(task.agents).length) return { title: "Working on it", detail: "" };
      if (isOnlyBooking(task)) return { title: after("Booking"), detail: found };
      return { title: where ? `Searching ${where}` : "Working on it", detail: found };
  }
}

/** Whether a task was answered in the chat alone, so that there is nothing to show of it. @param {Task} task */
export function isBare({ status, agents, partials }) {
  return status === "completed" && !Object.keys(agents).length && !Object.values(partials).some((found) => found.length);
}

/** "22 flights, 11 hotels", "5 results". @param {Task} task */
function foundBy({ partials }) {
  const plain = others(partials).length;
  return [countsOf(byKind(partials)), plain ? counted(plain, "result") : ""].filter(Boolean).join(", ");
}

/** Where a task's trip goes: as it was asked, or as what it found says. @param {Task} task */
export function whereOf({ agents, partials }) {
  const asked = placesOf(agents);
  if (asked) return asked;
  const { flight, hotel, plan } = byKind(partials);
  if (plan[0]) return citiesInOrder(plan[0]);
  const segments = flight[0]?.slices[0]?.segments;
  if (segments?.length) return `${segments[0]?.origin} → ${segments.at(-1)?.destination}`;
  return hotel[0]?.city ?? "";
}

/**
 * How much of what the board shows is invented. Where all of it is, the board says so once, and no card does.
 *
 * @param {Pick<Task, "partials">[]} found
 * @param {{provider: string}[]} bookings
 * @returns {"none" | "some" | "all"}
 */
export function inventedIn(found, bookings) {
  const offers = found.flatMap(({ partials }) => Object.values(partials).flat()).filter((offer) => kindOf(offer) !== null);
  const invented = [...offers, ...bookings].map(isDemo);
  if (!invented.includes(true)) return "none";
  return invented.includes(false) ? "some" : "all";
}

/**
 * What interrupted tasks, and the search before, found that the shown results lack, the newest first.
 *
 * @param {State} state
 * @param {Task | null} search
 * @param {Task | null} [before] the search whose results were shown before
 * @returns {Kept[]}
 */
export function keptBefore({ interrupted }, search, before = null) {
  const left = before ? { [before.task_id]: before, ...interrupted } : interrupted;
  const shown = new Set(Object.values(search?.partials ?? {}).flatMap((offers) => offers.map((offer) => offer?.offer_id)));
  return Object.values(left)
    .filter(({ task_id }) => task_id !== search?.task_id)
    .toSorted((one, other) => (one.task_id < other.task_id ? 1 : -1))
    .map((left) => keptOf(left, shown))
    .filter((kept) => kept !== null)
    .slice(0, KEPT_SHOWN);
}

/** @param {Pick<Interrupted, "task_id" | "message" | "partials" | "agents">} left @param {Set<string>} shown @returns {Kept | null} */
function keptOf({ task_id, message, partials, agents }, shown) {
  const others = Object.entries(partials).map(([agent, offers]) => [
    agent,
    offers.filter((offer) => kindOf(offer) !== null && !shown.has(offer.offer_id)),
  ]);
  const rest = /** @type {Object<string, Offer[]>} */ (Object.fromEntries(others));
  const counts = countsOf(byKind(rest));
  if (!counts) return null;
  const title = `Kept from your previous search: ${counts}`;
  return { key: task_id, counts, title, note: cutShort(agents ?? {}), message, partials: rest };
}
