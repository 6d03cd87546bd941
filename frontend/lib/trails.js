/**
 * What tasks did on the way to their reply, in order: steps of the graph, tool calls, and what was said between them.
 *
 * The other tasks in the state are forgotten once the next one is shown; their trails stay, as long as there is room.
 */

import { of } from "./partials.js";
import { isActive } from "./tasks.js";
import {
  isKnownCall,
  isUnderWay,
  withAnswer,
  withAsked,
  withCall,
  withKept,
  withNoneAsked,
  withOutcomes,
  withStep,
} from "./trail-calls.js";

/**
 * @typedef {import("./reduce.js").State} State
 *
 * @typedef {object} Step
 * @property {string} key
 * @property {"node" | "call" | "said"} kind a node of the graph, a tool call, or text of a model
 * @property {string} name of the node or the tool; of text, that of the node that said it
 * @property {string} state as the server tells it
 * @property {string | null} since
 * @property {string | null} until
 * @property {string} summary
 * @property {number} [count] how much a node has found
 * @property {boolean} [spoke] whether what a node did is seen by what it said
 * @property {boolean} [outlived] whether it is a node that ran on after its task
 * @property {string} [text] what was said
 * @property {boolean} [reply] whether that is a part of the reply
 * @property {string} [call] the id of a tool call; "" until it is made
 * @property {{id: string, text: string}} [asked] the call as its model asks for it: an id, and arguments as JSON, so far
 * @property {unknown} [given] the arguments of a call; undefined where they are not known
 * @property {unknown} [result] what a call came to; undefined where there is none, or where it is not known
 * @property {boolean} [isWhole] whether the server has told both, as far as there are any
 *
 * @typedef {object} Trail
 * @property {Step[]} steps
 * @property {string | null} speaking the id of the message of the reply that is being said
 * @property {string} speaker the node that says it
 * @property {number} from where it begins in the reply so far
 * @property {import("./types.js").Task["partials"]} found
 *
 * @typedef {{type: string, seq: number, task_id: string, at: string, [field: string]: any}} Told
 */

const TRAILS_KEPT = 30;
/** Of what a node says beside the reply, in characters. */
const LONGEST_SAID = 20_000;
/** What may be told of a task that has ended, too. */
const TOLD_LATE = new Set(["tool_update", "receipt"]);

/** @type {Trail} */
const NOTHING_DONE = { steps: [], speaking: null, speaker: "", from: 0, found: {} };

const TAKEN = new Map(
  Object.entries(
    /** @type {Object<string, (trail: Trail, event: any, before: State) => Trail>} */ ({
      agent_update: withNode,
      tool_call: (trail, event, before) => withAsked(withSpeaker(beforeCall(trail, event, before), event.node), event),
      tool_update: (trail, event, before) => withCall(beforeCall(trail, event, before), event),
      graph_message: withAnswer,
      text_delta: withText,
      steer: beforeTakenIn,
      receipt: withOutcomes,
      status_update: (trail, event) => (isActive(event) ? trail : withNoneAsked(trail, event.at)),
    }),
  ),
);

/**
 * The trails after an event of the log.
 *
 * @param {State} before
 * @param {State} after
 * @param {Told} event
 * @returns {State["trails"]}
 */
export function trailsAfter(before, after, event) {
  const { trails } = before;
  if (!isActive(before.tasks[event.task_id]) && !TOLD_LATE.has(event.type)) return trails;
  const had = of(trails, event.task_id) ?? NOTHING_DONE;
  const trail = TAKEN.get(event.type)?.(had, event, before) ?? had;
  const found = after.tasks[event.task_id]?.partials ?? had.found;
  if (trail === had && found === had.found) return trails;
  return put(trails, event.task_id, { ...trail, found });
}

/**
 * What the server still knows of the calls of a task. What it has said so far, where no piece of that was heard, it said
 * before the call that runs.
 *
 * @param {State["trails"]} trails
 * @param {string} taskId
 * @param {import("./trail-calls.js").Called[]} calls
 * @param {string} [reply] so far
 */
