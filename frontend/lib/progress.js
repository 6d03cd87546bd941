/** How far a task is, in words: a headline, and a line per agent. */

import { agentName } from "./agents.js";
import { toolName } from "./calls.js";
import { FACE } from "./face.js";
import { isActive } from "./tasks.js";

/**
 * @typedef {import("./types.js").Agent} Agent
 * @typedef {import("./types.js").Task} Task
 */

/**
 * @param {Task} task
 * @param {boolean} stopping whether it was told to stop
 */
export function headline(task, stopping) {
  if (task.status === "cancelling") return `Finishing work already started${begunWords(task)}…`;
  if (stopping) return "Stopping…";
  if (task.status === "queued") return "Waiting its turn";
  if (task.status === "input_required") return `${FACE.title} needs you`;
  const adjusting = task.transfer?.relation === "refine" && !Object.values(task.agents).some(({ count }) => count);
  return adjusting ? "Adjusting…" : "Working on it…";
}

/** ": booking the flight", what of a task can't be cut short. @param {Task} task */
function begunWords({ calls }) {
  const begun = Object.values(calls).filter(({ effect, state }) => effect === "write" && state === "running");
  return begun.length ? `: ${begun.map(({ tool }) => toolName(tool).toLowerCase()).join(", ")}` : "";
}

/**
 * "Flights: 41 found so far"
 *
 * @param {string} name
 * @param {Agent} agent
 */
export function agentLine(name, { state, detail, done, total, count }) {
  const isCounted = total > 0 || count > 0;
  const far = isCounted ? `${count} found${state === "working" && done < total ? " so far" : ""}` : "";
  return `${agentName(name)}: ${wordsOf(state, detail, far, count)}`;
}

/** @param {Agent["state"]} state @param {string} detail @param {string} far @param {number} count */
function wordsOf(state, detail, far, count) {
  switch (state) {
    case "waiting":
      return "waiting";
    case "working":
      return far || detail || "at work";
    case "input_required":
      return "needs you";
    case "done":
      return far ? `done, ${count} found` : "done";
    case "interrupted":
      return far ? `stopped, ${far}` : "stopped";
    case "failed":
      return detail ? `failed, ${detail}` : "failed";
    default:
      return String(state);
  }
}

// --- The title of the window

/**
 * "Needs you – Detour"
 *
 * @param {import("./reduce.js").State} state
 */
export function titleWords({ task, requests, stopping, connection, userId, trips }) {
  const name = trips.find((trip) => trip.userId === userId)?.name ?? "";
  const told = requests.length > 0 ? "Needs you" : connection === "offline" ? "Offline" : doing(task, stopping) || name;
  return told ? `${told} – ${FACE.title}` : FACE.title;
}

/**
 * @param {import("./types.js").Task | null} task
 * @param {string | null} stopping
 */
function doing(task, stopping) {
  if (!isActive(task)) return "";
  if (task.status === "queued") return "Waiting";
  return task.status === "cancelling" || stopping === task.task_id ? "Stopping" : FACE.isGraph ? "Working" : "Searching";
}
