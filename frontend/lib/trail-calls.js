/**
 * The tool calls among the steps of a task: asked for by a model piece by piece, made by the graph, and what they came to.
 */

/**
 * @typedef {import("./trails.js").Step} Step
 * @typedef {import("./trails.js").Trail} Trail
 * @typedef {import("./trails.js").Told} Told
 *
 * @typedef {object} Called a call as the server keeps it
 * @property {string} call_id
 * @property {string} tool
 * @property {string} state
 * @property {string} summary
 * @property {string} [tool_call_id]
 * @property {unknown} arguments
 * @property {unknown} result
 * @property {string | null} started_at
 * @property {string | null} ended_at
 * @property {"step"} [kind]
 */

/** Of the arguments that a model writes, in characters. */
const LONGEST_ASKED = 20_000;
/** Of what a call that no tool of the server made came to, in its line. */
const LONGEST_SUMMARY = 200;
const RUNS = new Set(["running", "waiting"]);

/** A model asks for a call; its arguments come piece by piece. @param {Trail} trail @param {Told} event @returns {Trail} */
export function withAsked(trail, event) {
  const { tool_call_id: id, tool, message_id, arguments: piece, offset, whole, at } = event;
  const key = askedKey(message_id, id);
  const had = trail.steps.find((step) => step.key === key);
  const text = had?.asked?.text ?? "";
  // Of a call whose beginning was not heard the arguments are told once it is made.
  const all = text || offset === 0 ? (text + piece).slice(0, LONGEST_ASKED) : "";
  const asked = { id, text: all };
  const state = whole ? "waiting" : "asking";
  if (had) return withStep(trail, { ...had, asked, ...(had.call ? {} : { state }) });
  const times = { since: at, until: null };
  return withStep(trail, { key, kind: "call", name: tool, state, ...times, summary: "", call: "", asked });
}

/** @param {string} messageId @param {string} id */
function askedKey(messageId, id) {
  return `${messageId} asks ${id}`;
}

/** Whether a step is known already for what an event tells. @param {Trail} trail @param {Told} event */
export function isKnownCall(trail, { type, call_id, tool_call_id, message_id }) {
  if (type === "tool_call") return trail.steps.some(({ key }) => key === askedKey(message_id, tool_call_id));
  return stepOf(trail.steps, { call_id, tool_call_id }) !== undefined;
}

/** A call is made, or has ended. @param {Trail} trail @param {Told} event @returns {Trail} */
export function withCall(trail, event) {
  const { call_id, tool, state, summary, kind, at } = event;
  const had = stepOf(trail.steps, /** @type {any} */ (event));
  const runs = RUNS.has(state);
  const given = "arguments" in event ? event.arguments : had?.given;
  return withStep(trail, {
    key: call_id,
    ...had,
    kind: "call",
    name: tool,
    state,
    // From when on it was made, and not since its model has asked for it.
    since: had?.call ? had.since : at,
    until: runs ? null : at,
    summary,
    call: call_id,
    outlived: kind === "step",
    ...(given === undefined ? {} : { given }),
    ...("result" in event ? { result: event.result } : {}),
    isWhole: given !== undefined && (runs || "result" in event),
  });
}

/**
 * The step of a call: by its own id, else the first that its model has asked for under that id and that is not made yet.
 *
 * @param {Step[]} steps
 * @param {{call_id: string, tool_call_id?: string}} call
 */
function stepOf(steps, { call_id, tool_call_id }) {
  const isAsked = (/** @type {Step} */ { asked, call }) => asked !== undefined && asked.id === tool_call_id && !call;
  return steps.find(({ call }) => call === call_id) ?? steps.find(isAsked);
}

/** What answers a call that no tool of the server made: the graph did it in a way of its own. @param {Trail} trail @param {Told} event @returns {Trail} */
export function withAnswer(trail, { role, tool_call_id, status, text = "", at }) {
  const step = trail.steps.findLast(({ asked }) => asked !== undefined && asked.id === tool_call_id);
  if (role !== "tool" || !step || step.call) return trail;
  const state = status === "error" ? "failed" : "completed";
  const summary = text.length <= LONGEST_SUMMARY ? text : "";
  return withStep(trail, { ...step, state, summary, result: text, until: at, isWhole: true });
}

/** What was asked for when its task ended is not done any more. @param {Trail} trail @param {string} at @returns {Trail} */
export function withNoneAsked(trail, at) {
  const isOpen = (/** @type {Step} */ step) => step.call === "" && step.until === null;
  if (!trail.steps.some(isOpen)) return trail;
  const steps = trail.steps.map((step) => (isOpen(step) ? { ...step, state: "not_started", until: at } : step));
  return { ...trail, steps };
}

/** What became of calls may be known only once their task has ended. @param {Trail} trail @param {Told} event @returns {Trail} */
export function withOutcomes(trail, { receipt, at }) {
  /** @type {import("./types.js").ReceiptCall[]} */
  const told = receipt.tool_calls;
  const steps = trail.steps.map((step) => {
    const call = told.find(({ call_id }) => call_id === step.call);
    if (!call || call.outcome === step.state) return step;
    return { ...step, state: call.outcome, summary: call.summary, until: step.until ?? at, isWhole: false };
  });
  return { ...trail, steps };
}

/** The steps with what the server keeps of the calls among them. @param {Step[]} steps @param {Called[]} calls */
export function withKept(steps, calls) {
  return calls.reduce((all, call) => {
    const had = stepOf(all, call);
    if (!had) return inTime(all, keptStep(call));
    // What was read before a call ended may come after the news of its end.
    const isNewer = call.ended_at !== null || had.until === null;
    const step = isNewer ? { ...had, ...keptStep(call), key: had.key } : { ...had, given: call.arguments };
    return all.map((each) => (each === had ? step : each));
  }, steps);
}

/** @param {Called} call @returns {Step} */
function keptStep({ call_id, tool, state, summary, started_at, ended_at, kind, arguments: given, result }) {
  const times = { since: started_at, until: ended_at };
  const told = { given, ...(result === null ? {} : { result }), isWhole: true };
  return { key: call_id, kind: "call", name: tool, state, ...times, summary, call: call_id, outlived: kind === "step", ...told };
}

/** @param {Step[]} steps @param {Step} step */
function inTime(steps, step) {
  const place = steps.findLastIndex(({ since }) => (since ?? "") <= (step.since ?? "")) + 1;
  return steps.toSpliced(place, 0, step);
}

/** Whether a call is not made, or not over. @param {Step} step */
export function isUnderWay({ kind, state }) {
  return kind === "call" && RUNS.has(state);
}

/** @param {Trail} trail @param {Step} step @returns {Trail} */
export function withStep(trail, step) {
  const known = trail.steps.some(({ key }) => key === step.key);
  const steps = known ? trail.steps.map((each) => (each.key === step.key ? step : each)) : [...trail.steps, step];
  return { ...trail, steps };
}
