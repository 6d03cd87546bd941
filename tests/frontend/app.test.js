import assert from "node:assert/strict";
import { registerHooks } from "node:module";
import { beforeEach, test } from "node:test";

import { KEY } from "../../frontend/lib/trips.js";

/** The page without its components: one part that is given the state stands for them all. */
registerHooks({
  resolve: (specifier, context, next) =>
    specifier.endsWith("/components/components.js")
      ? { url: "data:text/javascript,", shortCircuit: true }
      : next(specifier, context),
});

let sockets;
let calls;
let stored;
let entries;
let pages = 0;

class Socket extends EventTarget {
  closed = false;

  constructor(url) {
    super();
    this.url = new URL(url);
    this.user = decodeURIComponent(this.url.pathname.slice("/ws/".length));
    sockets.push(this);
  }

  says(...frames) {
    for (const frame of frames) this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(frame) }));
  }

  send() {}

  close() {
    this.closed = true;
  }
}

/** A call that the test answers when it likes. */
function fakeFetch(path, { method = "GET", body } = {}) {
  return new Promise((resolve, reject) => {
    const answers = (status, answer) => {
      resolve(new Response(answer === undefined ? null : JSON.stringify(answer), { status }));
      return settled();
    };
    const fails = () => (reject(new TypeError("fetch failed")), settled());
    calls.push({ path, method, body: body && JSON.parse(body), answers, fails });
  });
}

function goTo(address) {
  globalThis.location = new URL(address, "http://127.0.0.1:8000");
}

const history = {
  pushState: (_state, _title, address) => (entries.push(address), goTo(address)),
  replaceState: (_state, _title, address) => goTo(address),
};
const settled = () => new Promise((resolve) => setImmediate(resolve));

beforeEach((t) => {
  [sockets, calls, entries, stored] = [[], [], [], {}];
  const localStorage = { getItem: (key) => stored[key] ?? null, setItem: (key, value) => (stored[key] = value) };
  Object.assign(globalThis, { WebSocket: Socket, fetch: fakeFetch, history, localStorage, window: new EventTarget() });
  goTo("/?trip=ann");
});

/** Open the page; what is drawn is in `part.data` after `drawn()`. */
async function opened(t) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const part = {};
  const document = Object.assign(new EventTarget(), { title: "", querySelectorAll: () => [part], hidden: false });
  globalThis.document = document;
  pages += 1;
  await import(`../../frontend/app.js?page=${pages}`);
  const act = async (name, detail) => {
    document.dispatchEvent(new CustomEvent(name, { detail }));
    await settled();
  };
  const drawn = () => {
    t.mock.timers.tick(16);
    return part.data;
  };
  return { act, drawn, document };
}

const hello = (more) => ({ type: "hello", epoch: "e", seq: 0, heartbeat_s: 20, ...more });
const nothing = { type: "snapshot", seq: 0, epoch: "e", status: null, partial_results: null, history: [] };
const running = { seq: 1, type: "status_update", task_id: "t1", status: "running", at: "", message: "hi" };
const asked = { seq: 2, type: "input_request", task_id: "t1", request_id: "r1", kind: "question" };
const trips = () => JSON.parse(stored[KEY]).map(({ userId, name }) => [userId, name]);

test("the page opens the trip of its address, and shows what it is told", async (t) => {
  const { drawn, document } = await opened(t);
  assert.equal(drawn().userId, "ann");
  sockets[0].says(hello(), nothing, running);
  assert.equal(drawn().task.task_id, "t1");
  assert.equal(document.title, "Searching – Detour");
  sockets[0].says(asked);
  drawn();
  assert.equal(document.title, "Needs you – Detour");
});

