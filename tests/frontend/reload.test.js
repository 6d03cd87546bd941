import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { initialState, reduce } from "../../frontend/lib/reduce.js";
import { keepOverReload, stateAfterReload } from "../../frontend/lib/reload.js";
import { recorded } from "./recorded.js";

const hello = { type: "hello", user_id: "ada", epoch: "e", seq: 0, heartbeat_s: 20 };
const unknown = { type: "snapshot", seq: 0, epoch: "e", status: null, partial_results: null, history: [] };
const begun = () => [hello, unknown].reduce(reduce, initialState("ada"));
const play = (events, state = begun()) => events.reduce(reduce, state);

let stored;
const storage = {
  getItem: (key) => stored.get(key) ?? null,
  setItem: (key, value) => stored.set(key, value),
  removeItem: (key) => stored.delete(key),
};

beforeEach(() => {
  stored = new Map();
  globalThis.sessionStorage = storage;
});

function reloaded(state, userId = "ada") {
  keepOverReload(state);
  return stateAfterReload(userId);
}

for (const [name, { events }] of recorded) {
  test(`the page that is reloaded anywhere in "${name}" ends as one that is not`, () => {
    const straight = play(events);
    for (let cut = 0; cut <= events.length; cut += 1) {
      const again = play(events.slice(cut), reduce(reloaded(play(events.slice(0, cut))), hello));
      assert.deepEqual(again, { ...straight, connection: "live" }, `after ${cut} events`);
    }
  });
}

test("task that is shown is the one among the tasks", () => {
  const state = reloaded(play(recorded.get("search").events));
  assert.equal(state.task, state.tasks[state.task.task_id]);
});

test("message that was on its way waits to be sent again, and is the same message", () => {
  const sending = reduce(begun(), { type: "page_sending", client_id: "c1", text: "to Rome" });
  const [item] = reloaded(sending).outbox;
  assert.deepEqual([item.client_id, item.text, item.state], ["c1", "to Rome", "waiting"]);
});

test("stored state is used once, and only for its trip", () => {
  const state = play(recorded.get("search").events);
  assert.deepEqual(reloaded(state, "bob"), initialState("bob"));
  assert.deepEqual(stateAfterReload("ada"), initialState("ada"));
});

test("page that does not know yet how things stand keeps nothing, also not what one before it kept", () => {
  keepOverReload(play(recorded.get("search").events));
  assert.deepEqual(reloaded(initialState("ada")), initialState("ada"));
});

for (const kept of ["", "{", "null", "[]", "7", '"ada"', '{"userId": "ada"}', '{"userId": "ada", "tasks": null}']) {
  test(`what lies there without sense begins anew: ${kept || "nothing"}`, () => {
    keepOverReload(begun());
    for (const key of stored.keys()) stored.set(key, kept);
    assert.deepEqual(stateAfterReload("ada"), initialState("ada"));
  });
}

test("page works without storage or room in it", () => {
  globalThis.sessionStorage = { ...storage, setItem: () => { throw new Error("full"); } };
  assert.deepEqual(reloaded(begun()), initialState("ada"));
  delete globalThis.sessionStorage;
  assert.deepEqual(reloaded(begun()), initialState("ada"));
});
