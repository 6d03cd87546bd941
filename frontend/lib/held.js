/**
 * What an earlier search found and the new one has not found itself yet: it stays on the board meanwhile. Pure.
 *
 * The server tells the fate of each result as the new task begins (`results_sorted`): what stays is shown as before, what
 * waits is shown as being asked again until the first new results are there, and what goes is among the kept ones.
 *
 * @typedef {import("./types.js").Offer} Offer
 * @typedef {import("./types.js").Task} Task
 * @typedef {{search: Task | null, asked: Set<string>}} Held `asked` are the ids of the offers that are asked again
 */

import { of } from "./partials.js";
import { hasEnded, isActive } from "./tasks.js";

/** @type {Set<string>} */
const NONE = new Set();

/**
 * The search with what is held of the one before it.
 *
 * @param {Task | null} search
 * @param {Pick<Task, "task_id" | "partials"> | null | undefined} earlier the one that `results_sorted` tells of
 * @returns {Held}
 */
export function withHeld(search, earlier) {
  if (!search || !earlier) return { search, asked: NONE };
  if (!search.sorted) return { search: isUntold(search) ? { ...search, partials: earlier.partials } : search, asked: NONE };
  if (earlier.task_id !== search.sorted.from_task_id) return { search, asked: NONE };
  const asked = new Set();
  const partials = { ...search.partials };
  for (const [agent, { stays, waits }] of Object.entries(search.sorted.results)) {
    const doing = of(search.agents, agent);
    if (doing ? hasEnded(doing) : !isUntold(search)) continue;
    const had = of(earlier.partials, agent) ?? [];
    const own = of(search.partials, agent) ?? [];
    const known = new Set(own.map((offer) => offer?.offer_id));
    const at = (/** @type {number[]} */ places) => places.flatMap((place) => had[place] ?? []).filter((offer) => !known.has(offer.offer_id));
    const again = own.length ? [] : at(waits);
    for (const { offer_id } of again) asked.add(offer_id);
    partials[agent] = [...own, ...at(stays), ...again];
  }
  return { search: { ...search, partials }, asked };
}

/** The search of a state, with what is held for it. @param {import("./reduce.js").State} state @returns {Held} */
export function heldIn({ shown: { search, before }, interrupted }) {
  const from = search?.sorted?.from_task_id;
  return withHeld(search, from === undefined || before?.task_id === from ? before : interrupted[from]);
}

/** Whether a task has not told yet what it searches: until then nothing says that the results before it go. @param {Task} task */
function isUntold(task) {
  return isActive(task) && !Object.keys(task.agents).length && !Object.keys(task.partials).length;
}