test("what was missed is drawn when all of it is there, or after a second", async (t) => {
  const { drawn } = await opened(t);
  sockets[0].says(hello(), nothing);
  drawn();
  sockets[0].says(hello({ seq: 2 }), running);
  assert.equal(drawn().task, null);
  sockets[0].says(asked);
  assert.equal(drawn().task.task_id, "t1");
  sockets[0].says(hello({ seq: 4 }), { ...running, seq: 3, status: "completed" });
  assert.equal(drawn().task.status, "running");
  t.mock.timers.tick(1000);
  assert.equal(drawn().task.status, "completed");
});

test("the title of a hidden page is right at once, as its timers may not run for a minute", async (t) => {
  const { document } = await opened(t);
  document.hidden = true;
  sockets[0].says(hello(), nothing, running, asked);
  assert.equal(document.title, "Needs you – Detour");
});

test("a message is sent once, names the trip, and is tried again under the same id", async (t) => {
  const { act, drawn } = await opened(t);
  sockets[0].says(hello(), nothing);
  await act("send", { text: "Rome in May" });
  await calls[0].answers(429, { error: { message: "Too many messages." } });
  const [unsent] = drawn().outbox;
  assert.deepEqual([unsent.state, unsent.error], ["unsent", "Too many messages."]);
  await act("resend", { clientId: unsent.client_id });
  await act("resend", { clientId: unsent.client_id });
  assert.equal(calls.length, 2);
  assert.deepEqual(calls[1].body, calls[0].body);
  await calls[1].answers(202, { task_id: "t1", seq: 2 });
  assert.equal(drawn().outbox[0].state, "accepted");
  assert.deepEqual(trips(), [["ann", "Rome in May"]]);
});

for (const [how, fails] of [["nobody answers", (call) => call.fails()], ["the server says not now", (call) => call.answers(503, {})]]) {
  test(`messages wait while ${how}, and are sent in their order and under their ids once it is back`, async (t) => {
    const { act, drawn } = await opened(t);
    sockets[0].says(hello(), nothing);
    for (const text of ["to Rome", "in May", "never mind"]) {
      await act("send", { text });
      await fails(calls.at(-1));
    }
    const waits = drawn().outbox;
    assert.deepEqual(waits.map(({ text, state }) => [text, state]), [["to Rome", "waiting"], ["in May", "waiting"], ["never mind", "waiting"]]);
    await act("withdraw", { clientId: waits[2].client_id });
    assert.deepEqual(calls.map(({ body }) => body.message), ["to Rome", "to Rome", "to Rome"]);
    sockets[0].says(hello());
    await settled();
    await calls.at(-1).answers(202, { task_id: "t1", seq: 2 });
    await calls.at(-1).answers(202, { task_id: "t2", seq: 4 });
    const sent = calls.slice(3).map(({ body }) => [body.message, body.client_id]);
    assert.deepEqual(sent, [["to Rome", waits[0].client_id], ["in May", waits[1].client_id]]);
    assert.deepEqual(drawn().outbox.map(({ state }) => state), ["accepted", "accepted"]);
  });
}

test("what waits is tried again after a pause where the server is heard all the while", async (t) => {
  const { act, drawn } = await opened(t);
  sockets[0].says(hello(), nothing);
  await act("send", { text: "to Rome" });
  await calls[0].fails();
  t.mock.timers.tick(1000);
  await settled();
  assert.equal(calls.length, 2);
  await calls[1].fails();
  t.mock.timers.tick(1000);
  await settled();
  await calls[2].answers(202, { task_id: "t1", seq: 2 });
  assert.deepEqual([drawn().outbox.length, calls.length], [1, 3]);
  t.mock.timers.tick(60_000);
  await settled();
  assert.equal(calls.length, 3);
});

test("what waits when the page goes to another trip is told there", async (t) => {
  const { act, drawn } = await opened(t);
  sockets[0].says(hello(), nothing);
  await act("send", { text: "to Rome" });
  await calls[0].fails();
  await act("travel", { userId: "bob" });
  assert.equal(drawn().notice, "Not sent, in the trip before: “to Rome”.");
});

