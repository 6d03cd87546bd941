/**
 * The search whose results are shown: it may be older than the task at work, which books from it, or goes on from it.
 * Pure.
 *
 * @typedef {import("./types.js").Task} Task
 * @typedef {{search: Task | null, before: Task | null}} Shown the search that is shown, and the one before it
 */

/** What is shown of a trip at first. @type {Shown} */
export const NOTHING_SHOWN = { search: null, before: null };

/**
 * The search whose results are shown: the task's own, and of the one before what the task goes on from without
 * searching it anew: who wants another hotel keeps the flights, and who books one still sees the list.
 *
 * @param {Task | null} task
 * @param {Task | null} before the search that was shown until now
 * @returns {Task | null}
 */
export function searchOf(task, before) {
  if (!task || !before) return task;
  const lasting = Object.keys(before.agents).filter((agent) => !(agent in task.agents) && lasts(agent, task));
  if (lasting.length) {
    const agents = { ...picked(before.agents, lasting), ...task.agents };
    const partials = { ...picked(before.partials, lasting), ...task.partials };
    return { ...task, agents, partials };
  }
  const isBooking = isOnlyBooking(task) && !Object.values(task.partials).some((offers) => offers.length);
  return isBooking ? before : task;
}

/**
 * Go on to a task, with the search that is shown and the one that was before. What a task goes on from may be told
 * only after it has begun, so until the next one begins it is seen against the same one before.
 *
 * @param {Shown} shown
 * @param {Task | null} task
 * @returns {Shown}
 */
export function followed({ search, before }, task) {
  if (!task) return NOTHING_SHOWN; // the server knows of nothing: the trip was deleted
  const next = searchOf(task, search?.task_id === task.task_id ? before : search);
  return { search: next, before: next?.task_id === search?.task_id ? before : search };
}

/** Whether a task takes over what was asked of an agent. @param {string} agent @param {Task} task */
function lasts(agent, { transfer }) {
  const slots = transfer?.carried.slots;
  return Array.isArray(slots) && slots.some((slot) => String(slot).startsWith(`${agent}.`));
}

/**
 * @template V
 * @param {Object<string, V>} all
 * @param {string[]} names
 * @returns {Object<string, V>}
 */
function picked(all, names) {
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
}

/** Whether a task books, and looks for nothing. @param {Task} task */
export function isOnlyBooking({ agents }) {
  return Object.keys(agents).join() === "booking";
}
