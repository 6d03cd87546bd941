/**
 * What a task finds, added up piece by piece: lists of offers, and the text of its reply.
 *
 * Thousands of pieces may come, so no piece may cost what all before it do: the ids of a list are handed on to the
 * list that follows it, and a text knows how long it is.
 */

/**
 * @typedef {import("./types.js").Offer} Offer
 * @typedef {import("./types.js").Task} Task
 */

/** @type {WeakMap<Offer[], Set<string | undefined>>} */
const idsOf = new WeakMap();

/**
 * Which offer this is; what other graphs find may be no offer, and anything at all.
 *
 * @param {Offer | null} item
 * @returns {string | undefined}
 */
function idOf(item) {
  return item?.offer_id;
}

/**
 * What an agent of that name has in a table; names may be those of an object's own methods.
 *
 * @template T
 * @param {Object<string, T>} table
 * @param {string} agent
 * @returns {T | undefined}
 */
export function of(table, agent) {
  return Object.hasOwn(table, agent) ? table[agent] : undefined;
}

/**
 * Add offers to a list, those that are not in it yet.
 *
 * @param {Offer[]} had
 * @param {Offer[]} items
 */
export function withItems(had, items) {
  const ids = idsOf.get(had) ?? new Set(had.map(idOf));
  idsOf.delete(had);
  const fresh = items.filter((item) => {
    const id = idOf(item);
    const known = id !== undefined && ids.has(id);
    ids.add(id);
    return !known;
  });
  const all = fresh.length ? [...had, ...fresh] : had;
  idsOf.set(all, ids);
  return all;
}

/**
 * Take the server's whole account, keeping the lists that say the same: offers are only ever added.
 *
 * @param {Task["partials"]} had
 * @param {Task["partials"]} told
 */
export function withSameLists(had, told) {
  const agents = Object.keys(told);
  const same = agents.filter((agent) => of(had, agent)?.length === of(told, agent)?.length);
  if (same.length === agents.length && agents.length === Object.keys(had).length) return had;
  return { ...told, ...Object.fromEntries(same.map((agent) => [agent, of(had, agent) ?? []])) };
}

/**
 * Put a piece of text at its place. Offsets count characters (code points), which JavaScript's positions do not.
 *
 * @param {Task} task
 * @param {{text: string, offset: number}} piece
 * @returns {Pick<Task, "reply" | "replied">}
 */
export function spliced({ reply, replied }, { text, offset }) {
  const before = offset < replied ? Array.from(reply).slice(0, offset).join("") : reply;
  return { reply: before + text, replied: Math.min(offset, replied) + length(text) };
}

/** @param {string} text */
export function length(text) {
  return Array.from(text).length;
}
