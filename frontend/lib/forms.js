/** The form of a question: its fields as read from the schema, and the answer that their values make. */

import { capitalised, inWords } from "./english.js";
import { FACE } from "./face.js";
import { of } from "./partials.js";
import { fullDay } from "./times.js";

/**
 * @typedef {import("./types.js").InputRequest} InputRequest
 * @typedef {import("./types.js").JsonSchema} JsonSchema
 * @typedef {{value: unknown, title: string}} Choice
 *
 * @typedef {object} Field
 * @property {string} name
 * @property {string} title
 * @property {string} hint
 * @property {"text" | "place" | "date" | "email" | "tel" | "number" | "check" | "choice" | "json"} kind "json" is a list or an object, as its JSON
 * @property {boolean} required whether it must be filled in here
 * @property {string} filled what Detour would take for it, as the control has it; "" where it knows nothing
 * @property {boolean} guess whether that was not said by the user
 * @property {Choice[]} choices
 * @property {number | undefined} minimum
 * @property {number | undefined} maximum
 */

/** How many choices still stand beside each other; more are a list to open. */
export const FEW = 6;
/** The fields of the travel agents' questions that hold a place. */
const PLACES = new Set(["origin", "destination", "city"]);

/**
 * @param {Pick<InputRequest, "schema" | "defaults">} request
 * @param {Object<string, unknown> | undefined} [understood] what the agent that asks was asked to find
 * @returns {Field[]} what must be filled in first
 */
export function fieldsOf({ schema, defaults }, understood) {
  const fields = Object.entries(schema?.properties ?? {}).map(([name, told]) => {
    const property = isObject(told) ? told : {}; // `true` is a schema as well: anything fits
    const filled = asControl(of(defaults ?? {}, name) ?? property.default, property);
    const kind = kindOf(name, property);
    return {
      name,
      title: property.title ?? inWords(name),
      hint: property.description ?? "",
      kind,
      required: filled === "" && kind !== "check" && Array.isArray(schema.required) && schema.required.includes(name),
      filled,
      guess: filled !== "" && kind !== "check" && !isUnderstood(name, understood),
      choices: choicesOf(property),
      minimum: property.minimum,
      maximum: property.maximum,
    };
  });
  return [...fields.filter((field) => field.required), ...fields.filter((field) => !field.required)];
}

/** Whether the task can go on without an answer to this. @param {Field[]} fields */
export function canBeLeft(fields) {
  return !fields.some((field) => field.required);
}

/**
 * The answer that the controls' values make: what is left empty is left out.
 *
 * @param {Field[]} fields
 * @param {Object<string, string>} values by name; of a box "true" or "false", of a choice its place in the list
 * @returns {Object<string, unknown>}
 */
export function answerOf(fields, values) {
  const filled = fields.filter((field) => (of(values, field.name) ?? "").trim() !== "");
  return Object.fromEntries(filled.map((field) => [field.name, asValue(field, of(values, field.name) ?? "")]));
}

/**
 * What can be seen to be missing or wrong before asking the server.
 *
 * @param {Field[]} fields
 * @param {Object<string, string>} values
 * @returns {import("./types.js").Fault[]}
 */
export function faultsOf(fields, values) {
  return fields.flatMap((field) => {
    const value = (of(values, field.name) ?? "").trim();
    if (value === "") return field.required ? [{ field: field.name, message: "This is needed to go on." }] : [];
    if (field.kind === "json" && parsed(value) === undefined) {
      return [{ field: field.name, message: 'This should be JSON, such as ["a", "b"].' }];
    }
    if (field.kind !== "number") return [];
    const number = Number(value);
    if (Number.isNaN(number)) return [{ field: field.name, message: "This should be a number." }];
    if (field.minimum !== undefined && number < field.minimum) {
      return [{ field: field.name, message: `At least ${field.minimum}, please.` }];
    }
    if (field.maximum !== undefined && number > field.maximum) {
      return [{ field: field.name, message: `At most ${field.maximum}, please.` }];
    }
    return [];
  });
}

/**
 * Sort what the server found wrong to the fields; what fits none of them is about the whole answer.
 *
 * @param {Field[]} fields
 * @param {import("./types.js").Fault[]} faults
 * @returns {{byField: Map<string, string>, rest: string[]}}
 */
export function sortFaults(fields, faults) {
  /** @type {Map<string, string>} */
  const byField = new Map();
  const rest = [];
  for (const { field, message } of faults) {
    const name = fields.find((one) => field === one.name || field === `answer.${one.name}`)?.name;
    const sentence = sentenceOf(message);
    if (name === undefined) rest.push(sentence);
    else byField.set(name, [byField.get(name), sentence].filter(Boolean).join(" "));
  }
  return { byField, rest };
}

/** How a filled-in value reads: "Sat 12 December 2026", "Tokyo, Japan". @param {Field} field */
export function reading({ kind, filled, choices }) {
  if (kind === "choice") return choices[Number(filled)]?.title ?? "";
  if (kind === "check") return filled === "true" ? "yes" : "no";
  return kind === "date" && /^\d{4}-\d{2}-\d{2}/.test(filled) ? fullDay(filled) : filled;
}

/**
 * Nights are understood where both days are.
 *
 * @param {string} name
 * @param {Object<string, unknown> | undefined} understood
 */
function isUnderstood(name, understood) {
  const known = name === "nights" ? understood?.check_in && understood.check_out : of(understood ?? {}, name);
  return known !== undefined && known !== null;
}

/** @param {string} name @param {JsonSchema} property @returns {Field["kind"]} */
function kindOf(name, property) {
  if (choicesOf(property).length) return "choice";
  if (property.type === "boolean") return "check";
  if (property.format === "date" || property.format === "email" || property.format === "tel") return property.format;
  if (property.type === "array" || property.type === "object") return "json";
  if (property.type === "integer" || property.type === "number") return "number";
  return PLACES.has(name) && !FACE.isGraph ? "place" : "text";
}

/** @param {JsonSchema} property @returns {Choice[]} */
function choicesOf(property) {
  const told = [...(property.oneOf ?? []), ...(property.anyOf ?? [])].filter((one) => isObject(one) && "const" in one);
  return [
    ...(property.enum ?? []).map((value) => ({ value, title: written(value) })),
    ...told.map((choice) => ({ value: choice.const, title: choice.title ?? written(choice.const) })),
  ];
}

/** @param {unknown} value @param {JsonSchema} property */
function asControl(value, property) {
  if (value === undefined || value === null) return "";
  const choices = choicesOf(property);
  if (!choices.length) return written(value);
  const place = choices.findIndex((choice) => choice.value === value);
  return place < 0 ? "" : String(place);
}

/** @param {Field} field @param {string} value */
function asValue({ kind, choices }, value) {
  if (kind === "choice") return choices[Number(value)]?.value;
  if (kind === "check") return value === "true";
  if (kind === "json") return parsed(value);
  return kind === "number" ? Number(value) : value.trim();
}

/** What JSON says; undefined for what is none. @param {string} text @returns {unknown} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param {unknown} value */
function written(value) {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** @param {unknown} value */
function isObject(value) {
  return typeof value === "object" && value !== null;
}

/** "Field required" is a validator's word, and no sentence. @param {string} message */
function sentenceOf(message) {
  if (message === "Field required") return "This is needed to go on.";
  const sentence = capitalised(message);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
