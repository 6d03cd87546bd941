/**
 * The conversation with any graph as a list of entries: messages in Markdown, what was done on the way to each, what
 * was found, what is asked, and what interruptions did.
 */

import { entryOfMessage, markersOf, outgoingEntry, placeOfRequest, progressEntry, requestEntry } from "./entries.js";
import { shownMessages } from "./messages.js";
import { of } from "./partials.js";
import { isOnItsWay } from "./pending.js";
import { isSeenAtWork, telling } from "./steps.js";
import { isActive } from "./tasks.js";

/**
 * @typedef {import("./reduce.js").State} State
 * @typedef {import("./entries.js").Entry} Entry
 * @typedef {import("./types.js").Message} Message
 * @typedef {import("./trails.js").Trail} Trail
 */

/** How many of the last tasks are asked for their calls when the page knows none of them. */
const TRACED = 10;

/** @param {State} state @returns {Entry[]} */
export function graphEntries(state) {
  const messages = shownMessages(state);
  const turns = Map.groupBy(messages, ({ task_id }) => task_id);
  const markers = new Set(markersOf(messages));
  const newest = messages.findLast((message) => markers.has(message));
  const [open, ...waiting] = state.requests;
  const asked = open ? placeOfRequest(messages, open) : -1;
  const entries = messages.flatMap((message, at) => {
    const turn = turns.get(message.task_id) ?? [];
    const as = { isMarker: markers.has(message), isNewest: message === newest };
    const entry =
      open && at === asked
        ? requestEntry(state, open, waiting.length)
        : withMarkdown(state, entryOfMessage(state, message, as), message, lastReply(turn) === message);
    return [...before(state, turn, message), ...(entry ? [entry] : []), ...after(state, turn, message)];
  });
  if (open && asked < 0) entries.push(requestEntry(state, open, waiting.length));
  const outbox = state.outbox.filter((item) => !isOnItsWay(state, item));
  return [...entries, ...outbox.map(outgoingEntry), ...progressOf(state, turns)];
}

/**
 * The tasks of the last messages whose calls should be fetched: nothing was heard of them, or not from the beginning.
 *
 * @param {State} state
 */
export function untraced({ history, trails, tasks, joined }) {
  const ids = new Set(history.map(({ task_id }) => task_id));
  const recent = [...ids].slice(-TRACED);
  return recent.filter((id) => id === joined || (!of(trails, id) && !isActive(tasks[id])));
}

/**
 * What was done before the task's next message stands after the one before it: by time, since a task that asks says
 * several things.
 *
 * @param {State} state
 * @param {Message[]} turn the messages of its task
 * @param {Message} message
 * @returns {Entry[]}
 */
function after(state, turn, message) {
  const { task_id } = message;
  const trail = of(state.trails, task_id);
  // What is being said now is the end of all that was done.
  if (!trail || message.role === "system" || message.at === "") return [];
  const place = turn.indexOf(message);
  const next = turn[place + 1];
  const had = drawn.get(message);
  if (had && had.trail === trail && had.next === next) return had.entries;
  const entries = stepsBetween(trail, place, message, next);
  drawn.set(message, { trail, next, entries });
  return entries;
}

/**
 * The entries of steps, as long as nothing about them changes: what is the same is not drawn again.
 *
 * @type {WeakMap<Message, {trail: Trail, next: Message | undefined, entries: Entry[]}>}
 */
const drawn = new WeakMap();

/** @param {Trail} trail @param {number} place @param {Message} message @param {Message | undefined} next @returns {Entry[]} */
function stepsBetween(trail, place, message, next) {
  const { task_id } = message;
  const from = place ? placedAt(message) : "";
  const until = (next && placedAt(next)) || "~";
  const steps = telling(trail.steps).filter(({ since }) => (since ?? "") >= from && (since ?? "") < until);
  const shown = isSaidAgain(trail, next) ? steps.filter((step) => step !== lastSaid(trail)) : steps;
  if (!shown.length) return [];
  const data = { taskId: task_id, steps: shown };
  return [{ tag: "step-list", key: `steps ${task_id} ${place}`, data }];
}

