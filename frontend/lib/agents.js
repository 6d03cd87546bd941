/**
 * What the row of an agent says: its name, what it does, how far it is. Pure, and always text.
 *
 * @typedef {import("./types.js").Agent} Agent
 * @typedef {"waiting" | "searching" | "needs-you" | "adjusting" | "stopping" | "done" | "stopped" | "failed"} Doing
 */

import { counted, inWords } from "./english.js";
import { elapsed } from "./times.js";

/** How long nothing may be heard of an agent before its row says so, in seconds. */
export const SILENCE_S = 8;

const KNOWN = new Map([
  ["flight", { name: "Flights", verb: "Searching", step: "seller" }],
  ["hotel", { name: "Hotels", verb: "Searching", step: "seller" }],
  ["car", { name: "Cars", verb: "Searching", step: "seller" }],
  ["planner", { name: "Plan", verb: "Planning", step: "order" }],
  ["booking", { name: "Booking", verb: "Working", step: "step" }],
]);
const AGENT_OF = new Map([
  ["search_flights", "flight"],
  ["search_hotels", "hotel"],
  ["search_cars", "car"],
  ["plan_itinerary", "planner"],
]);
/** @type {Object<Doing, string>} */
const WORDS = {
  waiting: "Waiting",
  searching: "Searching",
  "needs-you": "Needs you",
  adjusting: "Adjusting…",
  stopping: "Stopping…",
  done: "Done",
  stopped: "Stopped",
  failed: "Failed",
};
/** @type {Object<Agent["state"], Doing>} */
const DOING = {
  waiting: "waiting",
  working: "searching",
  input_required: "needs-you",
  done: "done",
  interrupted: "stopped",
  failed: "failed",
};
const OVER = new Set(["done", "stopped", "failed"]);

/** "Flights"; of an agent that this page does not know, its name in words. @param {string} agent */
export function agentName(agent) {
  return KNOWN.get(agent)?.name ?? inWords(agent);
}

/**
 * What an agent does, as people see it: one that is over can't be told to adjust or stop.
 *
 * @param {Agent} agent
 * @param {{adjusting: boolean, stopping: boolean}} told what the user has just asked for
 * @returns {Doing}
 */
export function doingOf({ state }, { adjusting, stopping }) {
  const doing = DOING[state] ?? "waiting";
  if (OVER.has(doing)) return doing;
  return stopping ? "stopping" : adjusting ? "adjusting" : doing;
}

/** @param {Doing} doing */
export function isOver(doing) {
  return OVER.has(doing);
}

/** "Searching", "Planning", "Needs you". @param {string} agent @param {Doing} doing */
export function doingInWords(agent, doing) {
  return doing === "searching" ? (KNOWN.get(agent)?.verb ?? "Working") : WORDS[doing];
}

/**
 * "41 found so far"; of one that was stopped "with 41 found", behind its "Stopped"; else what it says itself.
 *
 * @param {string} agent
 * @param {Agent} progress
 * @param {Doing} doing
 */
export function progressOf(agent, { detail, done, total, count }, doing) {
  if (doing === "needs-you") return "Answer in the chat";
  if (doing === "waiting") return detail;
  if (doing === "failed") return detail || "It could not be finished";
  const known = KNOWN.get(agent);
  if (!known || agent === "booking") return DOING_WORDS_OF_ITS_OWN.has(detail) ? "" : detail;
  if (doing === "stopped") return count ? `with ${count} found` : total ? "before any was found" : "";
  if (doing === "done" && !total) return detail;
  if (doing === "done") return [`${count || "none"} found`, gapsIn(detail)].filter(Boolean).join(", ");
  if (known.step === "seller") return count ? `${count} found so far` : "";
  return [total ? `${done} of ${counted(total, known.step)}` : "", count || total ? `${count} found` : ""].filter(Boolean).join(", ");
}

/**
 * The same in the room of a fact: "12 so far", "22 found", "Needs you"; what can be left out where there is less stands apart.
 *
 * @param {Agent} progress
 * @param {Doing} doing
 * @returns {[said: string, unit: string]}
 */
export function shortOf({ total, count }, doing) {
  if (doing === "searching" && count) return [String(count), "so far"];
  if (doing === "stopped" && count) return [String(count), "kept"];
  if (doing === "done" && total) return [String(count || "none"), "found"];
  return [WORDS[doing], ""];
}

/** Which sellers did not answer or refused, as the server tells behind what was found; "" where all answered. @param {string} detail */
function gapsIn(detail) {
  return detail.split("; ").slice(1).join("; ");
}

/** What says no more than the state does. */
const DOING_WORDS_OF_ITS_OWN = new Set(["interrupted", "done", "waiting", "working"]);

/**
 * "search not finished", over all agents of an interrupted task; "" where they were done or never began.
 *
 * @param {Object<string, Agent>} agents
 */
export function cutShort(agents) {
  const isShort = Object.entries(agents).some(([name, { done, total }]) => KNOWN.get(name)?.step === "seller" && total > done);
  return isShort ? "search not finished" : "";
}

/** "still waiting for 1 of 3 sellers", once nothing was heard for a while. @param {string} agent @param {Agent} progress */
export function stillWaiting(agent, { done, total }) {
  const step = KNOWN.get(agent)?.step ?? "step";
  return total > done ? `still waiting for ${total - done} of ${counted(total, step)}` : "still waiting";
}

/**
 * Seconds that an agent has been at work, or was; null where that is not known.
 *
 * @param {Agent} agent
 * @param {number} now in milliseconds
 */
function secondsOf({ since, until }, now) {
  if (!since) return null;
  return Math.max(0, ((until ? Date.parse(until) : now) - Date.parse(since)) / 1000);
}

/** "7 s"; "" where it is not known. @param {Agent} agent @param {number} now */
export function elapsedOf(agent, now) {
  const seconds = secondsOf(agent, now);
  return seconds === null ? "" : elapsed(seconds);
}

/**
 * The agents whose search a task took over from the one before it.
 *
 * @param {import("./types.js").Task} task
 * @returns {Set<string>}
 */
export function adoptedBy({ transfer, calls }) {
  const tools = (transfer?.adopted ?? []).map((id) => calls[id]?.tool ?? "");
  return new Set(tools.flatMap((tool) => AGENT_OF.get(tool) ?? []));
}
