/**
 * What agents found that is neither flight, hotel nor plan, as any other graph may: a title and lines of text. Pure.
 */

import { inWords } from "./english.js";
import { kindOf } from "./offers.js";

const TITLES = ["title", "name", "label", "text", "summary"];
const LINES_SHOWN = 8;
const LONGEST = 300;

/**
 * What this page knows no card of. These have no ids; what an agent found only ever becomes more, so it is known by
 * its place.
 *
 * @param {Object<string, unknown[]>} partials
 * @returns {{key: string, item: unknown}[]}
 */
export function others(partials) {
  return Object.entries(partials).flatMap(([agent, items]) =>
    items
      .map((item, at) => ({ key: `${agent} ${at}`, item }))
      .filter(({ item }) => kindOf(/** @type {any} */ (item)) === null),
  );
}

/**
 * @param {unknown} item
 * @returns {{title: string, lines: string[]}}
 */
export function plainly(item) {
  if (typeof item !== "object" || item === null) return { title: inShort(item), lines: [] };
  const fields = Object.entries(item).filter(([, value]) => value !== null && value !== "");
  const titled = fields.find(([name, value]) => TITLES.includes(name) && typeof value === "string");
  const rest = fields.filter((field) => field !== titled);
  const lines = rest.map(([name, value]) => `${inWords(name)}: ${inShort(value)}`);
  return titled
    ? { title: inShort(titled[1]), lines: lines.slice(0, LINES_SHOWN) }
    : { title: lines[0] ?? "", lines: lines.slice(1, LINES_SHOWN) };
}

/** @param {unknown} value */
function inShort(value) {
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
