/** The other end of a page's connection: sockets and event streams that a test is the server of. */

import assert from "node:assert/strict";
import { beforeEach } from "node:test";

import { Connection } from "../../frontend/lib/connection.js";
import { initialState, reduce } from "../../frontend/lib/reduce.js";

export const LONGER_THAN_ANY_PAUSE_MS = 20_000;
export const HEARTBEAT_MS = 20_000;
export const sockets = [];
export const streams = [];
export const browser = { online: true };

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
Object.defineProperty(navigator, "onLine", { get: () => browser.online });
beforeEach(() => {
  sockets.length = streams.length = 0;
  browser.online = true;
});

export const settled = () => new Promise((resolve) => setImmediate(resolve));
export const hello = { type: "hello", user_id: "ann", epoch: "e", seq: 9, heartbeat_s: HEARTBEAT_MS / 1000 };
export const snapshot = { type: "snapshot", seq: 7, epoch: "e", status: null, partial_results: null, history: [] };
export const numbered = (seq) => ({ type: "receipt", task_id: "task-1", seq, receipt: {} });
export const openSockets = () => sockets.filter((socket) => !socket.closed);
export const openStreams = () => streams.filter((stream) => !stream.closed);

/** The page's state, kept up to date by a connection as `app.js` has it. */
export function followed(t) {
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
export async function blocked(t) {
  const page = followed(t);
  for (const at of [0, 1]) {
    sockets[at].drops();
    await page.pass(LONGER_THAN_ANY_PAUSE_MS / 20);
  }
  assert.deepEqual([sockets.length, streams.length], [2, 1]);
  return page;
}
