/** What the window's title tells of a trip, for whoever looks at another window. */

import { FACE } from "./face.js";
import { isActive } from "./tasks.js";

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
