import assert from "node:assert/strict";
import { test } from "node:test";

import { begunJson, briefly, hasMany, isTooDeep, longOf, partsOf, readable, shortOf, sizeOf, wordsOf } from "../../frontend/lib/values.js";

test("begun JSON holds what was said of it so far, at every length", () => {
  const value = { name: 'A "q" \\ é 😀 \u0007', deep: { list: [1, -2.5e3, true, null, "x{["], empty: {} }, last: [] };
  const text = JSON.stringify(value).replaceAll("é", "\\u00e9");
  let before = 0;
  for (let end = 1; end <= text.length; end += 1) {
    const begun = begunJson(text.slice(0, end));
    assert.ok(begun !== undefined, text.slice(0, end));
    const names = Object.keys(begun).length;
    assert.ok(names >= before, text.slice(0, end));
    before = names;
    if (typeof begun.name === "string") assert.ok(value.name.startsWith(begun.name) || begun.name.endsWith("\ud83d"));
  }
  assert.deepEqual(begunJson(text), value);
  assert.deepEqual(begunJson('{"city": "Ro'), { city: "Ro" });
  assert.deepEqual(begunJson('{"city": "Rome", "da'), { city: "Rome" });
  assert.deepEqual(begunJson('{"city": "Rome", "days": '), { city: "Rome" });
  assert.deepEqual(begunJson('{"list": [1, 2'), { list: [1, 2] });
  for (const none of ["", "no JSON", "}"]) assert.equal(begunJson(none), undefined);
});

test("text that holds JSON is read as what it holds, and blocks of text as text", () => {
  assert.deepEqual(readable('{"a": [1]}'), { a: [1] });
  assert.deepEqual(readable([{ type: "text", text: "one" }, { type: "text", text: "two" }]), "one\ntwo");
  assert.deepEqual(readable([{ type: "text", text: '[{"a": 1}]' }]), [{ a: 1 }]);
  for (const text of ["plain", "[1] see below", "{'a': 1}", "12", "true", '"x"']) assert.equal(readable(text), text);
  for (const value of [null, 7, [], [{ type: "image" }], { a: 1 }]) assert.equal(readable(value), value);
});

test("value without parts is words, and one with parts says how many", () => {
  assert.deepEqual([true, false, null, "", 0, 2.5, [], {}].map(wordsOf), ["yes", "no", "none", "none", "0", "2.5", "none", "none"]);
  assert.deepEqual([{ a: 1 }, [1, 2], "x"].map(sizeOf), ["1 field", "2 items", ""]);
  assert.deepEqual(partsOf({ order_id: 1, b: 2 }).first(1), [{ label: "Order id", value: 1 }]);
  assert.equal(partsOf("x"), null);
});

test("long text is cut by characters and by lines, and never within a character", () => {
  assert.equal(shortOf("short"), "short");
  assert.equal(shortOf("1\n2\n3\n4\n5\n6\n7\n8\n9"), "1\n2\n3\n4\n5\n6\n7\n8…");
  const faces = "😀".repeat(400);
  assert.ok(shortOf(`x${faces}`).isWellFormed() && shortOf(faces).isWellFormed());
  assert.ok(shortOf(faces).length < 310);
  assert.match(longOf("x".repeat(150_000)), /^x{100000}…\n\(50,000 more characters are not shown\)$/);
});

test("large value is closed from the third level on, a small one shows all", () => {
  const rows = Array.from({ length: 100_000 }, (_, row) => ({ row, deep: { deep: [1] } }));
  assert.equal(hasMany(rows), true);
  assert.equal(hasMany(rows.slice(0, 3)), false);
  assert.deepEqual([isTooDeep(1, true), isTooDeep(2, true), isTooDeep(4, false), isTooDeep(5, false)], [false, true, false, true]);
});

test("line of a call names what it is about", () => {
  assert.equal(briefly({ from: "Berlin", to: "Rome", limit: 3, more: "x" }), "Berlin, Rome, limit 3");
  assert.equal(briefly({ note: "one\ntwo   three", ok: true, deep: { a: "b" } }), "one two three");
  assert.equal(briefly({ text: "y".repeat(500) }).length, 61);
  assert.deepEqual([undefined, null, "x", ["x"], {}].map(briefly), ["", "", "", "", ""]);
});
