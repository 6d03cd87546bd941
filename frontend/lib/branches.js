/** Where a conversation goes back to when an earlier message is edited and sent again. Pure. */

/**
 * @typedef {import("./reduce.js").State} State
 * @typedef {{values: unknown, checkpoint: {checkpoint_id: string}, metadata: {turn?: number}}} StateView as
 *   `GET /threads/{user}/history` lists it
 */

/** Before the first message: nothing was said yet. */
export const START = "start";

/**
 * The task that a message comes after which takes the place of another one: the last before it that has looked for
 * something. Ids of tasks sort by time.
 *
 * @param {Pick<State, "kept" | "tasks">} state
 * @param {string} taskId whose message is edited
 */
export function comesAfter({ kept, tasks }, taskId) {
  const searches = Object.values(tasks).filter(({ agents }) => Object.values(agents).some(({ request }) => request));
  const known = [...(kept ?? []), ...searches].map(({ task_id }) => task_id);
  return known.filter((id) => id < taskId).sort().at(-1) ?? START;
}

/**
 * The step of a graph's thread before a message; null where it has none that is kept, as before the first one.
 *
 * @param {StateView[]} states the newest first
 * @param {string} text of the message
 * @param {number} nth how often that was said by then
 */
export function stepBefore(states, text, nth) {
  const said = JSON.stringify(text);
  const first = states.findLast(({ values }) => (JSON.stringify(values) ?? "").split(said).length > nth);
  if (!first) return null;
  const before = states.find(({ metadata }) => (metadata.turn ?? Infinity) < (first.metadata.turn ?? 0));
  return before?.checkpoint.checkpoint_id ?? null;
}