test("a trip that is opened by its link is named after its first message", async (t) => {
  const { drawn } = await opened(t);
  sockets[0].says(hello(), { ...nothing, seq: 1, history: [{ role: "user", text: "Oslo", message_id: "t.0", task_id: "t" }] });
  assert.deepEqual(drawn().trips, [{ userId: "ann", name: "Oslo" }]);
});

test("a trip is named after where it goes once that is known, and follows it until its user names it", async (t) => {
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

test("what is answered after the page went to another trip changes nothing there, but no message is lost in silence", async (t) => {
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
  assert.match(drawn().notice, /^Not sent, in the trip before: “hi”/);
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

test("two presses of Stop stop once, until the server says that it could not", async (t) => {
  const { act, drawn } = await opened(t);
  sockets[0].says(hello(), nothing, running);
  await act("stop", { taskId: "t1" });
  await act("stop", { taskId: "t1" });
  assert.equal(calls.length, 1);
  assert.equal(drawn().stopping, "t1");
  await calls[0].answers(503, { error: { code: "store_unavailable", message: "Try again." } });
  assert.deepEqual([drawn().stopping, drawn().notice], [null, "Try again."]);
  await act("stop", { taskId: "t1" });
  assert.equal(calls.length, 2);
  await calls[1].answers(202, { user_id: "ann", status: "cancelling" });
  assert.equal(drawn().stopping, "t1");
  sockets[0].says({ ...running, seq: 2, status: "interrupted", reason: "stopped" });
  assert.equal(drawn().stopping, null);
  await act("stop", { taskId: "t1" });
  await act("stop", { taskId: "of another trip" });
  assert.equal(calls.length, 2);
});

test("each agent is stopped once, beside its task", async (t) => {
  const { act, drawn } = await opened(t);
  sockets[0].says(hello(), nothing, running);
  const working = { type: "agent_update", task_id: "t1", agent: "hotel", state: "working" };
  sockets[0].says({ ...working, seq: 2 });
  for (const agent of ["hotel", "hotel", "flight"]) await act("stop", { taskId: "t1", agent });
  assert.deepEqual(calls.map((call) => call.body), [
    { task_id: "t1", agent: "hotel" },
    { task_id: "t1", agent: "flight" },
  ]);
  assert.deepEqual(drawn().stoppingAgents, ["hotel", "flight"]);
  sockets[0].says({ ...working, seq: 3, state: "done" });
  await calls[1].answers(409, { error: { code: "conflict", message: "It has ended." } });
  assert.deepEqual([drawn().stoppingAgents, drawn().stopping], [[], null]);
});

test("an answer is given once, and a late one explains itself without asking the server", async (t) => {
  const { act, drawn } = await opened(t);
  sockets[0].says(hello(), nothing, running, asked);
  await act("answer", { requestId: "r1", answer: { origin: "Rome" } });
  await act("answer", { requestId: "r1", answer: { origin: "Oslo" } });
  assert.deepEqual(calls.map((call) => call.body), [{ request_id: "r1", answer: { origin: "Rome" } }]);
  await calls[0].answers(202, {});
  await act("answer", { requestId: "r1", answer: { origin: "Oslo" } });
  assert.equal(drawn().answering.r1.state, "sending");
  sockets[0].says({ seq: 3, type: "input_resolved", task_id: "t1", request_id: "r1", outcome: "answered" });
  await act("answer", { requestId: "r1", decision: "allow" });
  assert.equal(calls.length, 1);
  assert.match(drawn().answering.r1.error, /answered already/);
});

test("an answer that is refused says why, and may be given again", async (t) => {
  const { act, drawn } = await opened(t);
  sockets[0].says(hello(), nothing, running, asked);
  await act("answer", { requestId: "r1", answer: { origin: "" } });
  const details = [{ field: "origin", message: "is empty" }];
  await calls[0].answers(422, { error: { code: "bad_input", message: "origin: is empty.", details } });
  assert.deepEqual(drawn().answering.r1, { state: "refused", error: "origin: is empty.", details });
  await act("answer", { requestId: "r1", answer: { origin: "Rome" } });
  assert.equal(calls.length, 2);
});

test("a receipt is fetched once it is wanted, and not again", async (t) => {
  const { act, drawn } = await opened(t);
  await act("explain", { taskId: "t1" });
  await calls[0].answers(200, { task_id: "t1", tool_calls: [] });
  assert.deepEqual(drawn().receipts.t1.tool_calls, []);
  await act("explain", { taskId: "t1" });
  assert.equal(calls.length, 1);
});

test("a trip is deleted at the server first; then the next one is opened, and going back does not lead there", async (t) => {
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

test("what another window does to the list of trips is followed; a trip that it deletes is left", async (t) => {
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

test("the token of a link is traded before the first connection, and a wrong one is told", async (t) => {
  goTo("/#token=wrong");
  const opening = opened(t);
  while (calls.length === 0) await settled();
  assert.deepEqual([sockets.length, location.hash], [0, ""]);
  await calls[0].answers(401, { error: { message: "That is not this server's token." } });
  const { drawn } = await opening;
  assert.equal(drawn().notice, "That is not this server's token.");
  assert.equal(sockets.length, 1);
});

test("a link with a token that is opened in the same window signs in and connects anew", async (t) => {
  const { drawn } = await opened(t);
  window.dispatchEvent(new Event("hashchange"));
  await settled();
  assert.equal(sockets.length, 1);
  goTo("/?trip=ann#token=right");
  window.dispatchEvent(new Event("hashchange"));
  await settled();
  await calls[0].answers(204);
  assert.equal(sockets.length, 2);
  assert.equal(drawn().userId, "ann");
});

test("a page that is put aside lets go of its connection, and comes back with it", async (t) => {
  await opened(t);
  sockets[0].says(hello(), { ...nothing, seq: 5 });
  window.dispatchEvent(new Event("pagehide"));
  assert.equal(sockets[0].closed, true);
  window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  assert.equal(sockets[1].url.search, "?since=5&epoch=e");
  window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: false }));
  assert.equal(sockets.length, 2);
});

test("what does not change is fetched once in a visit, be it wanted by many, and failed or not", async (t) => {
  const { act, drawn } = await opened(t);
  const query = { origins: "BER", destinations: "HND" };
  for (let times = 0; times < 2; times += 1) {
    await act("askAirports", { codes: ["BER", "HND"] });
    await act("askLand", {});
    await act("askFares", { query });
  }
  await act("askAirports", { codes: ["BER", "NRT"] });
  const paths = calls.map((call) => call.path);
  assert.deepEqual(paths, [
    "/airports?codes=BER%2CHND",
    "/land",
    "/fares?origins=BER&destinations=HND",
    "/airports?codes=NRT",
  ]);
  await calls[0].answers(200, { airports: { BER: { code: "BER" } } });
  await calls[1].answers(503, { error: { message: "Later." } });
  await calls[2].answers(200, { days: [{ date: "2026-12-10", price_total: null }] });
  await calls[3].answers(200, { airports: { NRT: { code: "NRT" } } });
  assert.deepEqual([Object.keys(drawn().airports), drawn().notice], [["BER", "NRT"], ""]);
  assert.deepEqual(drawn().fares, { "origins=BER&destinations=HND": [{ date: "2026-12-10", price_total: null }] });
});

test("bookings are fetched whenever they are wanted, but not of a trip that the server does not know", async (t) => {
  const { act, drawn } = await opened(t);
  sockets[0].says(hello(), nothing);
  await act("askBookings", {});
  assert.deepEqual([drawn().bookings, calls.length], [[], 0]);
  sockets[0].says(running);
  await act("askBookings", {});
  await act("askBookings", {});
  await calls[0].answers(200, { bookings: [{ reference: "DEMO-1" }] });
  assert.deepEqual([drawn().bookings, calls.length], [[{ reference: "DEMO-1" }], 2]);
});
