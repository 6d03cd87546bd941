import assert from "node:assert/strict";
import { test } from "node:test";

import { KEY } from "../../frontend/lib/trips.js";
import { asked, calls, goTo, hello, nothing, opened, running, settled, sockets, stored } from "./opened-page.js";

const trips = () => JSON.parse(stored[KEY]).map(({ userId, name }) => [userId, name]);

test("page opens the trip of its address, and shows what it is told", async (t) => {
  const { drawn, document } = await opened(t);
  assert.equal(drawn().userId, "ann");
  sockets[0].says(hello(), nothing, running);
  assert.equal(drawn().task.task_id, "t1");
  assert.equal(document.title, "Searching – Detour");
  sockets[0].says(asked);
  drawn();
  assert.equal(document.title, "Needs you – Detour");
});

test("missed events are drawn at once when complete, or after a second", async (t) => {
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

test("title of a hidden page is right at once, as its timers may not run for a minute", async (t) => {
  const { document } = await opened(t);
  document.hidden = true;
  sockets[0].says(hello(), nothing, running, asked);
  assert.equal(document.title, "Needs you – Detour");
});

test("message is sent once, names the trip, and is tried again under the same id", async (t) => {
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

test("waiting messages are retried after a pause while the server is heard", async (t) => {
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

test("messages still waiting on a change of trip are reported there", async (t) => {
  const { act, drawn } = await opened(t);
  sockets[0].says(hello(), nothing);
  await act("send", { text: "to Rome" });
  await calls[0].fails();
  await act("travel", { userId: "bob" });
  assert.equal(drawn().notice, "Not sent in the previous trip: “to Rome”.");
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

test("agents are stopped once each, beside their task", async (t) => {
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

test("answer is given once, and a late one explains itself without asking the server", async (t) => {
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

test("answer that is refused says why, and may be given again", async (t) => {
  const { act, drawn } = await opened(t);
  sockets[0].says(hello(), nothing, running, asked);
  await act("answer", { requestId: "r1", answer: { origin: "" } });
  const details = [{ field: "origin", message: "is empty" }];
  await calls[0].answers(422, { error: { code: "bad_input", message: "origin: is empty.", details } });
  assert.deepEqual(drawn().answering.r1, { state: "refused", error: "origin: is empty.", details });
  await act("answer", { requestId: "r1", answer: { origin: "Rome" } });
  assert.equal(calls.length, 2);
});

test("receipt is fetched once it is wanted, and not again", async (t) => {
  const { act, drawn } = await opened(t);
  await act("explain", { taskId: "t1" });
  await calls[0].answers(200, { task_id: "t1", tool_calls: [] });
  assert.deepEqual(drawn().receipts.t1.tool_calls, []);
  await act("explain", { taskId: "t1" });
  assert.equal(calls.length, 1);
});

test("token of a link is traded before the first connection, and a wrong one is told", async (t) => {
  goTo("/#token=wrong");
  const opening = opened(t);
  while (calls.length === 0) await settled();
  assert.deepEqual([sockets.length, location.hash], [0, ""]);
  await calls[0].answers(401, { error: { message: "That is not this server's token." } });
  const { drawn } = await opening;
  assert.equal(drawn().notice, "That is not this server's token.");
  assert.equal(sockets.length, 1);
});

test("link with a token that is opened in the same window signs in and connects anew", async (t) => {
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

test("session that is over leaves nothing in the window, and a page that was never signed in is left alone", async (t) => {
  const { act, drawn } = await opened(t);
  let reloads = 0;
  const over = () => {
    globalThis.location = Object.assign(new URL(location.href), { reload: () => (reloads += 1) });
    sockets.at(-1).dispatchEvent(Object.assign(new Event("close"), { code: 4401 }));
  };
  over();
  assert.deepEqual([reloads, drawn().connection], [0, "signed_out"]);
  await act("travel", { userId: "bob" });
  sockets.at(-1).says(hello(), { ...nothing, seq: 1, history: [{ role: "user", text: "Oslo", message_id: "t.0", task_id: "t" }] });
  over();
  assert.equal(reloads, 1);
  assert.deepEqual([drawn().history, drawn().synced], [[], false]);
});

test("sign-out shows nothing more at once, also while the server cannot be reached", async (t) => {
  const { act, drawn } = await opened(t);
  sockets[0].says(hello(), { ...nothing, seq: 1, history: [{ role: "user", text: "Oslo", message_id: "t.0", task_id: "t" }] });
  await act("signOut", {});
  assert.deepEqual([drawn().history, sockets[0].closed, calls.at(-1).method], [[], true, "DELETE"]);
  await calls.at(-1).fails();
  assert.match(drawn().notice, /^You are signed out here/);
  let left = "";
  globalThis.location = Object.assign(new URL(location.href), { assign: (to) => (left = to) });
  t.mock.timers.tick(2000);
  await settled();
  await calls.at(-1).answers(204);
  assert.equal(left, "/");
});

test("page that is put aside lets go of its connection, and comes back with it", async (t) => {
  await opened(t);
  sockets[0].says(hello(), { ...nothing, seq: 5 });
  window.dispatchEvent(new Event("pagehide"));
  assert.equal(sockets[0].closed, true);
  window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  assert.equal(sockets[1].url.search, "?since=5&epoch=e");
  window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: false }));
  assert.equal(sockets.length, 2);
});

test("constant data is fetched once per visit, wanted by many or failed", async (t) => {
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

test("message takes the policy with it, also where it waits for the server", async (t) => {
  const { act, drawn } = await opened(t);
  sockets[0].says(hello(), nothing, running);
  await act("send", { text: "by train", policy: "steer" });
  await calls.at(-1).fails();
  assert.equal(drawn().outbox[0].policy, "steer");
  sockets[0].says(hello({ seq: 1 }));
  await settled();
  assert.deepEqual(calls.slice(-2).map(({ body }) => body.policy), ["steer", "steer"]);
  await calls.at(-1).answers(202, { task_id: "t1", seq: 3, steer: "pending" });
  assert.deepEqual([drawn().outbox[0].state, drawn().outbox[0].policy], ["accepted", "steer"]);
});

test("pending message is changed once at a time, and a refusal is shown", async (t) => {
  const { act, drawn } = await opened(t);
  const said = { type: "message", role: "user", text: "by train", task_id: "t2", message_id: "t2.0", client_id: null, at: "", interrupted: false };
  sockets[0].says(hello(), nothing, running, { ...said, steer: "pending", seq: 2 });
  await act("revise", { messageId: "t2.0", text: "by bus", revision: 0 });
  await act("settle", { messageId: "t2.0", how: "now" });
  assert.equal(calls.length, 1);
  const current = { message_id: "t2.0", text: "on foot", revision: 4, at: "" };
  await calls[0].answers(409, { error: { code: "stale_revision", message: "It was edited.", details: current } });
  assert.deepEqual([drawn().pending[0].text, drawn().pending[0].revision, drawn().changing["t2.0"].error], ["on foot", 4, "It was edited."]);
  await act("revise", { messageId: "t2.0", text: "by bus", revision: 4 });
  await calls[1].answers(200, { message_id: "t2.0", text: "by bus", revision: 5, steer: "pending", task_id: "t1" });
  assert.deepEqual([drawn().pending[0].text, drawn().changing], ["by bus", {}]);
  await act("settle", { messageId: "t2.0", how: "withdraw" });
  assert.equal(drawn().changing["t2.0"].how, "withdraw");
  sockets[0].says({ type: "steer", task_id: "t1", message_id: "t2.0", steer: "withdrawn", text: "by bus", revision: 5, at: "", seq: 3 });
  assert.deepEqual([drawn().pending, drawn().changing], [[], {}]);
});

test("stop takes back what waits where it is told so, and a queued message is taken back by a stop of its own", async (t) => {
  const { act, drawn } = await opened(t);
  sockets[0].says(hello(), nothing, running, { ...running, task_id: "t2", status: "queued", seq: 2 });
  await act("stop", { taskId: "t2" });
  assert.equal(drawn().stopping, null);
  await act("stop", { taskId: "t1", withdraws: true });
  assert.deepEqual(calls.map(({ body }) => body), [{ task_id: "t2" }, { task_id: "t1", pending: "withdraw" }]);
});

test("chosen policy is stored by the browser and follows another window", async (t) => {
  const { act, drawn } = await opened(t);
  sockets[0].says(hello({ policy: "enqueue" }), nothing);
  assert.deepEqual(drawn().policy, { chosen: null, server: "enqueue" });
  await act("choosePolicy", { policy: "steer" });
  assert.deepEqual([drawn().policy.chosen, stored["detour.policy"]], ["steer", "steer"]);
  stored["detour.policy"] = "interrupt";
  window.dispatchEvent(Object.assign(new Event("storage"), { key: "detour.policy" }));
  assert.equal(drawn().policy.chosen, "interrupt");
});
