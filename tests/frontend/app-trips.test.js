import assert from "node:assert/strict";
import { test } from "node:test";

import { KEY } from "../../frontend/lib/trips.js";
import { calls, entries, goTo, hello, nothing, opened, running, sockets, stored } from "./opened-page.js";

const trips = () => JSON.parse(stored[KEY]).map(({ userId, name }) => [userId, name]);

test("trip that is opened by its link is named after its first message", async (t) => {
  const { drawn } = await opened(t);
  sockets[0].says(hello(), { ...nothing, seq: 1, history: [{ role: "user", text: "Oslo", message_id: "t.0", task_id: "t" }] });
  assert.deepEqual(drawn().trips, [{ userId: "ann", name: "Oslo" }]);
});

test("trip is named after where it goes once that is known, and follows it until its user names it", async (t) => {
  const { act, drawn } = await opened(t);
  const places = (destination) => ({ origin: { label: "Berlin, DE" }, destination: { label: destination } });
  const goes = (seq, destination) => {
    const request = { ...places(destination), departure_date: "2026-12-10", return_date: null };
    sockets[0].says({ seq, type: "agent_update", task_id: "t1", agent: "flight", state: "working", request });
    return drawn().trips[0].name;
  };
  sockets[0].says(hello(), nothing, running);
  await act("send", { text: "Somewhere warm" });
  assert.deepEqual(trips(), [["ann", "Somewhere warm"]]);
  assert.deepEqual([goes(2, "Tokyo, JP"), goes(3, "Osaka, JP")], ["Berlin → Tokyo, 10 Dec", "Berlin → Osaka, 10 Dec"]);
  await act("rename", { userId: "ann", name: "Honeymoon" });
  assert.equal(goes(4, "Tokyo, JP"), "Honeymoon");
});

test("answers for the previous trip change nothing, but no message is lost silently", async (t) => {
  const { act, drawn } = await opened(t);
  sockets[0].says(hello(), nothing);
  await act("send", { text: "hi" });
  await act("explain", { taskId: "t0" });
  await act("travel", { userId: "bob" });
  assert.equal(sockets[0].closed, true);
  assert.equal(sockets[1].user, "bob");
  await calls[1].fails();
  assert.deepEqual([drawn().userId, drawn().outbox, drawn().notice], ["bob", [], ""]);
  await calls[0].fails();
  assert.deepEqual([drawn().userId, drawn().outbox], ["bob", []]);
  assert.match(drawn().notice, /^Not sent in the previous trip: “hi”/);
  sockets[0].says(running);
  assert.equal(drawn().task, null);
  await act("travel", { userId: "ann" });
  assert.deepEqual([drawn().userId, drawn().outbox], ["ann", []]);
});

test("going back in the browser's history opens the trip of that entry", async (t) => {
  const { act, drawn } = await opened(t);
  await act("travel", { userId: "bob" });
  assert.deepEqual(entries, ["/?trip=bob"]);
  goTo("/?trip=ann");
  window.dispatchEvent(new Event("popstate"));
  assert.equal(drawn().userId, "ann");
  assert.deepEqual(sockets.map((socket) => [socket.user, socket.closed]), [
    ["ann", true],
    ["bob", true],
    ["ann", false],
  ]);
});

test("trip is deleted at the server first; then the next one is opened, and going back does not lead there", async (t) => {
  stored[KEY] = JSON.stringify([{ userId: "bob", name: "Oslo" }]);
  const { act, drawn } = await opened(t);
  await act("forget", { userId: "ann" });
  assert.deepEqual([calls[0].method, calls[0].path], ["DELETE", "/users/ann"]);
  await calls[0].answers(503, { error: { message: "Later." } });
  assert.deepEqual([drawn().userId, drawn().notice], ["ann", "Later."]);
  await act("forget", { userId: "ann" });
  await calls[1].answers(204);
  assert.deepEqual([drawn().userId, trips(), entries], ["bob", [["bob", "Oslo"]], []]);
  assert.equal(location.search, "?trip=bob");
});

test("another trip is deleted while this one stays open", async (t) => {
  stored[KEY] = JSON.stringify([{ userId: "bob", name: "Oslo" }]);
  const { act, drawn } = await opened(t);
  await act("forget", { userId: "bob" });
  await calls[0].answers(204);
  assert.deepEqual([drawn().userId, drawn().trips.map((trip) => trip.userId)], ["ann", ["ann"]]);
  assert.equal(sockets.length, 1);
});

test("trip list follows other windows; a trip deleted there is left", async (t) => {
  const { drawn } = await opened(t);
  stored[KEY] = JSON.stringify([{ userId: "bob", name: "Oslo" }, { userId: "ann", name: "Rome" }]);
  const changed = (key) => window.dispatchEvent(Object.assign(new Event("storage"), { key }));
  changed(KEY);
  assert.deepEqual([drawn().userId, drawn().trips.length], ["ann", 2]);
  stored[KEY] = JSON.stringify([{ userId: "bob", name: "Oslo" }]);
  changed("of something else");
  assert.equal(drawn().userId, "ann");
  changed(KEY);
  assert.deepEqual([drawn().userId, drawn().notice], ["bob", "That trip was deleted in another window."]);
  assert.equal(location.search, "?trip=bob");
});
