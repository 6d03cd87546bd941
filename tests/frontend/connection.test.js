import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Connection } from "../../frontend/lib/connection.js";
import { initialState, reduce } from "../../frontend/lib/reduce.js";

const LONGER_THAN_ANY_PAUSE_MS = 20_000;
let sockets = [];

/** A socket that the test is the server of: what is sent to it is kept, what it hears the test says. */
class Socket extends EventTarget {
  constructor(url) {
    super();
    this.url = new URL(url);
    this.closed = false;
    sockets.push(this);
  }

  says(...frames) {
    for (const frame of frames) this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(frame) }));
  }

  drops(code = 1006) {
    this.closed = true;
    this.dispatchEvent(Object.assign(new Event("close"), { code }));
  }

  send() {}

  close() {
    this.closed = true;
  }
}

globalThis.WebSocket = Socket;
globalThis.location = new URL("http://127.0.0.1:8000/");
beforeEach(() => {
  sockets = [];
});

const hello = { type: "hello", user_id: "ann", epoch: "e", seq: 9, heartbeat_s: 1000 };
const snapshot = { type: "snapshot", seq: 7, epoch: "e", status: null, partial_results: null, history: [] };
const numbered = (seq) => ({ type: "receipt", task_id: "task-1", seq, receipt: {} });
const open = () => sockets.filter((socket) => !socket.closed);

/** The page's state, kept up to date by a connection as `app.js` has it. */
function followed(t) {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const page = { state: initialState("ann"), states: [] };
  page.connection = new Connection({
    userId: "ann",
    position: () => (page.state.synced ? { epoch: page.state.epoch, seq: page.state.seq } : null),
    onFrame: (frame) => {
      page.state = reduce(page.state, frame);
      return !page.state.gap;
    },
    onState: (name) => {
      page.states.push(name);
      page.state = reduce(page.state, { type: "page_connection", connection: name });
    },
  });
  page.connection.open();
  return page;
}

test("a gap is filled by coming back from the last position, at once and once", (t) => {
  const page = followed(t);
  sockets[0].says(hello, snapshot, numbered(9), numbered(10));
  assert.equal(sockets.length, 2);
  assert.equal(sockets[1].url.searchParams.get("since"), "7");
  sockets[1].says(hello, numbered(8), numbered(9));
  assert.equal(page.state.seq, 9);
  assert.equal(page.state.gap, false);
  assert.equal(open().length, 1);
});

test("a server that goes down after a gap is asked again after longer and longer pauses", (t) => {
  followed(t);
  sockets[0].says(hello, snapshot, numbered(9));
  let asked = sockets.length;
  for (let pause = 500; pause <= 8000; pause *= 2) {
    sockets.at(-1).drops();
    assert.equal(sockets.length, asked, "it comes back without a pause");
    t.mock.timers.tick(pause / 2 - 1);
    assert.equal(sockets.length, asked, "it comes back too early");
    t.mock.timers.tick(pause / 2 + 1);
    asked += 1;
    assert.equal(sockets.length, asked);
  }
  t.mock.timers.tick(LONGER_THAN_ANY_PAUSE_MS);
  assert.equal(sockets.length, asked, "a second timer was left");
  assert.equal(open().length, 1);
});

test("whoever comes back at once leaves no second timer", (t) => {
  const page = followed(t);
  sockets[0].says(hello, snapshot);
  sockets[0].drops();
  page.connection.reopen();
  t.mock.timers.tick(LONGER_THAN_ANY_PAUSE_MS);
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
  t.mock.timers.tick(LONGER_THAN_ANY_PAUSE_MS);
  assert.equal(sockets.length, 2);
});

test("who is not signed in is told so and not tried again", (t) => {
  const page = followed(t);
  sockets[0].drops(4401);
  t.mock.timers.tick(LONGER_THAN_ANY_PAUSE_MS);
  assert.deepEqual(page.states, ["signed_out"]);
  assert.equal(sockets.length, 1);
});

test("what a connection that was let go of still says counts for nothing", (t) => {
  const page = followed(t);
  sockets[0].says(hello, snapshot);
  page.connection.reopen();
  sockets[0].says(numbered(8));
  assert.equal(page.state.seq, 7);
});
