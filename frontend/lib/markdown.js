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
