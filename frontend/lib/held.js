/**
 * What an earlier search found and the new one has not found itself yet: it stays on the board meanwhile. Pure.
 *
 * The server tells the fate of each result as the new task begins (`results_sorted`): what stays is shown as before, what
 * waits is shown as being asked again until the first new results are there, and what goes is among the kept ones.
 *
 * @typedef {import("./types.js").Offer} Offer
 * @typedef {import("./types.js").Task} Task
 * @typedef {{search: Task | null, asked: Set<string>, fits: Set<string>, confirmed: Set<string>}} Held the ids of the
 *   offers of an earlier search that are `asked` again, that are still held since each `fits`, and that are `confirmed`:
 *   the new search has found them, too
 */

import { partialsOf } from "./kept.js";
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
  const untold = { asked: NONE, fits: NONE, confirmed: NONE };
  if (!search || !earlier) return { search, ...untold };
  if (!search.sorted) return { search: isUntold(search) ? { ...search, partials: earlier.partials } : search, ...untold };
  if (earlier.task_id !== search.sorted.from_task_id) return { search, ...untold };
  const [asked, fits, confirmed] = [new Set(), new Set(), new Set()];
  const partials = { ...search.partials };
  for (const [agent, { stays, waits, goes }] of Object.entries(search.sorted.results)) {
    const doing = of(search.agents, agent);
    const had = of(earlier.partials, agent) ?? [];
    const own = of(search.partials, agent) ?? [];
    const known = new Set(own.map((offer) => offer?.offer_id));
    const again = [...stays, ...waits].flatMap((place) => had[place]?.offer_id ?? []).filter((id) => known.has(id));
    // Where nothing left and nothing came, as when an offer is booked, there is nothing to tell apart.
    if (goes.length || known.size > again.length || waits.length) for (const id of again) confirmed.add(id);
    if (doing ? hasEnded(doing) : !isUntold(search)) continue;
    const at = (/** @type {number[]} */ places) => places.flatMap((place) => had[place] ?? []).filter((offer) => !known.has(offer.offer_id));
    const asking = own.length ? [] : at(waits);
    const still = at(stays);
    for (const { offer_id } of asking) asked.add(offer_id);
    for (const { offer_id } of still) fits.add(offer_id);
    partials[agent] = [...own, ...still, ...asking];
  }
  return { search: { ...search, partials }, asked, fits, confirmed };
}

/** The search of a state, with what is held for it. @param {import("./reduce.js").State} state @returns {Held} */
export function heldIn(state) {
  const { search, before } = state.shown;
  const from = search?.sorted?.from_task_id;
  if (from === undefined) return withHeld(search, before);
  const partials = partialsOf(state, from);
  return withHeld(search, partials && { task_id: from, partials });
}

/**
 * The task whose results are still shown for a search, where this window does not have them: they are to be fetched.
 *
 * @param {import("./reduce.js").State} state
 * @returns {string | null}
 */
export function missingIn(state) {
  const { search } = state.shown;
  const from = search?.sorted?.from_task_id;
  if (!from || !isActive(search) || partialsOf(state, from)) return null;
  return Object.values(search.sorted?.results ?? {}).some(({ stays, waits }) => stays.length + waits.length) ? from : null;
}

/** Whether a task has not told yet what it searches: until then nothing says that the results before it go. @param {Task} task */
function isUntold(task) {
  return isActive(task) && !Object.keys(task.agents).length && !Object.keys(task.partials).length;
}