export function withCalls(trails, taskId, calls, reply = "") {
  const had = of(trails, taskId) ?? NOTHING_DONE;
  const steps = withKept(had.steps, calls);
  const place = steps.findIndex(isUnderWay);
  const text = reply.slice(had.from).trim();
  if (place < 0 || !text) return put(trails, taskId, { ...had, steps });
  const said = saidStep(had, text, steps[place]?.since ?? "");
  return put(trails, taskId, { ...had, steps: steps.toSpliced(place, 0, said), from: reply.length, speaking: null });
}

/** Whether anything was done on the way. @param {Trail | undefined} trail */
export function isEmpty(trail) {
  return !trail || trail.steps.length === 0;
}

/** @param {State["trails"]} trails @param {string} taskId @param {Trail} trail */
function put(trails, taskId, trail) {
  const { [taskId]: _, ...others } = trails;
  return Object.fromEntries(Object.entries({ ...others, [taskId]: trail }).slice(-TRAILS_KEPT));
}

/**
 * @param {Trail} trail
 * @param {Told} event
 * @returns {Trail}
 */
function withNode(trail, { agent, state, detail, count, since, until }) {
  if (state === "waiting" && !since) return trail;
  const key = `${agent} ${since}`;
  const had = trail.steps.find((step) => step.key === key);
  return withStep(trail, {
    ...had,
    key,
    kind: "node",
    name: agent,
    state,
    since: since ?? null,
    until: until ?? null,
    summary: detail,
    count,
  });
}

/** What was said before a call stands before it. @param {Trail} trail @param {Told} event @param {State} before */
function beforeCall(trail, event, before) {
  return isKnownCall(trail, event) ? trail : saidSoFar(trail, event, before);
}

/** @param {Trail} trail @param {Told} event @param {State} before @returns {Trail} */
function withText(trail, event, before) {
  const { node = "", message_id = "", reply, text, task_id, at } = event;
  const spoken = withSpeaker(trail, node);
  if (reply === false) return withPiece(spoken, { node, message_id, text, at });
  if (trail.speaking === message_id) return spoken;
  const next = saidSoFar(spoken, event, before);
  return { ...next, speaking: message_id, speaker: node, from: before.tasks[task_id]?.reply.length ?? 0 };
}

/**
 * Of what runs, the node that speaks is seen by what it says. A model within a subgraph names a node of that.
 *
 * @param {Trail} trail
 * @param {string} node
 */
function withSpeaker(trail, node) {
  const nodes = trail.steps.filter(({ kind }) => kind === "node");
  const step = nodes.findLast(({ name }) => name === node) ?? nodes.findLast(({ state }) => state === "working");
  return step && !step.spoke ? withStep(trail, { ...step, spoke: true }) : trail;
}

/** @param {Trail} trail @param {{node: string, message_id: string, text: string, at: string}} piece @returns {Trail} */
function withPiece(trail, { node, message_id, text, at }) {
  const key = `${node} says ${message_id}`;
  const had = trail.steps.find((step) => step.key === key);
  const said = `${had?.text ?? ""}${text}`.slice(0, LONGEST_SAID);
  return withStep(trail, { key, kind: "said", name: node, state: "", since: had?.since ?? at, until: at, summary: "", text: said, reply: false });
}

/**
 * What the reply said before a call, or before another model took over, stands before what follows.
 *
 * @param {Trail} trail
 * @param {Told} event
 * @param {State} before
 * @returns {Trail}
 */
function saidSoFar(trail, { task_id, at }, before) {
  const reply = before.tasks[task_id]?.reply ?? "";
  const text = reply.slice(trail.from).trim();
  if (!text) return trail;
  return { ...withStep(trail, saidStep(trail, text, at)), from: reply.length, speaking: null };
}

/** @param {Trail} trail @param {string} text @param {string} at @returns {Step} */
function saidStep({ from, speaker }, text, at) {
  return { key: `reply ${from}`, kind: "said", name: speaker, state: "", since: at, until: at, summary: "", text, reply: true };
}

/** What was said before a message was taken in stands before that. @param {Trail} trail @param {Told} event @param {State} before */
function beforeTakenIn(trail, event, before) {
  if (event.steer !== "taken_in") return trail;
  return saidSoFar(trail, { ...event, at: new Date(Date.parse(event.at) - 1).toISOString() }, before);
}
