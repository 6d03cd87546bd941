import assert from "node:assert/strict";
import { test } from "node:test";

import { requestEntry } from "../../frontend/lib/entries.js";
import { initialState } from "../../frontend/lib/reduce.js";
import {
  faultsOfPerson,
  fieldsOfPerson,
  filledIn,
  passportsAsked,
  travellersAsked,
  travellerOf,
  withKnownPassport,
} from "../../frontend/lib/travellers.js";

const ADA = {
  title: "ms",
  given_name: "Ada",
  family_name: "Byron",
  gender: "f",
  born_on: "1987-07-24",
  email: "ada@byron.example",
  phone: "+442080160509",
};
const asking = (property) => ({
  request_id: "t1-q1",
  task_id: "t1",
  agent: "booking",
  kind: "question",
  schema: { properties: { travellers: property } },
});

test("question for travellers is asked by their form, any other one by the usual form", () => {
  const tagOf = (request) => requestEntry(initialState("ada"), request, 0).tag;
  const request = asking({ const: true, "x-travellers": 2 });
  assert.equal(travellersAsked(request), 2);
  assert.equal(tagOf(request), "travellers-form");
  const { people, userId } = requestEntry(initialState("ada"), request, 0).data;
  assert.deepEqual([people, userId], [2, "ada"]);
  assert.equal(tagOf(asking({ type: "integer" })), "question-form");
  assert.equal(tagOf(asking(true)), "question-form");
  assert.equal(tagOf({ ...request, schema: null }), "question-form");
});

test("person who is known fills the form in, and comes out of it the same", () => {
  assert.deepEqual(travellerOf(filledIn(ADA)), ADA);
});

const PASSPORT = { number: "C01X00T47", country: "DE", expires_on: "2031-01-01" };

test("passport is asked for where an airline wants it, and stays that of its person", () => {
  assert.equal(passportsAsked(asking({ const: true, "x-travellers": 2, "x-passports": true })), true);
  assert.equal(passportsAsked(asking({ const: true, "x-travellers": 2 })), false);
  assert.equal(passportsAsked(asking(true)), false);
  const named = (withPassport) => fieldsOfPerson(withPassport).filter(({ name }) => name.startsWith("passport.")).length;
  assert.deepEqual([named(false), named(true)], [0, 3]);
  const traveller = { ...ADA, passport: PASSPORT };
  assert.deepEqual(travellerOf(filledIn(traveller)), traveller);
  const typed = { ...filledIn(ADA), "passport.number": "c01x 00t-47", "passport.country": " de ", "passport.expires_on": "2031-01-01" };
  assert.deepEqual(travellerOf(typed), traveller);
  assert.deepEqual(withKnownPassport({ ...ADA, phone: "+49301234567" }, traveller), { ...traveller, phone: "+49301234567" });
  assert.deepEqual(withKnownPassport({ ...ADA, given_name: "Bob" }, traveller), { ...ADA, given_name: "Bob" });
  assert.deepEqual(withKnownPassport(ADA, undefined), ADA);
  const [fault] = faultsOfPerson(0, [{ field: "travellers.0.passport.country", message: "String should match pattern" }]);
  assert.deepEqual(fault, { field: "passport.country", message: "Two letters, please: DE." });
});

test("phone number is told as it is dialled, and what is left empty is left out", () => {
  const phone = (written) => travellerOf({ ...filledIn({}), phone: written }).phone;
  assert.equal(phone("+44 20 8016-0509"), ADA.phone);
  assert.equal(phone("0044 (0)20 8016.0509"), ADA.phone);
  assert.equal(phone("020 8016 0509"), "02080160509"); // of a country that nobody knows: the server refuses it
  assert.deepEqual(travellerOf(filledIn({})), {});
});

test("error of the server is at its person and field, in words", () => {
  const faults = [
    { field: "travellers.1.phone", message: "String should match pattern '^\\+[1-9][0-9]{6,14}$'" },
    { field: "travellers.1.email", message: "Field required" },
    { field: "travellers.10.title", message: "Field required" },
  ];
  assert.deepEqual(faultsOfPerson(0, faults), []);
  const [phone, email, ...more] = faultsOfPerson(1, faults);
  assert.deepEqual([phone.field, email.field, more.length], ["phone", "email", 0]);
  assert.match(phone.message, /no number with its country/);
  assert.equal(email.message, "Field required"); // which the form words as for every question
});
