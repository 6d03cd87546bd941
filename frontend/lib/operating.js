/**
 * What the operator's page knows, and how it says it. Pure: no DOM, no clock; times are those of the server.
 *
 * @typedef {"ending" | "working" | "queued" | "needs_user"} Phase
 *
 * @typedef {object} RunningTask
 * @property {string} user_id
 * @property {string} task_id
 * @property {string | null} graph
 * @property {string} status
 * @property {Phase} phase
 * @property {string} since
 * @property {string} accepted_at
 * @property {number} attempt
 * @property {boolean} aside
 * @property {"question" | "permission" | null} asks
 * @property {{agent: string, state: string, count: number, since: string | null}[]} agents
 * @property {{call_id: string, tool: string, agent: string, state: string, since: string}[]} calls
 * @property {number} found
 * @property {Usage} usage
 *
 * @typedef {{input_tokens: number, output_tokens: number, model_calls: number, estimated: boolean}} Usage
 *
 * @typedef {object} Running
 * @property {string} at
 * @property {string} replica
 * @property {string[] | null} replicas
 * @property {"recovering" | "serving" | "draining"} serving
 * @property {Object<Phase, number>} phases
 * @property {RunningTask[]} tasks
 *
 * @typedef {object} Part
 * @property {string} part_id
 * @property {"agent" | "tool_call" | "model_step" | "question"} kind
 * @property {string} name
 * @property {string} agent
 * @property {string} state
 * @property {string | null} began_at
 * @property {string | null} ended_at
 * @property {number | null} found
 * @property {Usage | null} usage
 *
 * @typedef {object} Receipt
 * @property {string | null} reason
 * @property {string} settled_at
 * @property {number} text_kept
 * @property {Object<string, number>} partial_results
 * @property {{call_id: string, tool: string, effect: string, outcome: string}[]} tool_calls
 * @property {string | null} adopted_by
 * @property {number} amendments
 *
 * @typedef {object} Timeline
 * @property {string} user_id
 * @property {string} task_id
 * @property {string | null} graph
 * @property {string} status
 * @property {string | null} reason
 * @property {number} attempt
 * @property {string} accepted_at
 * @property {string | null} ended_at
 * @property {Usage | null} usage
 * @property {Part[]} parts
 * @property {{seq: number, at: string, type: string, about: string, state: string, count: number}[]} events
 * @property {boolean} complete
 * @property {Receipt | null} receipt
 *
 * @typedef {{userId: string, taskId: string}} Opened
 *
 * @typedef {object} State
 * @property {Running | null} running
 * @property {boolean} refused whether the last question what runs was refused: nothing comes until somebody signs in
 * @property {Opened | null} opened
 * @property {Timeline | null} timeline of the opened task
 * @property {string} unknown why the opened task cannot be shown, "" if it can
 * @property {string[]} stopping the ids of tasks that were told to stop
 *
 * @typedef {{type: "running", running: Running}
 *   | {type: "refused"}
 *   | {type: "opened", opened: Opened | null}
 *   | {type: "timeline", timeline: Timeline}
 *   | {type: "unknown", taskId: string, error: string}
 *   | {type: "stopping" | "not_stopped", taskId: string}
 *   | {type: "serving", serving: Running["serving"]}} OperateEvent
 */

import { counted, inWords } from "./english.js";

/** @type {State} */
export const INITIAL = { running: null, refused: false, opened: null, timeline: null, unknown: "", stopping: [] };

/** @type {readonly Phase[]} */
export const PHASES = ["working", "ending", "queued", "needs_user"];

/** @type {Object<string, string>} */
export const PHASE_WORDS = { working: "working", ending: "ending", queued: "queued", needs_user: "waiting for its user" };

const ENDED = new Set(["completed", "failed", "interrupted"]);

/**
 * @param {State} state
 * @param {OperateEvent} event
 * @returns {State}
 */
export function reduce(state, event) {
  switch (event.type) {
    case "running": {
      const listed = new Set(event.running.tasks.map(({ task_id }) => task_id));
      return { ...state, running: event.running, refused: false, stopping: state.stopping.filter((id) => listed.has(id)) };
    }
    case "refused":
      return { ...state, refused: true };
    case "opened":
      return { ...state, opened: event.opened, timeline: null, unknown: "" };
    case "timeline":
      // An answer may come after another task was opened.
      return isOpened(state, event.timeline.task_id) ? { ...state, timeline: event.timeline, unknown: "" } : state;
    case "unknown":
      return isOpened(state, event.taskId) ? { ...state, timeline: null, unknown: event.error } : state;
    case "stopping":
      return { ...state, stopping: [...new Set([...state.stopping, event.taskId])] };
    case "not_stopped":
      return { ...state, stopping: state.stopping.filter((id) => id !== event.taskId) };
    case "serving":
      return state.running ? { ...state, running: { ...state.running, serving: event.serving } } : state;
  }
}

