/**
 * Values of any JSON form as a reader takes them: what a tool was given, and what it came to. Pure.
 *
 * They come from models and tools, and may be of any size: whoever shows them asks for a part at a time.
 */

import { counted, inWords } from "./english.js";

/** @typedef {{label: string, value: unknown}} Entry */

/** How much of a text is shown before it is opened, and after; further lines than these are cut as well. */
const [LONG, LINES, LONGEST] = [300, 8, 100_000];
/** From how many values on one within another is closed until it is opened, and from how deep. */
const [MANY, DEEP_OF_MANY, DEEP] = [200, 2, 5];
const LONGEST_LABEL = 120;
/** Of a line that tells what a call is about: how many arguments, and how much of each. */
const [ARGUMENTS, ARGUMENT] = [3, 60];

/**
 * What a value is to its reader: text that holds JSON is what it holds, and blocks of text are text.
 *
 * @param {unknown} value
 * @returns {unknown}
 */
export function readable(value) {
  if (typeof value === "string") return /^\s*[[{]/.test(value) ? (parsed(value) ?? value) : value;
  if (!Array.isArray(value) || !value.length) return value;
  const texts = value.map((each) => (each?.type === "text" && typeof each.text === "string" ? each.text : null));
  return texts.includes(null) ? value : readable(texts.join("\n"));
}

/** @param {string} text @returns {unknown} undefined where it is no JSON */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * What the beginning of JSON holds: a text that breaks off is in it as far as it goes, a name without a value is not.
 *
 * @param {string} text
 * @returns {unknown} undefined where it holds nothing, or is no JSON
 */
export function begunJson(text) {
  /** @type {string[]} */
  const closers = [];
  let [until, closing, inText] = [0, "", false];
  let end = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (inText && sign === "\\") {
      const length = text[at + 1] === "u" ? 6 : 2;
      if (at + length > text.length) end = at;
      at += length - 1;
    } else if (sign === '"') inText = !inText;
    else if (inText) continue;
    else if (sign === "{" || sign === "[") [until, closing] = [at + 1, (closers.push(sign === "{" ? "}" : "]"), closed(closers))];
    else if (sign === "}" || sign === "]") closers.pop();
    else if (sign === ",") [until, closing] = [at, closed(closers)];
  }
  return parsed(text.slice(0, end) + (inText ? '"' : "") + closed(closers)) ?? parsed(text.slice(0, until) + closing);
}

/** @param {string[]} closers */
function closed(closers) {
  return closers.toReversed().join("");
}

/**
 * What is in a value, by name or in order; null for a value that has no parts.
 *
 * @param {unknown} value
 * @returns {{kind: "fields" | "list", size: number, first: (count: number) => Entry[]} | null}
 */
export function partsOf(value) {
  if (typeof value !== "object" || value === null) return null;
  if (Array.isArray(value)) {
    const first = (/** @type {number} */ count) => value.slice(0, count).map((each) => ({ label: "", value: each }));
    return { kind: "list", size: value.length, first };
  }
  const names = Object.keys(value);
  const first = (/** @type {number} */ count) =>
    names.slice(0, count).map((name) => ({ label: inWords(name), value: Reflect.get(value, name) }));
  return { kind: "fields", size: names.length, first };
}

/** "3 fields", "1 item". @param {unknown} value */
export function sizeOf(value) {
  const parts = partsOf(value);
  return parts ? counted(parts.size, parts.kind === "list" ? "item" : "field") : "";
}

/** Whether a value has more in it than a screen or two can show. @param {unknown} value */
export function hasMany(value) {
  let left = MANY;
  const waiting = [value];
  while (waiting.length && left > 0) {
    left -= 1;
    waiting.push(...(partsOf(waiting.pop())?.first(left) ?? []).map((part) => part.value));
  }
  return waiting.length > 0;
}

/** Whether a value so deep within another is closed until it is opened. @param {number} depth @param {boolean} isOfMany */
export function isTooDeep(depth, isOfMany) {
  return depth >= (isOfMany ? DEEP_OF_MANY : DEEP);
}

/** A value without parts, in words. @param {unknown} value */
export function wordsOf(value) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value === undefined || value === "" || typeof value === "object" ? "none" : String(value);
}

/** @param {string} text */
export function shortOf(text) {
  const lines = text.slice(0, LONG).split("\n", LINES).join("\n");
  return lines.length < text.length ? `${whole(lines)}…` : text;
}

/** As much of a text as a page can show. @param {string} text */
export function longOf(text) {
  if (text.length <= LONGEST) return text;
  const left = text.length - LONGEST;
  return `${whole(text.slice(0, LONGEST))}…\n(${left.toLocaleString("en")} more characters are not shown)`;
}

/** Without half a character at its end. @param {string} text */
function whole(text) {
  return text.replace(/[\ud800-\udbff]$/, "");
}

/** @param {string} label */
export function labelOf(label) {
  return label.length > LONGEST_LABEL ? `${whole(label.slice(0, LONGEST_LABEL))}…` : label;
}

/** What a call is about, from what it was given: "Berlin, Rome, limit 3". @param {unknown} given */
export function briefly(given) {
  const parts = partsOf(given);
  if (parts?.kind !== "fields") return "";
  const told = parts.first(20).flatMap(({ label, value }) => {
    if (typeof value === "string") return value.trim() ? [oneLine(value)] : [];
    return typeof value === "number" ? [`${label.toLowerCase()} ${value}`] : [];
  });
  return told.slice(0, ARGUMENTS).join(", ");
}

/** @param {string} text */
function oneLine(text) {
  const line = text.slice(0, ARGUMENT + 1).trim().replaceAll(/\s+/g, " ");
  return text.length > ARGUMENT ? `${whole(line.slice(0, ARGUMENT))}…` : line;
}
