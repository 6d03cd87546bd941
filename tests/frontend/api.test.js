import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import * as api from "../../frontend/lib/api.js";

let asked = [];
let answers = [];
let shown = [];

globalThis.fetch = async (path, init = {}) => {
  asked.push({ path, method: init.method ?? "GET", body: init.body && JSON.parse(init.body), type: init.headers?.["Content-Type"] });
  const answer = answers.shift() ?? Response.json({});
  if (answer instanceof Error || answer instanceof DOMException) throw answer;
  return answer;
};
globalThis.history = { replaceState: (_state, _title, address) => shown.push(address) };
globalThis.location = new URL("http://127.0.0.1:8000/");

beforeEach(() => {
  [asked, answers, shown] = [[], [], []];
  globalThis.location = new URL("http://127.0.0.1:8000/");
});

const failing = (status, body) => new Response(body, { status });

test("calls follow the contract", async () => {
  answers = [Response.json({ task_id: "t", seq: 2 })];
  assert.deepEqual(await api.sendMessage("ann", "hi", "c1"), { task_id: "t", seq: 2 });
  await api.sendMessage("ann", "hi", "c2", "steer");
  await api.stopTask("ann", "t");
  await api.stopTask("ann", "t", { agent: "hotel" });
  await api.stopTask("ann", "t", { withdraws: true });
  await api.editPending("ann", "t/1.0", { message: "by train", revision: 2 });
  for (const how of ["withdraw", "now", "later"]) await api.settlePending("ann", "m", how);
  await api.sendAnswer("ann", { request_id: "r", answer: { origin: "Rome" }, decision: undefined });
  await api.askReceipt("ann", "t/1");
  await api.askBookings("ann");
  await api.askAirports(["BER", "HND"]);
  await api.askLand();
  answers = [new Response(null, { status: 204 })];
  assert.deepEqual(await api.forgetUser("ann"), {});
  assert.deepEqual(
    asked.map(({ method, path, body }) => [method, path, body]),
    [
      ["POST", "/chat", { user_id: "ann", message: "hi", client_id: "c1" }],
      ["POST", "/chat", { user_id: "ann", message: "hi", client_id: "c2", policy: "steer" }],
      ["POST", "/stop/ann", { task_id: "t" }],
      ["POST", "/stop/ann", { task_id: "t", agent: "hotel" }],
      ["POST", "/stop/ann", { task_id: "t", pending: "withdraw" }],
      ["PUT", "/pending/ann/t%2F1.0", { message: "by train", revision: 2 }],
      ["DELETE", "/pending/ann/m", undefined],
      ["POST", "/pending/ann/m/now", {}],
      ["POST", "/pending/ann/m/later", {}],
      ["POST", "/answer/ann", { request_id: "r", answer: { origin: "Rome" } }],
      ["GET", "/receipts/ann/t%2F1", undefined],
      ["GET", "/bookings/ann", undefined],
      ["GET", "/airports?codes=BER%2CHND", undefined],
      ["GET", "/land", undefined],
      ["DELETE", "/users/ann", undefined],
    ],
  );
  for (const { body, type } of asked) assert.equal(type, body && "application/json");
});

test("fares are asked for by a query, and kept under its key", async () => {
  const query = { origins: "BER", destinations: "HND,NRT", passengers: 2 };
  await api.askFares(query);
  assert.equal(asked[0].path, `/fares?${api.fareKey(query)}`);
  assert.equal(api.fareKey(query), "origins=BER&destinations=HND%2CNRT&passengers=2");
});

test("refusal carries the server's sentence, its code and what is wrong with each field", async () => {
  const details = [{ field: "origin", message: "is not known" }];
  answers = [failing(422, JSON.stringify({ error: { code: "bad_input", message: "origin: is not known.", details } }))];
  await assert.rejects(api.sendAnswer("ann", { request_id: "r" }), (error) => {
    assert.deepEqual([error.message, error.status, error.code], ["origin: is not known.", 422, "bad_input"]);
    assert.deepEqual(error.details, details);
    return true;
  });
});

test("foreign answers become a sentence and are never shown", async () => {
  answers = [failing(502, "<html>Bad gateway</html>"), failing(500, '{"error": {"details": "trace"}}')];
  await assert.rejects(api.askLand(), { message: "The server answered 502.", code: "", details: [] });
  await assert.rejects(api.askLand(), { message: "The server answered 500.", details: [] });
});

test("server that is not there, and one that is silent, are told apart", async () => {
  answers = [new TypeError("fetch failed"), new DOMException("timed out", "TimeoutError")];
  await assert.rejects(api.askLand(), { message: "The server can’t be reached.", status: 0 });
  await assert.rejects(api.askLand(), { message: "The server did not answer in time.", status: 0 });
});

test("token of a link is traded once, and leaves the address before anything else happens", async () => {
  globalThis.location = new URL("http://127.0.0.1:8000/?trip=ann#token=s3cret&x=1");
  answers = [failing(401, '{"error": {"message": "That is not this server\'s token."}}')];
  const told = [];
  await assert.rejects(api.signInFromLink(async (...asked) => told.push(asked)), { message: "That is not this server's token." });
  assert.deepEqual(shown, ["/?trip=ann"]);
  assert.deepEqual([asked[0].path, asked[0].body], ["/session", { token: "s3cret" }]);
  answers = [new Response(null, { status: 204 })];
  assert.equal(await api.signInFromLink(async () => true), true);
  assert.equal(await api.signInFromLink(async () => false), false);
  assert.deepEqual([told, asked.length], [[["s3cret", null]], 2]);
});

test("signed-out visitor is told what to do, not what a program should send", async () => {
  answers = [failing(401, '{"error": {"message": "Sign in first: send this server\'s token."}}')];
  await assert.rejects(api.sendMessage("ann", "hi", "c1"), (error) => {
    assert.match(error.message, /open the link that the server printed/);
    return error.status === 401;
  });
});

test("address without a token signs nobody in", async () => {
  globalThis.location = new URL("http://127.0.0.1:8000/#message");
  assert.equal(await api.signInFromLink(assert.fail), false);
  assert.deepEqual([asked, shown], [[], []]);
});
