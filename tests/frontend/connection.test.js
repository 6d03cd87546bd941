import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Connection } from "../../frontend/lib/connection.js";
import { initialState, reduce } from "../../frontend/lib/reduce.js";

const LONGER_THAN_ANY_PAUSE_MS = 20_000;
const HELLO_MS = 10_000;
const HEARTBEAT_MS = 20_000;
const SOCKET_AGAIN_MS = 300_000;
let sockets = [];
let streams = [];
let online = true;

/** A socket that the test is the server of: what is sent to it is kept, what it hears the test says. */
class Socket extends EventTarget {
  sent = [];
  closed = false;

  constructor(url) {
    super();
    this.url = new URL(url);
    sockets.push(this);
  }

  says(...frames) {
    for (const frame of frames) this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(frame) }));
  }

  drops(code = 1006) {
    this.closed = true;
    this.dispatchEvent(Object.assign(new Event("close"), { code }));
  }

  send(text) {
    assert.equal(this.closed, false, "something was sent to a closed socket");
    this.sent.push(JSON.parse(text).type);
  }

  close() {
    this.closed = true;
    // As in a browser, the close event of one's own comes as well, later.
    queueMicrotask(() => this.dispatchEvent(Object.assign(new Event("close"), { code: 1005 })));
  }
}

/** A request for events that the test is the server of. */
class Stream {
  constructor(url, signal) {
    this.url = new URL(url);
    this.closed = false;
    this.answer = new Promise((resolve, reject) => {
      this.refuses = (status, headers = {}) => resolve(new Response("{}", { status, headers }));
      this.fails = () => reject(new TypeError("fetch failed"));
      this.opens = () => {
        if (!this.body) resolve(new Response(new ReadableStream({ start: (body) => (this.body = body) })));
      };
    });
    signal.addEventListener("abort", () => {
      this.closed = true;
      this.fails();
    });
    streams.push(this);
  }

  async writes(text) {
    this.opens();
    await settled();
    this.body.enqueue(new TextEncoder().encode(text));
    await settled();
  }

  says(...frames) {
    return this.writes(frames.map((frame) => `id: ${frame.seq}\ndata: ${JSON.stringify(frame)}\n\n`).join(""));
  }

  async drops() {
    this.closed = true;
    this.body.close();
    await settled();
  }
}

globalThis.WebSocket = Socket;
globalThis.fetch = (url, { signal }) => new Stream(url, signal).answer;
globalThis.location = new URL("http://127.0.0.1:8000/?trip=ann");
Object.defineProperty(navigator, "onLine", { get: () => online });
beforeEach(() => {
  sockets = [];
  streams = [];
  online = true;
});

const settled = () => new Promise((resolve) => setImmediate(resolve));
const hello = { type: "hello", user_id: "ann", epoch: "e", seq: 9, heartbeat_s: HEARTBEAT_MS / 1000 };
const snapshot = { type: "snapshot", seq: 7, epoch: "e", status: null, partial_results: null, history: [] };
const numbered = (seq) => ({ type: "receipt", task_id: "task-1", seq, receipt: {} });
const openSockets = () => sockets.filter((socket) => !socket.closed);
const openStreams = () => streams.filter((stream) => !stream.closed);

/** The page's state, kept up to date by a connection as `app.js` has it. */
function followed(t) {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const page = { state: initialState("ann"), states: [], frames: [] };
  page.connection = new Connection({
    userId: "ann",
    position: () => (page.state.synced ? { epoch: page.state.epoch, seq: page.state.seq } : null),
    onFrame: (frame) => {
      page.frames.push(frame.type);
      page.state = reduce(page.state, frame);
      return !page.state.gap;
    },
    onState: (name) => {
      page.states.push(name);
      page.state = reduce(page.state, { type: "page_connection", connection: name });
    },
  });
  page.connection.open();
  page.pass = async (ms) => {
    t.mock.timers.tick(ms);
    await settled();
  };
  return page;
}

/** A page whose sockets are blocked, so that it follows an event stream. */
async function blocked(t) {
  const page = followed(t);
  for (const at of [0, 1]) {
    sockets[at].drops();
    await page.pass(LONGER_THAN_ANY_PAUSE_MS / 20);
  }
  assert.deepEqual([sockets.length, streams.length], [2, 1]);
  return page;
}

test("a gap is filled by coming back from the last position, at once and once", (t) => {
  const page = followed(t);
  sockets[0].says(hello, snapshot, numbered(9), numbered(10));
  assert.equal(sockets.length, 2);
  assert.equal(sockets[1].url.href, "ws://127.0.0.1:8000/ws/ann?since=7&epoch=e");
  sockets[1].says(hello, numbered(8), numbered(9));
  assert.equal(page.state.seq, 9);
  assert.equal(page.state.gap, false);
  assert.equal(openSockets().length, 1);
});

