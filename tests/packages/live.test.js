/** The JavaScript client against a real server, whose address is in `DETOUR_URL`. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { conversation, DetourClient, DetourError, Session, taskToShow } from "../../packages/client/src/index.js";
import { Relay } from "./relay.js";

const URL_OF_SERVER = process.env.DETOUR_URL;
let users = 0;

function aClient(options = {}) {
  users += 1;
  return new DetourClient({ url: URL_OF_SERVER, userId: `user${users}`, ...options });
}

async function all(frames) {
  return Array.fromAsync(frames);
}

/** The frames up to the first that matches; the stream stays open. */
async function until(frames, matches) {
  const heard = [];
  while (true) {
    const { done, value } = await frames.next();
    assert.ok(!done, `the stream ended after ${JSON.stringify(heard)}`);
    heard.push(value);
    if (matches(value)) return heard;
  }
}

/** The state of a session once it is as wanted. */
function stateOf(session, isWanted) {
  return new Promise((resolve) => {
    const look = () => {
      if (!isWanted(session.getState())) return;
      resolve(session.getState());
      setTimeout(leave);
    };
    const leave = session.subscribe(look);
    look();
  });
}

const isA = (type) => (frame) => frame.type === type;

test("stream has the events of its message and ends with its task", async () => {
  const client = aClient();
  const frames = await all(client.stream("find 2"));
  const found = frames.filter(isA("partial_result")).flatMap((frame) => frame.items);
  assert.deepEqual(found, [{ thing: 0 }, { thing: 1 }]);
  assert.equal(frames.at(-1).status, "completed");
  assert.equal(new Set(frames.map((frame) => frame.task_id)).size, 1);
  const { messages } = await client.history();
  assert.deepEqual(messages.map(({ text }) => text), ["find 2", "Done: find 2"]);
});

test("words of a model come as they are said", async () => {
  const frames = await all(aClient().stream("say one two three"));
  const pieces = frames.filter(isA("text_delta"));
  assert.equal(pieces.map(({ text }) => text).join(""), "one two three");
  assert.ok(pieces.every(({ reply }) => reply));
});

test("change of mind ends the stream of the first message with its receipt", async () => {
  const client = aClient();
  const first = client.stream("find 1, hold");
  await until(first, isA("partial_result"));
  const second = await all(client.stream("find 2"));
  const [receipt] = (await all(first)).filter(isA("receipt"));
  assert.equal(receipt.receipt.reason, "superseded");
  assert.equal(receipt.receipt.partial_results.finder, 1);
  assert.equal(second.at(-1).status, "completed");
});

test("stop keeps what was found", async () => {
  const client = aClient();
  const stream = client.stream("find 1, hold");
  await until(stream, isA("partial_result"));
  const receipt = await client.stop();
  assert.equal(receipt.reason, "stopped");
  assert.equal((await all(stream)).at(-1).type, "receipt");
  assert.equal((await client.status()).status, "interrupted");
  const { interrupted } = await client.partialResults();
  assert.deepEqual(interrupted[0].partial_results.finder, [{ thing: 0 }]);
  assert.deepEqual(await client.receipt(receipt.task_id), receipt);
});

test("question is answered, and a second answer is refused", async () => {
  const client = aClient();
  const stream = client.stream("field Where to?");
  const asked = (await until(stream, isA("input_request"))).at(-1);
  assert.equal((await client.answer(asked.request_id, { answer: "Lisbon" })).outcome, "answered");
  assert.equal((await all(stream)).at(-1).status, "completed");
  await assert.rejects(client.answer(asked.request_id, { answer: "Porto" }), { status: 409, code: "answered" });
});

test("events over a cut connection come once", async (context) => {
  const relay = await new Relay(URL_OF_SERVER).start();
  context.after(() => relay.end());
  const client = aClient({ url: relay.url });
  const near = new DetourClient({ url: URL_OF_SERVER, userId: `user${users}` });
  const leaving = new AbortController();
  const events = client.events({ position: { seq: 0, epoch: "" }, signal: leaving.signal });
  const { task_id } = await near.send("find 1, hold");
  const before = await until(events, isA("partial_result"));
  relay.close();
  const broken = await until(events, (frame) => frame.state === "reconnecting");
  await near.stop();
  relay.open();
  const after = await until(events, (frame) => frame.type === "receipt" && frame.task_id === task_id);
  leaving.abort();
  const seqs = [...before, ...broken, ...after].filter((frame) => frame.task_id).map(({ seq }) => seq);
  assert.deepEqual(seqs, seqs.map((_, index) => index + 1));
  assert.ok(after.some((frame) => frame.state === "live"));
});

