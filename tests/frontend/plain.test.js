import assert from "node:assert/strict";
import { test } from "node:test";

import { asTable, isAddress, plainly } from "../../frontend/lib/plain.js";

test("item has a title, a link of the web alone, and its other fields in words", () => {
  const item = { title: "Sorting", url: "https://docs.example/x", score: 0.9, tags: ["a", "b"], none: null, deep: { x: [1] } };
  assert.deepEqual(plainly(item), {
    title: "Sorting",
    url: "https://docs.example/x",
    fields: [
      { name: "Score", text: "0.9", isLong: false },
      { name: "Tags", text: "a, b", isLong: false },
      { name: "Deep", text: '{"x":[1]}', isLong: false },
    ],
  });
  for (const url of ["javascript:alert(1)", "data:text/html,x", "/stop/ada", "//evil.example", "https://", 7, " https://x.example y"]) {
    assert.equal(plainly({ name: "x", url }).url, "", String(url));
    assert.equal(isAddress(url), false);
  }
});

test("anything at all is told: bare values, no title, no fields, names of an object's own methods", () => {
  assert.deepEqual(plainly("text"), { title: "text", url: "", fields: [] });
  assert.deepEqual(plainly(null).title, "null");
  assert.deepEqual(plainly({}).title, "");
  assert.deepEqual(plainly({ count: 3, more: 4 }), { title: "Count: 3", url: "", fields: [{ name: "More", text: "4", isLong: false }] });
  assert.equal(plainly({ url: "https://x.example" }).title, "https://x.example");
  assert.equal(plainly(JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}')).fields.length, 1);
  assert.equal(plainly({ title: "t", long: "x".repeat(500) }).fields[0].isLong, true);
  assert.ok(plainly({ title: "t", long: "x".repeat(9000) }).fields[0].text.length <= 4000);
});

test("items that are alike and short are a table, and others are not", () => {
  const rows = [1, 2, 3].map((n) => ({ name: `n${n}`, size_kb: n, ok: true }));
  assert.deepEqual(asTable(rows), { columns: ["Name", "Size kb", "Ok"], rows: [["n1", "1", "true"], ["n2", "2", "true"], ["n3", "3", "true"]] });
  assert.equal(asTable(rows.slice(1)), null);
  assert.equal(asTable([...rows, { name: "n4", size_kb: 4 }]), null);
  assert.equal(asTable([...rows, { name: "n4", size_kb: [4], ok: true }]), null);
  assert.equal(asTable([...rows, { name: "x".repeat(80), size_kb: 4, ok: true }]), null);
  assert.equal(asTable([...rows, { name: "https://x.example", size_kb: 4, ok: true }]), null);
  assert.equal(asTable([...rows, null]), null);
  assert.equal(asTable(["a", "b", "c"]), null);
  assert.notEqual(asTable([...rows, { name: "n4", size_kb: null, ok: false }]), null);
});