test("a frame that does not come though it was asked for is asked for again after a pause", async (t) => {
  const page = followed(t);
  sockets[0].says(hello, snapshot, numbered(9));
  sockets[1].says(hello, numbered(9));
  assert.deepEqual([sockets.length, openSockets().length], [2, 0]);
  await page.pass(500);
  assert.equal(sockets.length, 3);
  sockets[2].says(hello, numbered(8), numbered(9), numbered(11));
  assert.equal(sockets.length, 4, "another gap is another one");
});

test("a server that goes away is asked again after longer and longer pauses, by socket and by HTTP", async (t) => {
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

test("whoever comes back at once leaves no second timer", async (t) => {
  const page = followed(t);
  sockets[0].says(hello, snapshot);
  sockets[0].drops();
  page.connection.reopen();
  sockets[1].says(hello);
  await page.pass(LONGER_THAN_ANY_PAUSE_MS);
  assert.equal(sockets.length, 2);
});

test("coming back at once because of being told of the drop leaves no second timer either", (t) => {
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

test("who is not signed in is told so and not tried again, until the page is looked at again", async (t) => {
  const page = followed(t);
  sockets[0].drops(4401);
  await page.pass(LONGER_THAN_ANY_PAUSE_MS);
  assert.deepEqual(page.states, ["signed_out"]);
  assert.equal(sockets.length, 1);
  page.connection.wake();
  assert.equal(sockets.length, 2);
});

test("what a connection that was let go of still says counts for nothing", async (t) => {
  const page = followed(t);
  sockets[0].says(hello, snapshot);
  page.connection.reopen();
  sockets[0].says(numbered(8));
  await settled();
  assert.equal(page.state.seq, 7);
  assert.deepEqual(page.states, []);
});

test("a connection that was closed stays closed", async (t) => {
  const page = followed(t);
  page.connection.close();
  page.connection.reopen();
  page.connection.wake();
  await page.pass(LONGER_THAN_ANY_PAUSE_MS);
  assert.equal(sockets.length, 1);
});

test("a line that is silent for two heartbeats is dead; one that answers is not", async (t) => {
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

test("a socket that opens and never says hello is given up", async (t) => {
  const page = followed(t);
  await page.pass(HELLO_MS);
  assert.equal(sockets[0].closed, true);
  assert.deepEqual(page.states, ["reconnecting"]);
});

test("a page that wakes up asks for a sign of life, and comes back where none comes", async (t) => {
  const page = followed(t);
  sockets[0].says(hello, snapshot);
  page.connection.wake();
  sockets[0].says({ type: "pong" });
  await page.pass(4000);
  assert.equal(sockets[0].closed, false);
  online = false;
  page.connection.wake();
  await page.pass(4000);
  assert.equal(sockets[0].closed, true);
  assert.deepEqual(page.states, ["offline"]);
});

test("a page that wakes up while it waits for the next attempt does not wait any longer", (t) => {
  const page = followed(t);
  sockets[0].drops();
  page.connection.wake();
  assert.equal(openSockets().length, 1);
  assert.equal(sockets.length, 2);
});

test("a page that was put aside comes back from where it was", async (t) => {
  const page = followed(t);
  sockets[0].says(hello, snapshot);
  page.connection.rest();
  await page.pass(LONGER_THAN_ANY_PAUSE_MS);
  assert.equal(openSockets().length, 0);
  page.connection.reopen();
  assert.equal(openSockets()[0].url.searchParams.get("since"), "7");
  assert.deepEqual(page.states, []);
});

test("where sockets are blocked the same frames come over plain HTTP, in whatever pieces", async (t) => {
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

test("a stream whose comments come is alive, and one that is silent is not", async (t) => {
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

test("when a stream ends, one socket is tried before the next stream, from the last position", async (t) => {
  const page = await blocked(t);
  await streams[0].says(hello, snapshot, numbered(8));
  await streams[0].drops();
  await page.pass(500);
  assert.equal(openSockets()[0].url.searchParams.get("since"), "8");
  openSockets()[0].drops();
  await page.pass(1000);
  assert.equal(openStreams()[0].url.href, "http://127.0.0.1:8000/events/ann?since=8&epoch=e");
});

test("a gap in a stream is filled like one in a socket", async (t) => {
  const page = await blocked(t);
  await streams[0].says(hello, snapshot, numbered(9));
  assert.equal(streams[0].closed, true);
  assert.equal(openStreams()[0].url.searchParams.get("since"), "7");
  await openStreams()[0].says(hello, numbered(8), numbered(9));
  assert.deepEqual([page.state.seq, page.state.gap], [9, false]);
});

test("later a socket is tried beside a stream, and takes over when it says hello", async (t) => {
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
});

test("a stream goes on while the socket beside it fails, and it is tried again after the same time", async (t) => {
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

test("a refusal over HTTP means what it means over a socket, and a busy server is left alone as long as it says", async (t) => {
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

test("a hidden page lets go of its stream after a while, as browsers open only six", async (t) => {
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

test("a hidden page keeps a socket", async (t) => {
  const page = followed(t);
  sockets[0].says(hello, snapshot);
  page.connection.hide();
  await page.pass(HEARTBEAT_MS - 1);
  assert.equal(sockets[0].closed, false);
});
