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
/** @type {import("./types.js").JsonSchema} */
const PASSPORT = {
  properties: {
    "passport.number": { title: "Passport number" },
    "passport.country": { title: "Issued by", description: "Two letters of the country: DE." },
    "passport.expires_on": { title: "Passport valid until", format: "date" },
  },
};
const WITH_PASSPORT = { properties: { ...PERSON.properties, ...PASSPORT.properties } };

/** The fields of a person, with those of a passport where an airline wants it. @param {boolean} withPassport */
export function fieldsOfPerson(withPassport) {
  return fieldsOf({ schema: withPassport ? WITH_PASSPORT : PERSON });
}

const ALL = fieldsOf({ schema: WITH_PASSPORT });

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
  "passport.number": "5 to 20 letters and digits, please.",
  "passport.country": "Two letters, please: DE.",
  "passport.expires_on": "This is no day to come.",
};
const MISSING = "Field required";

/** How many people a question asks for; 0 where it asks for something else. @param {import("./types.js").InputRequest} request */
export function travellersAsked({ schema }) {
  const asked = schema?.properties?.travellers;
  return !FACE.isGraph && asked?.const === true ? (asked["x-travellers"] ?? 0) : 0;
}

/** Whether a question asks for passports as well. @param {import("./types.js").InputRequest} request */
export function passportsAsked({ schema }) {
  return schema?.properties?.travellers?.["x-passports"] === true;
}

/** The controls' values of a person who is known. @param {Traveller} person @returns {Object<string, string>} by field */
export function filledIn(person) {
  const passport = Object.entries(person.passport ?? {}).map(([name, value]) => [`passport.${name}`, value]);
  const defaults = { ...person, ...Object.fromEntries(passport) };
  return Object.fromEntries(fieldsOf({ schema: WITH_PASSPORT, defaults }).map(({ name, filled }) => [name, filled]));
}

/** The person whom the controls' values make. @param {Object<string, string>} values @returns {Traveller} */
export function travellerOf(values) {
  const told = { ...values, phone: dialled(values.phone ?? ""), "passport.number": plain(values["passport.number"]) };
  const answered = Object.entries(answerOf(ALL, { ...told, "passport.country": plain(values["passport.country"]) }));
  const passport = answered.filter(([name]) => name.startsWith("passport.")).map(([name, value]) => [name.slice(9), value]);
  const person = Object.fromEntries(answered.filter(([name]) => !name.startsWith("passport.")));
  return passport.length ? { ...person, passport: Object.fromEntries(passport) } : person;
}

/** A person with the passport that is known of the same one, where the form did not ask for it. @param {Traveller} person @param {Traveller} [known] */
export function withKnownPassport(person, known) {
  const isSame = ["given_name", "family_name", "born_on"].every((name) => person[name] === known?.[name]);
  return known?.passport && isSame ? { passport: known.passport, ...person } : person;
}

/** A passport's number or country as it is read by machines: "C01X 00t47" is "C01X00T47". @param {string | undefined} written */
function plain(written = "") {
  return written.replace(/[\s-]/g, "").toUpperCase();
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
