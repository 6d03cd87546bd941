import assert from "node:assert/strict";
import { test } from "node:test";

import { Connection } from "../../frontend/lib/connection.js";
import {
  browser,
  followed,
  hello,
  HEARTBEAT_MS,
  LONGER_THAN_ANY_PAUSE_MS,
  numbered,
  openSockets,
  openStreams,
  settled,
  snapshot,
  sockets,
  streams,
} from "./lines.js";

const HELLO_MS = 10_000;
const STEADY_MS = 5000;

test("gap is filled by coming back from the last position, at once and once", (t) => {
  const page = followed(t);
  sockets[0].says(hello, snapshot, numbered(9), numbered(10));
  assert.equal(sockets.length, 2);
  assert.equal(sockets[1].url.href, "ws://127.0.0.1:8000/ws/ann?since=7&epoch=e");
  sockets[1].says(hello, numbered(8), numbered(9));
  assert.equal(page.state.seq, 9);
  assert.equal(page.state.gap, false);
  assert.equal(openSockets().length, 1);
});

test("frame that does not come though it was asked for is asked for again after a pause", async (t) => {
  const page = followed(t);
  sockets[0].says(hello, snapshot, numbered(9));
  sockets[1].says(hello, numbered(9));
  assert.deepEqual([sockets.length, openSockets().length], [2, 0]);
  await page.pass(500);
  assert.equal(sockets.length, 3);
  sockets[2].says(hello, numbered(8), numbered(9), numbered(11));
  assert.equal(sockets.length, 4, "another gap is another one");
});

test("server that goes away is asked again after longer and longer pauses, by socket and by HTTP", async (t) => {
  const page = followed(t);
  sockets[0].says(hello, snapshot);
  const asked = () => sockets.length + streams.length;
  sockets[0].drops();
  for (let pause = 500; pause <= 8000; pause *= 2) {
    const before = asked();
    await page.pass(pause / 2 - 1);
    assert.equal(asked(), before, "it comes back too early");
    await page.pass(pause / 2 + 1);
    assert.equal(asked(), before + 1);
    assert.equal(openSockets().length + openStreams().length, 1);
    if (openStreams().length) openStreams()[0].fails();
    else openSockets()[0].drops();
    await settled();
  }
  assert.deepEqual([sockets.length, streams.length], [5, 1]);
  assert.deepEqual(new Set(page.states), new Set(["reconnecting"]));
});

test("immediate return leaves no second timer", async (t) => {
  const page = followed(t);
  sockets[0].says(hello, snapshot);
  sockets[0].drops();
  page.connection.reopen();
  sockets[1].says(hello);
  await page.pass(LONGER_THAN_ANY_PAUSE_MS);
  assert.equal(sockets.length, 2);
});

test("immediate return after a notified drop leaves no second timer", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const connection = new Connection({
    userId: "ann",
    position: () => null,
    onFrame: () => true,
    onState: () => connection.reopen(),
  });
  connection.open();
  sockets[0].drops();
  sockets[1].says(hello);
  t.mock.timers.tick(LONGER_THAN_ANY_PAUSE_MS - 1);
  assert.equal(sockets.length, 2);
});

test("signed-out connection says so and is not retried until the page is looked at", async (t) => {
  const page = followed(t);
  sockets[0].drops(4401);
  await page.pass(LONGER_THAN_ANY_PAUSE_MS);
  assert.deepEqual(page.states, ["signed_out"]);
  assert.equal(sockets.length, 1);
  page.connection.wake();
  assert.equal(sockets.length, 2);
});

test("messages of a closed connection are ignored", async (t) => {
  const page = followed(t);
  sockets[0].says(hello, snapshot);
  page.connection.reopen();
  sockets[0].says(numbered(8));
  await settled();
  assert.equal(page.state.seq, 7);
  assert.deepEqual(page.states, []);
});

test("connection that was closed stays closed", async (t) => {
  const page = followed(t);
  page.connection.close();
  page.connection.reopen();
  page.connection.wake();
  await page.pass(LONGER_THAN_ANY_PAUSE_MS);
  assert.equal(sockets.length, 1);
});

test("line that is silent for two heartbeats is dead; one that answers is not", async (t) => {
  const page = followed(t);
  sockets[0].says(hello, snapshot);
  for (let beat = 0; beat < 5; beat += 1) {
    await page.pass(HEARTBEAT_MS);
    sockets[0].says({ type: "pong" });
  }
  assert.equal(openSockets()[0], sockets[0]);
  assert.deepEqual(new Set(sockets[0].sent), new Set(["ping"]));
  for (let beat = 0; beat < 3; beat += 1) await page.pass(HEARTBEAT_MS);
  assert.equal(sockets[0].closed, true);
  assert.deepEqual(page.states.slice(0, 1), ["reconnecting"]);
  assert.equal(page.frames.includes("pong"), false);
});

test("socket that opens and never says hello is given up", async (t) => {
  const page = followed(t);
  await page.pass(HELLO_MS);
  assert.equal(sockets[0].closed, true);
  assert.deepEqual(page.states, ["reconnecting"]);
});

test("page that wakes up asks for a sign of life, and comes back where none comes", async (t) => {
  const page = followed(t);
  sockets[0].says(hello, snapshot);
  page.connection.wake();
  sockets[0].says({ type: "pong" });
  await page.pass(4000);
  assert.equal(sockets[0].closed, false);
  browser.online = false;
  page.connection.wake();
  await page.pass(4000);
  assert.equal(sockets[0].closed, true);
  assert.deepEqual(page.states, ["offline"]);
});

test("page that wakes up while it waits for the next attempt does not wait any longer", (t) => {
  const page = followed(t);
  sockets[0].drops();
  page.connection.wake();
  assert.equal(openSockets().length, 1);
  assert.equal(sockets.length, 2);
});

test("page that was put aside comes back from where it was", async (t) => {
  const page = followed(t);
  sockets[0].says(hello, snapshot);
  page.connection.rest();
  await page.pass(LONGER_THAN_ANY_PAUSE_MS);
  assert.equal(openSockets().length, 0);
  page.connection.reopen();
  assert.equal(openSockets()[0].url.searchParams.get("since"), "7");
  assert.deepEqual(page.states, []);
});

test("server that greets and fails, over and over, is asked less and less often", async (t) => {
  const page = followed(t);
  sockets[0].says(hello, snapshot);
  for (let pause = 500; pause <= 8000; pause *= 2) {
    const before = sockets.length;
    openSockets()[0].drops();
    await page.pass(pause / 2 - 1);
    assert.equal(sockets.length, before, "it comes back too early");
    await page.pass(pause / 2 + 1);
    assert.equal(sockets.length, before + 1);
    openSockets()[0].says(hello);
  }
  await page.pass(STEADY_MS);
  openSockets()[0].drops();
  await page.pass(500);
  assert.equal(openSockets().length, 1, "one that lasted for a while is trusted again");
});

test("frame that can't be read ends the line, and is asked for again", async (t) => {
  const page = followed(t);
  sockets[0].says(hello, snapshot);
  for (const text of ["{", "null", '"text"', "[]", '{"type": 7}', ""]) {
    const line = openSockets()[0];
    line.dispatchEvent(new MessageEvent("message", { data: text }));
    assert.equal(line.closed, true, text);
    await page.pass(LONGER_THAN_ANY_PAUSE_MS);
    openSockets()[0].says(hello);
  }
  openSockets()[0].says(numbered(8));
  assert.equal(page.state.seq, 8);
});
