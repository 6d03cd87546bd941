/** What a step of a trail says of itself: a sign, a name, its state in words, and how long it took. Pure. */

import { toolName } from "./calls.js";
import { counted, inWords } from "./english.js";
import { begunJson, briefly } from "./values.js";

/**
 * @typedef {import("./trails.js").Step} Step
 * @typedef {import("./trails.js").Trail} Trail
 */

/** Below this, in milliseconds, what a node did is no news: it only led to another. */
const BRIEF_MS = 100;
/** What takes less has taken no time that anybody would ask for. */
const SHORTEST_S = 0.05;

/** @type {Map<string, [sign: string, words: string]>} */
const CALLS = new Map([
  ["asking", ["searching", "preparing"]],
  ["waiting", ["waiting", "waiting"]],
  ["running", ["searching", "running"]],
  ["completed", ["done", "done"]],
  ["completed_after_interrupt", ["done", "done, after you interrupted"]],
  ["cancelled", ["stopped", "cancelled"]],
  ["not_started", ["stopped", "not started"]],
  ["denied", ["stopped", "not allowed"]],
  ["adopted", ["adjusting", "continues for your next message"]],
  ["failed", ["failed", "failed"]],
  ["unknown", ["waiting", "not known yet"]],
]);
/** @type {Map<string, [sign: string, words: string]>} */
const NODES = new Map([
  ["waiting", ["waiting", "waiting"]],
  ["working", ["searching", "running"]],
  ["input_required", ["needs-you", "asks you"]],
  ["done", ["done", "done"]],
  ["interrupted", ["stopped", "cancelled"]],
  ["failed", ["failed", "failed"]],
]);
const RUNNING = new Set(["asking", "running", "working"]);
/** As much of the arguments that a model writes as tells what a call is about. */
const BEGINNING = 400;

/** @param {Step} step @returns {{sign: string, words: string}} */
export function stateOf({ kind, state, outlived, call }) {
  // Refused before it was made, or tried by the graph in a way of its own.
  if (state === "failed" && call === "") return { sign: "stopped", words: "not done" };
  const [sign, words] = (kind === "node" ? NODES : CALLS).get(state) ?? ["waiting", state];
  return { sign, words: outlived && state === "unknown" ? "still running" : words };
}

/** @param {Step} step */
export function nameOf({ kind, name }) {
  return kind === "node" ? inWords(name) : toolName(name);
}

/** What it came to, in short. @param {Step} step */
export function summaryOf({ kind, state, summary, count = 0 }) {
  if (kind === "node") {
    const said = summary === state ? "" : summary;
    return [said, count ? `${counted(count, "result")}` : ""].filter(Boolean).join(", ");
  }
  return summary === stateOf({ .../** @type {Step} */ ({}), kind, state }).words ? "" : summary;
}

/** What a call is about, in short. @param {Step} step */
export function aboutOf({ given, asked }) {
  return briefly(given ?? begunJson(asked?.text.slice(0, BEGINNING) ?? ""));
}

/** What a call is given, as far as its model has said it; undefined where nothing is known. @param {Step} step */
export function givenTo({ given, asked }) {
  return given ?? (asked && begunJson(asked.text));
}

/** @param {Step} step */
export function isRunning({ state }) {
  return RUNNING.has(state);
}

/** Whether the line of a step tells that its task is at work. @param {Step} step */
export function isSeenAtWork(step) {
  return isRunning(step) || (step.call === "" && step.until === null);
}

/** "0.4 s", "12 s", "1:05 min"; "" where it is not known. @param {Step} step @param {number} now in milliseconds */
export function lengthOf({ since, until, call }, now) {
  if (!since || call === "") return "";
  const seconds = Math.max(0, ((until ? Date.parse(until) : now) - Date.parse(since)) / 1000);
  if (until && seconds < SHORTEST_S) return "";
  if (seconds < 10) return until ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds)} s`;
  const whole = Math.floor(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")} min`;
}

/**
 * The steps that tell something: a node is left out where its calls or its words say what it did, and where it did
 * nothing that takes time.
 *
 * @param {Step[]} steps
 */
export function telling(steps) {
  const calls = steps.filter(({ kind }) => kind === "call");
  return steps.filter((step) => {
    if (step.kind !== "node") return true;
    if (step.state === "failed") return true;
    const called = calls.some(({ since }) => isWithin(since, step));
    const spoke = Boolean(step.spoke);
    if (called || spoke) return false;
    return Boolean(step.count) || !isBrief(step);
  });
}

/** @param {Step} step */
function isBrief({ since, until, name, state }) {
  if (state === "input_required") return true; // the question says so
  // The hooks of middleware run before and after each call of a model.
  if (!until) return name.includes(".");
  return Date.parse(until) - Date.parse(since ?? until) < BRIEF_MS;
}

/** @param {string | null} at @param {Step} step */
function isWithin(at, { since, until }) {
  return at !== null && since !== null && at >= since && (until === null || at <= until);
}
