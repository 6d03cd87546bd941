/** Lines that are cut anywhere, silent, spoiled or with a gap; the server is a function here. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { DetourClient } from "../../packages/client/src/index.js";
import { Blocks } from "../../packages/client/src/lines.js";

const hello = { type: "hello", epoch: "e", seq: 3, heartbeat_s: 20 };
const snapshot = { type: "snapshot", epoch: "e", seq: 3, status: null, partial_results: null, history: [] };
const SILENCE = "silence";
const event = (seq) => ({ type: "text_delta", seq, task_id: "a", text: "x", offset: seq });

/** A client whose server answers each request for events with the next of these lists of frames. */
function clientOf(...lines) {
  const asked = [];
  const fetch = async (url, { signal }) => {
    asked.push(String(url).split("?")[1]);
    const line = lines.shift();
    return line instanceof Response ? line : streamOf(line, signal);
  };
  return { asked, client: new DetourClient({ url: "http://x", userId: "ada", fetch }) };
}

/** The frames, and then the end, unless the last one is `SILENCE`; it fails when it is aborted, as a real one. */
function streamOf(frames, signal) {
  const body = new ReadableStream({
    start(controller) {
      signal.addEventListener("abort", () => frames.includes(SILENCE) && controller.error(signal.reason));
      for (const frame of frames.filter((each) => each !== SILENCE)) {
        const data = typeof frame === "string" ? frame : JSON.stringify(frame);
        controller.enqueue(new TextEncoder().encode(`id: 1\ndata: ${data}\n\n`));
      }
      if (!frames.includes(SILENCE)) controller.close();
    },
  });
  return new Response(body);
}

async function untilSeq(client, seq, options) {
  const heard = [];
  for await (const frame of client.events(options)) {
    heard.push(frame);
    if (frame.seq === seq && frame.type === "text_delta") return heard;
  }
}

const seqs = (frames) => frames.filter(({ type }) => type === "text_delta").map(({ seq }) => seq);

test("line that ends is followed by one that resumes", async () => {
  const { asked, client } = clientOf([hello, snapshot, event(4)], [hello, event(5)]);
  const heard = await untilSeq(client, 5);
  assert.deepEqual(seqs(heard), [4, 5]);
  assert.deepEqual(asked, ["", "since=4&epoch=e"]);
  const states = heard.filter(({ type }) => type === "connection").map(({ state }) => state);
  assert.deepEqual(states, ["live", "reconnecting", "live"]);
});

test("event that comes twice is left out", async () => {
  const { asked, client } = clientOf([hello, snapshot, event(3), event(4), event(4), event(5)]);
  assert.deepEqual(seqs(await untilSeq(client, 5)), [4, 5]);
  assert.equal(asked.length, 1);
});

test("event that is missing is asked for", async () => {
  const { asked, client } = clientOf([hello, snapshot, event(4), event(6)], [hello, event(5), event(6)]);
  assert.deepEqual(seqs(await untilSeq(client, 6)), [4, 5, 6]);
  assert.deepEqual(asked, ["", "since=4&epoch=e"]);
});

test("invalid frame ends the connection, and the next one resumes", async () => {
  const { client } = clientOf([hello, snapshot, event(4), "{spoiled"], [hello, event(5)]);
  assert.deepEqual(seqs(await untilSeq(client, 5)), [4, 5]);
});

test("reset that was lost with its line is made up for by a snapshot", async () => {
  const other = { ...hello, epoch: "new" };
  const { asked, client } = clientOf([other], [other, { ...snapshot, epoch: "new", seq: 8 }, event(9)]);
  await untilSeq(client, 9, { position: { seq: 3, epoch: "e" } });
  assert.deepEqual(asked, ["since=3&epoch=e", ""]);
});

test("reset drops the old position", async () => {
  const reset = { type: "reset", reason: "the events since then are no longer kept" };
  const { asked, client } = clientOf([hello, reset], [hello, snapshot, event(4)]);
  await untilSeq(client, 4, { position: { seq: 1, epoch: "e" } });
  assert.deepEqual(asked, ["since=1&epoch=e", ""]);
});

test("server that takes nobody just now is asked again, and one that refuses is not", async () => {
  const full = new Response('{"error": {"code": "too_many_requests", "message": "Wait."}}', { status: 429 });
  const { client } = clientOf(full, [hello, snapshot, event(4)]);
  assert.deepEqual(seqs(await untilSeq(client, 4)), [4]);
  const refused = new Response('{"error": {"code": "unauthorized", "message": "Sign in first."}}', { status: 401 });
  await assert.rejects(untilSeq(clientOf(refused).client, 1), { code: "unauthorized", message: "Sign in first." });
});

test("line that is silent for two heartbeats is given up", async () => {
  const deaf = { ...hello, heartbeat_s: 0.01 };
  const { client } = clientOf([deaf, snapshot, event(4), SILENCE], [hello, event(5)]);
  assert.deepEqual(seqs(await untilSeq(client, 5)), [4, 5]);
});

test("events end when the signal is aborted, also while nothing comes", async () => {
  const leaving = new AbortController();
  const { client } = clientOf([hello, snapshot, SILENCE]);
  const events = client.events({ signal: leaving.signal });
  const heard = [await events.next(), await events.next(), await events.next()];
  assert.equal(heard.at(-1).value.type, "snapshot");
  const next = events.next();
  leaving.abort();
  assert.deepEqual(await next, { done: true, value: undefined });
});

test("blocks are the same wherever the stream is cut", () => {
  const text = "id: 1\ndata: {}\n\n: still here\n\nid: 2\ndata: {}\n\nid: 3";
  for (let first = 0; first <= text.length; first += 1) {
    for (let second = first; second <= text.length; second += 1) {
      const blocks = new Blocks();
      const pieces = [text.slice(0, first), text.slice(first, second), text.slice(second), "\n\n"];
      const found = pieces.flatMap((piece) => blocks.add(piece));
      assert.deepEqual(found, ["id: 1\ndata: {}", ": still here", "id: 2\ndata: {}", "id: 3"]);
    }
  }
});