/** @param {Message} message */
function placedAt({ at, taken_in_at }) {
  return taken_in_at ?? at;
}

/** What was found stands before what is said of it. @param {State} state @param {Message[]} turn @param {Message} message */
function before(state, turn, message) {
  const last = lastReply(turn) ?? turn.find(({ role }) => role === "system");
  return message === last ? foundEntry(state, message.task_id) : [];
}

/** @param {Message[]} turn */
function lastReply(turn) {
  return turn.findLast(({ role }) => role === "assistant");
}

/** @param {State} state @param {string} taskId @returns {Entry[]} */
function foundEntry({ trails, tasks, interrupted }, taskId) {
  const partials = tasks[taskId]?.partials ?? interrupted[taskId]?.partials ?? of(trails, taskId)?.found ?? {};
  const any = Object.values(partials).some((items) => items.length);
  return any ? [{ tag: "found-items", key: `found ${taskId}`, data: partialsData(partials) }] : [];
}

/** The same value for the same findings: nothing is drawn anew for it. @type {WeakMap<object, {partials: any}>} */
const datas = new WeakMap();

/** @param {State["tasks"][string]["partials"]} partials */
function partialsData(partials) {
  const had = datas.get(partials) ?? { partials };
  datas.set(partials, had);
  return had;
}

/**
 * A message without what was said before its last calls: that stands among the steps.
 *
 * @param {State} state
 * @param {Entry} entry
 * @param {Message} message
 * @param {boolean} isLast whether its task has said nothing later
 * @returns {Entry | null}
 */
function withMarkdown({ trails }, entry, { task_id, role, text, interrupted }, isLast) {
  if (entry.tag !== "chat-message" || role === "user") return entry;
  const trail = of(trails, task_id);
  const own = trail ? withoutSaid(text, trail) : text;
  // Where it was cut short after that, the fold says so.
  if (!own && (entry.data.streaming || interrupted)) return null;
  // The reply is what was streamed before it: the same element, so that what is selected in it stays so.
  const key = isLast ? `${task_id}.reply` : entry.key;
  return { ...entry, key, data: markdownData(entry.data, own || text) };
}

/** @type {WeakMap<object, any>} */
const shownAs = new WeakMap();

/** The same value for the same message. @param {any} data @param {string} text */
function markdownData(data, text) {
  const had = shownAs.get(data);
  if (had?.text === text) return had;
  const made = { ...data, text, markdown: true };
  shownAs.set(data, made);
  return made;
}

/** @param {string} text @param {Trail} trail */
function withoutSaid(text, trail) {
  let rest = text;
  for (const { text: said = "" } of repliesIn(trail)) {
    const start = rest.trimStart();
    if (start.startsWith(said)) rest = start.slice(said.length);
  }
  return rest.trim();
}

/** Whether all that the reply says was said before: then it is the reply that says it. @param {Trail} trail @param {Message | undefined} next */
function isSaidAgain(trail, next) {
  if (next?.role !== "assistant" || next.interrupted || next.at === "") return false;
  return repliesIn(trail).length > 0 && withoutSaid(next.text, trail) === "";
}

/** @param {Trail} trail */
function repliesIn({ steps }) {
  return steps.filter(({ kind, reply }) => kind === "said" && reply);
}

/** @param {Trail} trail */
function lastSaid(trail) {
  return repliesIn(trail).at(-1);
}

/**
 * That a task is at work is seen where a step runs or a reply is written; else it is said.
 *
 * @param {State} state
 * @param {Map<string, Message[]>} turns
 * @returns {Entry[]}
 */
function progressOf(state, turns) {
  const { task, trails } = state;
  const trail = task ? of(trails, task.task_id) : undefined;
  const isSeen = trail && (telling(trail.steps).some(isSeenAtWork) || (task?.reply ?? "").slice(trail.from).trim() !== "");
  const isPlain = task?.status === "running" && state.stopping !== task.task_id && state.queued.length === 0;
  const found = task && isActive(task) ? foundEntry(state, task.task_id) : [];
  const replies = lastReply(turns.get(task?.task_id ?? "") ?? []);
  return [...(replies ? [] : found), ...(isSeen && isPlain ? [] : progressEntry(state))];
}
