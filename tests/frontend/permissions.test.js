import assert from "node:assert/strict";
import { test } from "node:test";

import { expiryWords, nextChange } from "../../frontend/lib/expiry.js";
import { factsOf, outcomeLine, questionOf, verbsOf } from "../../frontend/lib/permissions.js";

const HOSTILE = '<img src=x onerror="alert(1)">';
const MINUTE = 60_000;

test("buttons say what they do, by tool, and something true of any tool", () => {
  assert.equal(verbsOf({ tool: "book_hotel" }).allow, "Book");
  assert.equal(verbsOf({ tool: "cancel_booking" }).deny, "Keep the booking");
  for (const tool of ["constructor", "wire_money", undefined]) assert.equal(verbsOf({ tool }).allow, "Allow");
});

test("facts are rows in order; total and what is not bought stand apart", () => {
  const facts = { What: "A flight", Total: "141.42 EUR", Refund: ["none", 1], Demo: "nothing is bought" };
  const { rows, total, mode } = factsOf({ facts });
  assert.deepEqual(rows, [
    ["What", ["A flight"]],
    ["Refund", ['["none",1]']],
  ]);
  assert.equal(total, "141.42 EUR");
  assert.equal(mode, "Demo: nothing is bought");
  assert.deepEqual(factsOf({}), { rows: [], total: "", mode: "" });
  assert.deepEqual(factsOf({ facts: { [HOSTILE]: HOSTILE } }).rows, [[HOSTILE, [HOSTILE]]]);
});

test("flights of a booking have a line each, with nothing left out", () => {
  const What = "Larch 197 BER to SVO, Fri 11 December 16:35 to 21:00, then Larch 906 SVO to HND; back with Larch 1; economy";
  const [[, lines]] = factsOf({ facts: { What } }).rows;
  assert.deepEqual(lines, [
    "Larch 197 BER to SVO, Fri 11 December 16:35 to 21:00",
    "Then Larch 906 SVO to HND",
    "Back with Larch 1",
    "Economy",
  ]);
});

test("prompt does not repeat that nothing is bought", () => {
  for (const mode of ["Demo", "Test mode"]) {
    const asked = { prompt: `Shall I book it? (${mode}: nothing is bought.)`, facts: { [mode]: "nothing is bought" } };
    assert.equal(questionOf(asked), "Shall I book it?");
    assert.deepEqual(factsOf(asked), { rows: [], total: "", mode: `${mode}: nothing is bought` });
  }
  assert.equal(questionOf({ prompt: "Shall I book it?", facts: {} }), "Shall I book it?");
});

test("permission outcome uses its own verb", () => {
  const line = (outcome, tool = "book_flight") => outcomeLine({ kind: "permission", tool, outcome }, "stopped");
  assert.equal(line("allowed"), "You agreed to book.");
  assert.equal(line("denied"), "Not booked: you said no.");
  assert.equal(line("expired"), "Not booked: it was not decided in time.");
  assert.equal(line("withdrawn"), "Not booked: no longer asked, because it was stopped.");
  assert.equal(line("denied", "cancel_booking"), "Not cancelled: you said no.");
});

test("question outcome is shown, except an answer, which stands there itself", () => {
  const line = (outcome, reason) => outcomeLine({ kind: "question", outcome }, reason);
  assert.equal(line("answered"), "");
  assert.equal(line("expired"), "Not answered in time.");
  assert.equal(line("withdrawn", "superseded"), "No longer asked, because you changed your mind.");
});

test("expiry is shown, then how little is left, then that it is over", () => {
  const now = Date.parse("2026-11-20T12:00:00Z");
  const inMinutes = (minutes) => new Date(now + minutes * MINUTE).toISOString();
  assert.match(expiryWords(inMinutes(15), now), /^Open until \d\d:15$/);
  assert.match(expiryWords(inMinutes(60 * 30), now), /^Open until Sat,? 21 Nov, \d\d:00$/);
  assert.equal(expiryWords(inMinutes(2), now), "Less than 2 minutes left");
  assert.equal(expiryWords(inMinutes(0), now), "Time is up");
  assert.equal(expiryWords(null, now), "");
  assert.equal(expiryWords("no time", now), "");
});

test("words change two minutes before the end, at the end, and never again", () => {
  const now = Date.parse("2026-11-20T12:00:00Z");
  const inMinutes = (minutes) => new Date(now + minutes * MINUTE).toISOString();
  assert.equal(nextChange(inMinutes(15), now), 13 * MINUTE);
  assert.equal(nextChange(inMinutes(2), now), 2 * MINUTE);
  assert.equal(nextChange(inMinutes(0), now), null);
  assert.equal(nextChange(null, now), null);
});
