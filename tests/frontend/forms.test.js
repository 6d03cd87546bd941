import assert from "node:assert/strict";
import { test } from "node:test";

import { answerOf, canBeLeft, faultsOf, fieldsOf, reading, sortFaults } from "../../frontend/lib/forms.js";

const schema = {
  type: "object",
  properties: {
    origin: { type: "string", title: "From", minLength: 1 },
    destination: { type: "string", title: "To" },
    departure_date: { type: "string", format: "date", title: "Leaving on" },
    nights: { type: "integer", minimum: 1, maximum: 30 },
    direct: { type: "boolean" },
    cabin: { enum: ["economy", "business"], title: "Cabin" },
    city: { oneOf: [{ const: "p-tx", title: "Paris, Texas" }, { const: "p-fr", title: "Paris, France" }] },
  },
  required: ["origin", "departure_date", "city"],
};
const request = { schema, defaults: { destination: "Tokyo, Japan", city: "p-fr" } };
const named = (name) => fieldsOf(request).find((field) => field.name === name);

test("missing fields come first, and known ones are filled in", () => {
  assert.deepEqual(
    fieldsOf(request).map(({ name, required }) => [name, required]),
    [
      ["origin", true],
      ["departure_date", true],
      ["destination", false],
      ["nights", false],
      ["direct", false],
      ["cabin", false],
      ["city", false],
    ],
  );
  assert.equal(named("destination").filled, "Tokyo, Japan");
  assert.equal(named("city").filled, "1");
  assert.equal(named("nights").title, "Nights");
});

test("stated values are no guesses; defaults for the rest are", () => {
  const understood = { destination: { label: "Tokyo, JP" }, check_in: "2026-12-10", check_out: null };
  const guesses = (request, known) => fieldsOf(request, known).filter(({ guess }) => guess);
  assert.deepEqual(
    guesses(request, understood).map(({ name }) => name),
    ["city"],
  );
  const stay = { schema: { properties: { nights: { type: "integer" } } }, defaults: { nights: 2 } };
  assert.equal(guesses(stay, understood).length, 1);
  assert.equal(guesses(stay, { ...understood, check_out: "2026-12-12" }).length, 0);
  assert.equal(guesses(stay, undefined).length, 1);
});

test("fields get the browser's control for their type", () => {
  const kinds = Object.fromEntries(fieldsOf(request).map(({ name, kind }) => [name, kind]));
  assert.deepEqual(kinds, {
    origin: "place",
    departure_date: "date",
    destination: "place",
    nights: "number",
    direct: "check",
    cabin: "choice",
    city: "choice",
  });
});

test("values are answered as what they are, and what is left empty is left out", () => {
  const values = { origin: " Berlin ", departure_date: "2026-12-10", nights: "3", direct: "false", cabin: "1", city: "0" };
  assert.deepEqual(answerOf(fieldsOf(request), { ...values, destination: "  " }), {
    origin: "Berlin",
    departure_date: "2026-12-10",
    nights: 3,
    direct: false,
    cabin: "business",
    city: "p-tx",
  });
});

test("only a complete question can be left to Detour", () => {
  assert.equal(canBeLeft(fieldsOf(request)), false);
  const guessed = { ...request.defaults, origin: "Berlin, Germany", departure_date: "2026-12-01" };
  assert.equal(canBeLeft(fieldsOf({ schema, defaults: guessed })), true);
});

test("box can be left empty though it has to be answered", () => {
  const fields = fieldsOf({ schema: { properties: { direct: { type: "boolean" } }, required: ["direct"] } });
  assert.equal(fields[0].required, false);
  assert.deepEqual(answerOf(fields, { direct: "false" }), { direct: false });
});

test("missing, non-numeric and out-of-bounds values are found before the server is asked", () => {
  const faults = (values) => faultsOf(fieldsOf(request), { origin: "x", departure_date: "2026-12-10", ...values });
  assert.deepEqual(faults({}), []);
  assert.deepEqual(faults({ origin: "  " })[0].field, "origin");
  assert.match(faults({ nights: "many" })[0].message, /number/);
  assert.match(faults({ nights: "0" })[0].message, /At least 1/);
  assert.match(faults({ nights: "31" })[0].message, /At most 30/);
});

test("server-side errors stand at their field as sentences; the rest is about the form", () => {
  const faults = [
    { field: "origin", message: "I do not know a place called 'Xq'" },
    { field: "answer.departure_date", message: "Field required" },
    { field: "answer", message: "should be an object" },
  ];
  const { byField, rest } = sortFaults(fieldsOf(request), faults);
  assert.deepEqual(Object.fromEntries(byField), {
    origin: "I do not know a place called 'Xq'.",
    departure_date: "This is needed to go on.",
  });
  assert.deepEqual(rest, ["Should be an object."]);
});

test("filled-in form reads as words", () => {
  assert.equal(reading(named("city")), "Paris, France");
  assert.match(reading({ kind: "date", filled: "2026-12-12", choices: [] }), /12 Dec/);
});

test("schema without properties, or none, is a form without fields", () => {
  assert.deepEqual(fieldsOf({ schema: {} }), []);
  assert.deepEqual(fieldsOf({}), []);
});

test("fields may be called as an object's own methods are, and are filled in and found wrong like others", () => {
  const names = ["constructor", "toString", "__proto__"];
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  const fields = fieldsOf({ schema: { properties, required: names }, defaults: {} }, {});
  assert.deepEqual(fields.map(({ name, filled, required, guess }) => [name, filled, required, guess]), names.map((name) => [name, "", true, false]));
  assert.deepEqual(faultsOf(fields, {}).map(({ field }) => field), names);
  assert.deepEqual(answerOf(fields, {}), {});
  const { byField } = sortFaults(fields, names.map((field) => ({ field, message: "wrong" })));
  assert.deepEqual([...byField], names.map((name) => [name, "Wrong."]));
});

test("schema for anything, or none, is still a field", () => {
  const odd = { properties: { a: true, b: null, c: { oneOf: [true, { const: 1, title: "One" }] }, d: { enum: [[1], null] } }, required: true };
  const fields = fieldsOf({ schema: odd, defaults: null });
  assert.deepEqual(fields.map(({ name, kind }) => [name, kind]), [["a", "text"], ["b", "text"], ["c", "choice"], ["d", "choice"]]);
  assert.deepEqual(fields.at(-1).choices.map(({ title }) => title), ["[1]", "null"]);
});

test("list or an object is written as JSON, and answered as what it is", () => {
  const properties = { tags: { type: "array" }, more: { type: "object", default: { a: 1 } } };
  const fields = fieldsOf({ schema: { properties, required: ["tags"] } });
  assert.deepEqual(fields.map(({ kind, filled }) => [kind, filled]), [["json", ""], ["json", '{"a":1}']]);
  assert.deepEqual(answerOf(fields, { tags: '["x"]', more: '{"a":2}' }), { tags: ["x"], more: { a: 2 } });
  assert.deepEqual(faultsOf(fields, { tags: "x, y", more: "{}" }).map(({ field }) => field), ["tags"]);
});
