import assert from "node:assert/strict";
import { test } from "node:test";

import { length, spliced, withItems, withSameLists } from "../../frontend/lib/partials.js";

const offers = (...ids) => ids.map((offer_id) => ({ offer_id }));
const task = (reply) => ({ reply, replied: length(reply) });

test("offer is added once, though it comes twice, even in one piece", () => {
  const one = withItems([], offers("a", "b", "a"));
  assert.deepEqual(withItems(one, offers("b", "c")), offers("a", "b", "c"));
});

test("list is never changed in place, and one that is added to twice gives two lists that are both right", () => {
  const one = Object.freeze(withItems([], offers("a")));
  const two = withItems(one, offers("b"));
  const other = withItems(one, offers("b", "c"));
  assert.deepEqual([one, two, other], [offers("a"), offers("a", "b"), offers("a", "b", "c")]);
  assert.deepEqual(withItems(two, offers("b", "d")), offers("a", "b", "d"));
});

test("list to which nothing is added stays the same list", () => {
  const one = withItems([], offers("a"));
  assert.equal(withItems(one, offers("a")), one);
});

test("item without an id is kept as it comes", () => {
  assert.equal(withItems(withItems([], [{ text: "x" }]), [{ text: "x" }]).length, 2);
});

test("results of other graphs may be anything", () => {
  const odd = [null, "x", 7, ["y"], { text: "z" }, null];
  assert.deepEqual(withItems(withItems([], odd), odd), [...odd, ...odd]);
  assert.deepEqual(withSameLists({}, { constructor: [1] }), { constructor: [1] });
});

test("server's whole account keeps the lists that say the same", () => {
  const had = { flight: offers("a"), hotel: offers("b") };
  assert.equal(withSameLists(had, { flight: offers("a"), hotel: offers("b") }), had);
  const more = withSameLists(had, { flight: offers("a"), hotel: offers("b", "c") });
  assert.equal(more.flight, had.flight);
  assert.equal(more.hotel.length, 2);
  assert.deepEqual(withSameLists(had, { flight: offers("a") }), { flight: offers("a") });
});

test("text is placed by its offset, counted in characters and not in halves of them", () => {
  const said = spliced(task("Go ✈️🗼"), { text: "!", offset: 6 });
  assert.deepEqual(said, { reply: "Go ✈️🗼!", replied: 7 });
  assert.deepEqual(spliced(task("Go"), { text: "!", offset: 9 }), { reply: "Go!", replied: 3 });
  assert.deepEqual(spliced(task("Go 🗼🗼"), { text: "?", offset: 4 }), { reply: "Go 🗼?", replied: 5 });
});
