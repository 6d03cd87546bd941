/**
 * What agents found that is neither flight, hotel nor plan, as any other graph may: a title, a link, and fields. Pure.
 */

import { inWords } from "./english.js";
import { kindOf } from "./offers.js";

/**
 * @typedef {{name: string, text: string, isLong: boolean}} PlainField
 * @typedef {{title: string, url: string, fields: PlainField[]}} Plain
 */

const TITLES = ["title", "name", "label", "text", "summary"];
const LINKS = ["url", "link", "href"];
const FIELDS_SHOWN = 10;
const LONGEST = 4000;
/** From how many characters on a text is cut short until it is opened. */
const LONG = 240;
/** What still fits the cell of a table. */
const LONGEST_CELL = 60;
const [MOST_COLUMNS, FEWEST_ROWS] = [6, 3];

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
 * @returns {Plain}
 */
export function plainly(item) {
  if (typeof item !== "object" || item === null) return { title: inShort(item), url: "", fields: [] };
  const fields = fieldsOf(item);
  const titled = fields.find(([name, value]) => TITLES.includes(name) && typeof value === "string") ?? null;
  const linked = fields.find(([name, value]) => LINKS.includes(name) && isAddress(value)) ?? null;
  const rest = fields.filter((field) => field !== titled && field !== linked);
  const url = linked ? String(linked[1]) : "";
  const title = titled ? inShort(titled[1]) : url;
  const shown = rest.slice(0, FIELDS_SHOWN).map(([name, value]) => plainField(name, value));
  // Without a title, the first field stands for it.
  const [first, ...others] = shown;
  if (title || !first) return { title, url, fields: shown };
  return { title: `${first.name}: ${first.text}`, url, fields: others };
}

/**
 * A table of items that are alike, each a few short values; null where they are better told apart.
 *
 * @param {unknown[]} items
 * @returns {{columns: string[], rows: string[][]} | null}
 */
export function asTable(items) {
  if (items.length < FEWEST_ROWS) return null;
  const [first] = items;
  const names = typeof first === "object" && first !== null && !Array.isArray(first) ? Object.keys(first) : [];
  if (names.length < 2 || names.length > MOST_COLUMNS) return null;
  const rows = items.map((item) => rowOf(item, names));
  return rows.every((row) => row !== null) ? { columns: names.map(inWords), rows } : null;
}

/** @param {unknown} item @param {string[]} names */
function rowOf(item, names) {
  const fields = Object.entries(Object(item));
  if (fields.length !== names.length) return null;
  const values = names.map((name) => (Object.hasOwn(Object(item), name) ? Object(item)[name] : undefined));
  const fits = values.every((value) => value === null || (isScalar(value) && String(value).length <= LONGEST_CELL));
  // A link wants a title that leads to it, as a card has.
  return fits && !values.some(isAddress) ? values.map((value) => (value === null ? "" : inShort(value))) : null;
}

/** @param {object} item */
function fieldsOf(item) {
  return Object.entries(item).filter(([, value]) => value !== null && value !== "");
}

/** @param {string} name @param {unknown} value @returns {PlainField} */
function plainField(name, value) {
  const text = Array.isArray(value) && value.every(isScalar) ? value.map(String).join(", ") : inShort(value);
  return { name: inWords(name), text, isLong: text.length > LONG };
}

/** @param {unknown} value */
function isScalar(value) {
  return ["string", "number", "boolean"].includes(typeof value);
}

/** Only of the web: what a graph finds must not lead to code. @param {unknown} value */
export function isAddress(value) {
  return typeof value === "string" && /^https?:\/\/[^\s]+$/i.test(value) && URL.canParse(value);
}

/** @param {unknown} value */
function inShort(value) {
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