/**
 * @param {State} state
 * @param {string} taskId
 */
function isOpened(state, taskId) {
  return state.opened?.taskId === taskId;
}

/** Whether the opened task is asked for again: it may still change. @param {State} state */
export function mayChange(state) {
  return state.opened !== null && !(state.timeline && hasEnded(state.timeline)) && !state.unknown;
}

/** @param {{status: string}} task */
export function hasEnded({ status }) {
  return ENDED.has(status);
}

/** What a task is about, in a line: agents and tools at work, or what it waits for. @param {RunningTask} task */
export function doing({ phase, asks, agents, calls }) {
  if (phase === "queued") return "behind another task of this user";
  const at = calls.map(({ tool, state }) => (state === "waiting" ? `${tool} waits` : tool));
  const working = agents.filter(({ state }) => state === "working").map(({ agent }) => agent);
  if (phase === "needs_user" && !working.length) return asks === "permission" ? "a permission" : "an answer";
  return [...working, ...at].join(", ");
}

/** "1,204 tokens", "" where no model was asked. @param {Usage | null} usage */
export function tokens(usage) {
  if (!usage?.model_calls) return "";
  const many = (usage.input_tokens + usage.output_tokens).toLocaleString("en");
  return `${usage.estimated ? "about " : ""}${many} tokens`;
}

/** "0.25 s", "7.0 s", "1:05 min", "3:12 h", "2 d 4 h". @param {number} ms */
export function lasted(ms) {
  const whole = Math.max(0, ms);
  if (whole < 1_000) return `${(whole / 1_000).toFixed(2)} s`;
  if (whole < 60_000) return `${(whole / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(whole / 60_000);
  if (minutes < 60) return `${minutes}:${two(Math.floor((whole % 60_000) / 1_000))} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours}:${two(minutes % 60)} h` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** @param {number} number */
function two(number) {
  return String(number).padStart(2, "0");
}

/**
 * @param {string} from
 * @param {string} to
 */
export function between(from, to) {
  return Math.max(0, Date.parse(to) - Date.parse(from));
}

/** "2026-01-05 09:00:02 UTC". @param {string} at */
export function instant(at) {
  return `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
}

/**
 * The parts of a task as bars: where each begins, and how wide it is, in parts of the whole; and how long it took.
 *
 * @param {Timeline} timeline
 * @param {string} now the server's time: until then lasts what has not ended
 */
export function bars({ parts, accepted_at: from, ended_at }, now) {
  const whole = Math.max(1, between(from, ended_at ?? now));
  return parts.map((part) => {
    const end = part.ended_at ?? ended_at ?? now;
    const began = part.began_at ?? end;
    const left = Math.min(1, between(from, began) / whole);
    // What was adopted began before its task did.
    const shown = between(began < from ? from : began, end);
    return { part, left, width: Math.min(1 - left, shown / whole), ms: part.began_at ? between(began, end) : null };
  });
}

/** What became of a part, in words. @param {Part} part */
export function partWords({ state, found, usage }) {
  const words = [inWords(state).toLowerCase()];
  if (found !== null) words.push(`${found} found`);
  if (usage) words.push(tokens(usage));
  return words.filter(Boolean).join(", ");
}

/** "interrupted: superseded". @param {{status: string, reason: string | null}} task */
export function statusWords({ status, reason }) {
  return [status, reason].filter(Boolean).join(": ").replaceAll("_", " ");
}

/** What a receipt keeps: "12 flights, 180 characters of text". @param {Receipt} receipt */
export function keptWords({ partial_results, text_kept }) {
  const found = Object.entries(partial_results).filter(([, count]) => count).map(([agent, count]) => `${count} of ${agent}`);
  if (text_kept) found.push(`${counted(text_kept, "character")} of text`);
  return found.join(", ") || "nothing";
}

/** The opened task in the address: "#user_id=ann&task_id=01j". @param {string} hash @returns {Opened | null} */
export function openedIn(hash) {
  const named = new URLSearchParams(hash.replace(/^#/, ""));
  const [userId, taskId] = [named.get("user_id"), named.get("task_id")];
  return userId && taskId ? { userId, taskId } : null;
}

/** @param {Opened | null} opened */
export function hashOf(opened) {
  return opened ? `#${new URLSearchParams({ user_id: opened.userId, task_id: opened.taskId })}` : "";
}
