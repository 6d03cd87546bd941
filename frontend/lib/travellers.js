/** Who travels, as sellers want to know it: the fields of each person, what they make, and what is wrong. Pure. */

import { FACE } from "./face.js";
import { answerOf, fieldsOf } from "./forms.js";

/**
 * @typedef {import("./types.js").Fault} Fault
 * @typedef {Object<string, unknown>} Traveller
 */

/** @param {Object<string, string>} titles by value */
const choices = (titles) => Object.entries(titles).map(([value, title]) => ({ const: value, title }));

/** @type {import("./types.js").JsonSchema} */
const PERSON = {
  properties: {
    title: { title: "Title", oneOf: choices({ ms: "Ms", mr: "Mr", mrs: "Mrs", miss: "Miss", dr: "Dr" }) },
    gender: { title: "Gender", oneOf: choices({ f: "Female", m: "Male" }) },
    given_name: { title: "Given name" },
    family_name: { title: "Family name" },
    born_on: { title: "Born on", format: "date" },
    phone: { title: "Phone", format: "tel", description: "With its country: +49 30 1234567." },
    email: { title: "Email", format: "email" },
  },
};
export const FIELDS = fieldsOf({ schema: PERSON });

/** What a browser may fill in, for the person before it. @type {Object<string, string>} */
export const AUTOCOMPLETE = { given_name: "given-name", family_name: "family-name", born_on: "bday", email: "email", phone: "tel" };

/** What the server wants of a field, in words; it tells a pattern. @type {Object<string, string>} */
const WANTED = {
  title: "Please choose.",
  given_name: "At most 20 Latin letters, please.",
  family_name: "At most 20 Latin letters, please.",
  gender: "Please choose.",
  born_on: "This is no day in the past.",
  email: "This is no email address.",
  phone: "This is no number with its country.",
};
const MISSING = "Field required";

/** How many people a question asks for; 0 where it asks for something else. @param {import("./types.js").InputRequest} request */
export function travellersAsked({ schema }) {
  const asked = schema?.properties?.travellers;
  return !FACE.isGraph && asked?.const === true ? (asked["x-travellers"] ?? 0) : 0;
}

/** The controls' values of a person who is known. @param {Traveller} person @returns {Object<string, string>} by field */
export function filledIn(person) {
  return Object.fromEntries(fieldsOf({ schema: PERSON, defaults: person }).map(({ name, filled }) => [name, filled]));
}

/** The person whom the controls' values make. @param {Object<string, string>} values @returns {Traveller} */
export function travellerOf(values) {
  return answerOf(FIELDS, { ...values, phone: dialled(values.phone ?? "") });
}

/** What the server found wrong with one of the people, by field. @param {number} at @param {Fault[]} faults */
export function faultsOfPerson(at, faults) {
  const prefix = `travellers.${at}.`;
  const own = faults.filter(({ field }) => field.startsWith(prefix));
  return own.map(({ field, message }) => {
    const name = field.slice(prefix.length);
    return { field: name, message: message === MISSING ? message : (WANTED[name] ?? message) };
  });
}

/** A number as it is written, "0049 (0)30 / 123-45", as it is dialled: "+493012345". @param {string} written */
function dialled(written) {
  return written.replace("(0)", "").replace(/[\s()./-]/g, "").replace(/^00/, "+");
}
