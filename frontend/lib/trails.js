/**
 * What tasks did on the way to their reply, in order: steps of the graph, tool calls, and what was said between them.
 *
 * The other tasks in the state are forgotten once the next one is shown; their trails stay, as long as there is room.
 */

import { of } from "./partials.js";
import { isActive } from "./tasks.js";

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
 *
 * @typedef {object} Account what a tool call was given, and what it came to
 * @property {string} call_id
 * @property {unknown} arguments
 * @property {unknown} result
 *
 * @typedef {object} Trail
 * @property {Step[]} steps
 * @property {string | null} speaking the id of the message of the reply that is being said
 * @property {string} speaker the node that says it
 * @property {number} from where it begins in the reply so far
 * @property {Object<string, Account>} accounts by call
 * @property {import("./types.js").Task["partials"]} found
 *
 * @typedef {{type: string, seq: number, task_id: string, at: string, [field: string]: any}} Told
 */

const TRAILS_KEPT = 30;
/** Of what a node says beside the reply, in characters. */
const LONGEST_SAID = 20_000;
const RUNS = new Set(["running", "waiting"]);
/** What may be told of a task that has ended, too. */
const TOLD_LATE = new Set(["tool_update", "receipt"]);

/** @type {Trail} */
const NOTHING_DONE = { steps: [], speaking: null, speaker: "", from: 0, accounts: {}, found: {} };

/** @type {Map<string, (trail: Trail, event: any, before: State) => Trail>} */
const TAKEN = new Map(
  Object.entries({ agent_update: withNode, tool_update: withCall, text_delta: withText, steer: beforeTakenIn, receipt: withOutcomes }),
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
 * @param {{call_id: string, agent: string, tool: string, state: string, summary: string, arguments: unknown,
 *   result: unknown, started_at: string | null, ended_at: string | null, kind?: "step"}[]} calls
 * @param {string} [reply] so far
 */
export function withAccounts(trails, taskId, calls, reply = "") {
  const had = of(trails, taskId) ?? NOTHING_DONE;
  const told = calls.map(({ call_id, tool, state, summary, started_at, ended_at, kind }) =>
    callStep({ call_id, tool, state, summary, kind }, started_at, ended_at),
  );
  const fresh = told.filter(({ key }) => !had.steps.some((step) => step.key === key));
  // What was read before a call ended may come after the news of its end.
  const newer = (/** @type {Step} */ step) => told.find(({ key, until }) => key === step.key && (until || !step.until));
  const steps = had.steps.map((step) => newer(step) ?? step);
  const all = fresh.reduce(inTime, steps);
  const accounts = Object.fromEntries(calls.map((call) => [call.call_id, call]));
  const place = all.findIndex(({ kind, state }) => kind === "call" && RUNS.has(state));
  const text = reply.slice(had.from).trim();
  if (place < 0 || !text) return put(trails, taskId, { ...had, steps: all, accounts });
  const said = saidStep(had, text, all[place]?.since ?? "");
  return put(trails, taskId, { ...had, steps: all.toSpliced(place, 0, said), accounts, from: reply.length, speaking: null });
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

/** @param {Trail} trail @param {Told} event @param {State} before @returns {Trail} */
function withCall(trail, event, before) {
  const had = trail.steps.find((step) => step.key === event.call_id);
  const since = had?.since ?? event.at;
  const step = callStep(/** @type {any} */ (event), since, RUNS.has(event.state) ? null : event.at);
  return withStep(had ? trail : saidSoFar(trail, event, before), step);
}

/**
 * @param {{call_id: string, tool: string, state: string, summary: string, kind?: "step"}} call
 * @param {string | null} since
 * @param {string | null} until
 * @returns {Step}
 */
function callStep({ call_id, tool, state, summary, kind }, since, until) {
  return { key: call_id, kind: "call", name: tool, state, since, until, summary, outlived: kind === "step" };
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

/** What became of calls may be known only once their task has ended. @param {Trail} trail @param {Told} event @returns {Trail} */
function withOutcomes(trail, { receipt, at }) {
  /** @type {import("./types.js").ReceiptCall[]} */
  const told = receipt.tool_calls;
  const steps = trail.steps.map((step) => {
    const call = told.find(({ call_id }) => call_id === step.key);
    if (!call || call.outcome === step.state) return step;
    return { ...step, state: call.outcome, summary: call.summary, until: step.until ?? at };
  });
  return { ...trail, steps };
}

/** @param {Trail} trail @param {Step} step @returns {Trail} */
function withStep(trail, step) {
  const known = trail.steps.some(({ key }) => key === step.key);
  const steps = known ? trail.steps.map((each) => (each.key === step.key ? step : each)) : [...trail.steps, step];
  return { ...trail, steps };
}

/** @param {Step[]} steps @param {Step} step */
function inTime(steps, step) {
  const place = steps.findLastIndex(({ since }) => (since ?? "") <= (step.since ?? "")) + 1;
  return steps.toSpliced(place, 0, step);
}