test("message is sent until it is taken, and taken once", async (context) => {
  const relay = await new Relay(URL_OF_SERVER).start();
  context.after(() => relay.end());
  const client = aClient({ url: relay.url });
  relay.onLoss = () => relay.open();
  relay.close();
  assert.equal((await client.send("hello")).duplicate, false);
  relay.onLoss = () => (relay.losesAnswers = false);
  relay.losesAnswers = true;
  relay.cut();
  assert.equal((await client.send("hello again")).duplicate, true);
  const { messages } = await client.history();
  assert.deepEqual(messages.filter(({ role }) => role === "user").map(({ text }) => text), ["hello", "hello again"]);
});

test("page that is loaded again in the middle of a task knows where it stands", async () => {
  const client = aClient();
  const stream = client.stream("find 2, field Where to?");
  await until(stream, isA("input_request"));
  const session = new Session(client);
  const state = await stateOf(session, ({ synced }) => synced);
  assert.equal(taskToShow(state.tasks).status, "input_required");
  assert.deepEqual(taskToShow(state.tasks).results.finder, [{ thing: 0 }, { thing: 1 }]);
  assert.deepEqual(state.requests.map(({ prompt }) => prompt), ["Where to?"]);
  await client.answer(state.requests[0].request_id, { answer: "Lisbon" });
  const after = await stateOf(session, ({ messages }) => messages.at(-1)?.text.startsWith("Done"));
  assert.deepEqual(after.requests, []);
  await all(stream);
});

test("task that only waits for its user is known to rest, also by who comes later", async () => {
  const client = aClient();
  const session = new Session(client);
  const leave = session.subscribe(() => {});
  await session.send("field Where to?");
  const resting = ({ tasks }) => taskToShow(tasks)?.isResting;
  const { requests } = await stateOf(session, resting);
  await stateOf(new Session(client), resting);
  await client.answer(requests[0].request_id, { answer: "Lisbon" });
  const after = await stateOf(session, ({ messages }) => messages.at(-1)?.text.startsWith("Done"));
  assert.equal(resting(after), false);
  leave();
});

test("two clients of one user know the same", async () => {
  const client = aClient();
  const sessions = [new Session(client), new Session(client)];
  await all(client.stream("find 1"));
  const { seq } = await client.status();
  const [one, other] = await Promise.all(sessions.map((session) => stateOf(session, (state) => state.seq >= seq)));
  assert.deepEqual(one, other);
  assert.deepEqual(conversation(one).map(({ text }) => text), ["find 1", "Done: find 1"]);
});

test("sent message is shown at once, once", async () => {
  const session = new Session(aClient());
  await stateOf(session, ({ synced }) => synced);
  const leave = session.subscribe(() => {});
  const sending = session.send("find 1");
  assert.deepEqual(conversation(session.getState()).map(({ text, state }) => [text, state]), [["find 1", "sending"]]);
  await sending;
  const state = await stateOf(session, ({ messages }) => messages.length === 2);
  leave();
  assert.deepEqual(conversation(state).map(({ text, state }) => [text, state]), [
    ["find 1", "listed"],
    ["Done: find 1", "listed"],
  ]);
});

test("refused message says why, and can be sent again", async () => {
  const session = new Session(aClient());
  assert.equal(await session.send("hold", { priority: 10 }), null);
  const [{ state, error, client_id }] = session.getState().outbox;
  assert.equal(state, "unsent");
  assert.match(error, /priority/);
  const accepted = await session.resend(client_id);
  assert.equal(accepted.duplicate, false);
  assert.deepEqual(session.getState().outbox.map(({ state }) => state), ["accepted"]);
  await session.client.stop();
});

test("user id that is none is refused for good", async () => {
  const client = new DetourClient({ url: URL_OF_SERVER, userId: "no such user" });
  await assert.rejects(client.events().next(), (error) => error instanceof DetourError && error.status === 422);
  const state = await stateOf(new Session(client), ({ connection }) => connection === "refused");
  assert.equal(state.error.code, "bad_input");
});

test("user is forgotten, and the session begins anew", async () => {
  const client = aClient();
  await all(client.stream("hello"));
  const session = new Session(client);
  const leave = session.subscribe(() => {});
  await stateOf(session, ({ messages }) => messages.length === 2);
  await client.forget();
  await stateOf(session, ({ synced, messages }) => synced && messages.length === 0);
  leave();
});

test("session that begins after a call shows it as the one that saw it", async () => {
  const client = aClient();
  const seen = new Session(client);
  const asked = stateOf(seen, ({ requests }) => requests.length > 0);
  await seen.send("order tea");
  const ended = stateOf(seen, ({ messages }) => messages.at(-1)?.text === "tea is ordered");
  await client.decide((await asked).requests[0].request_id, "allow");
  const [call] = taskToShow((await ended).tasks).toolCalls;
  const { name, state, arguments: given, result } = call;
  assert.deepEqual({ name, state, given, result }, { name: "order", state: "completed", given: { thing: "tea" }, result: "tea is ordered" });
  const later = await stateOf(new Session(client), ({ tasks }) => taskToShow(tasks)?.toolCalls.length);
  assert.deepEqual(taskToShow(later.tasks).toolCalls, [call]);
});
