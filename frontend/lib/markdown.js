/**
 * Markdown as the server renders it: HTML in blocks, sanitised there.
 *
 * What is asked for within one turn of the loop is asked for together: a conversation of fifty messages is one call.
 */

import { renderMarkdown } from "./api.js";

/** @typedef {{line: number, html: string}} Block `line` is where it begins in its text */

/** What one call may carry, in characters: in bytes that is four times as much at most, and the server takes 128 KiB. */
const MOST_TOGETHER = 30_000;
const MOST_TEXTS = 50;

/** @type {{text: string, resolve: (blocks: Block[]) => void, reject: (error: unknown) => void}[]} */
const wanted = [];

/**
 * The blocks of a text. Rejects with an `ApiError`.
 *
 * @param {string} text
 * @returns {Promise<Block[]>}
 */
export function blocksOf(text) {
  if (!text.trim()) return Promise.resolve([]);
  return new Promise((resolve, reject) => {
    if (wanted.push({ text, resolve, reject }) === 1) queueMicrotask(askForAll);
  });
}

function askForAll() {
  while (wanted.length) {
    let length = 0;
    const until = wanted.findIndex(({ text }, at) => at > 0 && ((length += text.length) > MOST_TOGETHER || at === MOST_TEXTS));
    askFor(wanted.splice(0, until < 0 ? wanted.length : until));
  }
}

/** @param {typeof wanted} together */
async function askFor(together) {
  try {
    const { texts } = await renderMarkdown(together.map(({ text }) => text));
    for (const [at, { resolve }] of together.entries()) resolve(texts[at] ?? []);
  } catch (error) {
    for (const { reject } of together) reject(error);
  }
}

// --- Markdown that is still being written

const FENCE = /^ {0,3}(?<marks>`{3,}|~{3,})/;
/** A last line that may yet become a fence, the mark of a list or a heading, a line under a heading, or a quote. */
const FORMING = /(?:^|\n)[ \t]*(?:`{1,2}|`{3,}[^`\n]*|~{1,2}|~{3,}[^~\n]*|[-*+=_>#]+|\d{1,9}[.)]?)[ \t]*$/;
const HEAD_OF_TABLE = /(?:^|\n\s*\n)[ \t]*\|[^\n]*(?:\n[ \t]*\|?[-:| \t]*)?$/;
const HALF_TAG = /<\/?[a-z][^<>\n]*$/i;
const HALF_LINK = /!?\[(?<words>[^\][\n]*)(?:\](?:\([^()\n]*(?:\([^()\n]*\)?[^()\n]*)?)?)?$/;
/** What opens and closes alike, the longest first. */
const MARKS = ["***", "**", "__", "~~", "*", "_"];

/** @param {string} text */
export function withoutHalf(text) {
  const open = openFence(text);
  if (open) return withoutHalfFence(text, open);
  const whole = text.replace(FORMING, "").replace(HEAD_OF_TABLE, "").replace(HALF_TAG, "");
  const place = whole.lastIndexOf("\n\n") + 1;
  return whole.slice(0, place) + closed(whole.slice(place));
}

/** The marks of the fence that a text ends within; "" where it ends in none. @param {string} text */
function openFence(text) {
  let open = "";
  const lines = text.split("\n");
  lines.pop(); // A line that is not ended may still become something else.
  for (const line of lines) {
    const marks = FENCE.exec(line.replace(/^(?:[ \t]|>|[-*+] |\d+[.)] )*/, ""))?.groups?.marks ?? "";
    if (!open) open = marks;
    else if (marks[0] === open[0] && marks.length >= open.length && line.trim().endsWith(marks)) open = "";
  }
  return open;
}

/** The end of a fence is no part of the code while it is typed. @param {string} text @param {string} open */
function withoutHalfFence(text, open) {
  const place = text.lastIndexOf("\n") + 1;
  const last = text.slice(place).trim();
  const ends = last !== "" && [...last].every((letter) => letter === open[0]) && last.length <= open.length;
  return ends ? text.slice(0, place) : text;
}

/** Close what is opened within a paragraph, where it has said something. @param {string} text */
function closed(text) {
  const ticks = text.match(/(?<!`)`(?!`)/g)?.length ?? 0;
  if (ticks % 2) return text.endsWith("`") ? text.slice(0, -1) : `${text}\``;
  const link = HALF_LINK.exec(text);
  const shown = link ? text.slice(0, link.index) + link.groups?.words : text;
  return withMarksClosed(shown);
}

/** @param {string} text */
function withMarksClosed(text) {
  /** @type {string[]} */
  const open = [];
  // Code is none of it, and marks between spaces are none.
  for (const { 0: mark, index } of text.replaceAll(/`[^`]*`/g, (code) => "x".repeat(code.length)).matchAll(/\*{1,3}|_{1,2}|~~/g)) {
    const [before, after] = [text[index - 1] ?? " ", text[index + mark.length] ?? " "];
    if (open.at(-1) === mark && !/\s/.test(before)) open.pop();
    else if (MARKS.includes(mark) && !(mark[0] === "_" && /\w/.test(before)) && (!/\s/.test(after) || index + mark.length === text.length)) open.push(mark);
  }
  const bare = open.at(-1);
  if (bare !== undefined && text.endsWith(bare)) return withMarksClosed(text.slice(0, -bare.length));
  const end = text.search(/\s*$/);
  return text.slice(0, end) + open.reverse().join("") + text.slice(end);
}
