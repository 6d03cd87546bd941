import assert from "node:assert/strict";
import { test } from "node:test";

import {
  blocked,
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

const SOCKET_AGAIN_MS = 300_000;

test("plain HTTP carries the same frames, in any pieces, where sockets are blocked", async (t) => {
  const page = await blocked(t);
  assert.equal(streams[0].url.href, "http://127.0.0.1:8000/events/ann");
  await streams[0].says(hello);
  assert.equal(page.state.connection, "live");
  const text = [snapshot, numbered(8), numbered(9)]
    .map((frame) => `id: ${frame.seq}\ndata: ${JSON.stringify(frame)}\n\n: still here\n\n`)
    .join("");
  for (const piece of text.match(/[\s\S]{1,7}/g)) await streams[0].writes(piece);
  assert.equal(page.state.seq, 9);
  assert.deepEqual(page.frames, ["hello", "snapshot", "receipt", "receipt"]);
});

test("stream whose comments come is alive, and one that is silent is not", async (t) => {
  const page = await blocked(t);
  await streams[0].says(hello, snapshot);
  for (let beat = 0; beat < 5; beat += 1) {
    await page.pass(HEARTBEAT_MS);
    await streams[0].writes(": still here\n\n");
  }
  assert.equal(streams[0].closed, false);
  for (let beat = 0; beat < 3; beat += 1) await page.pass(HEARTBEAT_MS);
  assert.equal(streams[0].closed, true);
});

test("ended stream tries one socket before the next stream, from the last position", async (t) => {
  const page = await blocked(t);
  await streams[0].says(hello, snapshot, numbered(8));
  await streams[0].drops();
  await page.pass(500);
  assert.equal(openSockets()[0].url.searchParams.get("since"), "8");
  openSockets()[0].drops();
  await page.pass(1000);
  assert.equal(openStreams()[0].url.href, "http://127.0.0.1:8000/events/ann?since=8&epoch=e");
});

test("gap in a stream is filled like one in a socket", async (t) => {
  const page = await blocked(t);
  await streams[0].says(hello, snapshot, numbered(9));
  assert.equal(streams[0].closed, true);
  assert.equal(openStreams()[0].url.searchParams.get("since"), "7");
  await openStreams()[0].says(hello, numbered(8), numbered(9));
  assert.deepEqual([page.state.seq, page.state.gap], [9, false]);
});

test("socket is tried beside a stream later, and takes over on its hello", async (t) => {
  const page = await blocked(t);
  await streams[0].says(hello, snapshot);
  for (let beat = 0; beat < SOCKET_AGAIN_MS / HEARTBEAT_MS; beat += 1) {
    await page.pass(HEARTBEAT_MS);
    await streams[0].writes(": still here\n\n");
  }
  assert.equal(openSockets().length, 1);
  assert.equal(openStreams().length, 1);
  const [socket] = openSockets();
  await streams[0].says(numbered(8));
  socket.says(hello, numbered(8), numbered(9));
  assert.deepEqual([openSockets().length, openStreams().length], [1, 0]);
  assert.deepEqual([page.state.seq, page.state.gap], [9, false]);
  await page.pass(HEARTBEAT_MS);
  assert.deepEqual(socket.sent, ["ping"]);
  socket.says(numbered(11));
  assert.deepEqual([openSockets().length, openStreams().length], [1, 0], "sockets are what works now");
});

test("stream goes on while the socket beside it fails, and it is tried again after the same time", async (t) => {
  const page = await blocked(t);
  await streams[0].says(hello, snapshot);
  for (let round = 3; round <= 4; round += 1) {
    for (let beat = 0; beat < SOCKET_AGAIN_MS / HEARTBEAT_MS; beat += 1) {
      await page.pass(HEARTBEAT_MS);
      await streams[0].writes(": still here\n\n");
    }
    assert.equal(sockets.length, round);
    sockets.at(-1).drops();
    assert.deepEqual([openSockets().length, openStreams().length], [0, 1]);
  }
  assert.deepEqual(page.states, ["reconnecting", "reconnecting"]);
});

test("refusal over HTTP means what it means over a socket, and a busy server is left alone as long as it says", async (t) => {
  const page = await blocked(t);
  streams[0].refuses(503, { "Retry-After": "7" });
  await settled();
  await page.pass(6999);
  assert.deepEqual([sockets.length, streams.length], [2, 1]);
  await page.pass(1);
  assert.equal(sockets.length, 3);
  for (const at of [2, 3]) {
    sockets[at].drops();
    await page.pass(LONGER_THAN_ANY_PAUSE_MS / 2 - 1);
  }
  streams[1].refuses(401);
  await settled();
  assert.equal(page.states.at(-1), "signed_out");
});

test("hidden page lets go of its stream after a while, as browsers open only six", async (t) => {
  const page = await blocked(t);
  await streams[0].says(hello, snapshot, numbered(8));
  page.connection.hide();
  await page.pass(9000);
  page.connection.wake();
  await openStreams()[0].says(hello);
  page.connection.hide();
  await page.pass(9000);
  assert.equal(openStreams().length, 1);
  await page.pass(1000);
  assert.equal(openStreams().length, 0);
  page.connection.wake();
  assert.equal(openStreams()[0].url.searchParams.get("since"), "8");
});

test("page that is looked at again before its stream has begun keeps it", async (t) => {
  const page = await blocked(t);
  page.connection.hide();
  await page.pass(5000);
  page.connection.wake();
  await streams[0].says(hello, snapshot);
  await page.pass(6000);
  assert.equal(streams[0].closed, false);
});

test("stream that a hidden page comes back to is let go of as well", async (t) => {
  const page = await blocked(t);
  await streams[0].says(hello, snapshot);
  page.connection.hide();
  await streams[0].drops();
  await page.pass(500);
  sockets.at(-1).drops();
  await page.pass(1000);
  await openStreams()[0].says(hello);
  await page.pass(10_000);
  assert.equal(openStreams().length, 0);
});

test("hidden page keeps a socket", async (t) => {
  const page = followed(t);
  sockets[0].says(hello, snapshot);
  page.connection.hide();
  await page.pass(HEARTBEAT_MS - 1);
  assert.equal(sockets[0].closed, false);
});

test("frame in a stream that can't be read ends it, and it is asked for again", async (t) => {
  const page = await blocked(t);
  await streams[0].says(hello, snapshot);
  await streams[0].writes("data: {\n\n");
  assert.equal(streams[0].closed, true);
  await page.pass(500);
  assert.equal(openSockets()[0].url.searchParams.get("since"), "7");
});
