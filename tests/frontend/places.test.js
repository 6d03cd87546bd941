/** Names while one types: one question once the typing rests, and only the newest is answered. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { PlaceSearch } from "../../frontend/lib/places.js";

globalThis.window = globalThis;
const PORTO = { name: "Porto, Portugal", title: "Porto", area: "Portugal", codes: ["OPO"] };

/** A server that answers when it is let, even one who does not listen any more. */
function serverOf(t) {
  const calls = [];
  t.mock.timers.enable({ apis: ["setTimeout"] });
  t.mock.method(globalThis, "fetch", (path) => new Promise((resolve) => calls.push({ path, answers: (body) => resolve({ ok: true, status: 200, json: async () => body }) })));
  return calls;
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("letters that follow each other are one question, and an older answer is dropped", async (t) => {
  const calls = serverOf(t);
  const found = [];
  const search = new PlaceSearch((each) => found.push(each));
  for (const text of ["p", "po"]) search.ask(text);
  t.mock.timers.tick(200);
  search.ask("port");
  t.mock.timers.tick(200);
  assert.deepEqual(calls.map(({ path }) => path), ["/places?text=po", "/places?text=port"]);
  calls[1].answers({ places: [PORTO] });
  await settled();
  calls[0].answers({ places: [] });
  await settled();
  assert.deepEqual(found, [{ text: "port", places: [PORTO], error: "" }]);
});

test("empty field has no names at once, and nobody is told any more who has left", async (t) => {
  const calls = serverOf(t);
  const found = [];
  const search = new PlaceSearch((each) => found.push(each));
  search.ask("po");
  t.mock.timers.tick(200);
  search.ask("  ");
  assert.deepEqual(found, [{ text: "", places: [], error: "" }]);
  search.ask("po");
  search.stop();
  t.mock.timers.tick(200);
  calls[0].answers({ places: [PORTO] });
  await settled();
  assert.deepEqual([calls.length, found.length], [1, 1]);
});
