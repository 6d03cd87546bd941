/** Steering with the JavaScript client, against a real server of `tests.steered_graph`, at `DETOUR_URL`. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { conversation, DetourClient, Session } from "../../packages/client/src/index.js";

const CARD = "and use the company card";
let users = 0;

function aClient() {
  users += 1;
  return new DetourClient({ url: process.env.DETOUR_URL, userId: `user${users}` });
}

/** Send the first message; return the question at which its task waits. */
async function begin(client, message = "tools") {
  for await (const frame of client.stream(message)) {
    if (frame.type === "input_request") return frame;
  }
}

/** The frames of the stream of a message that steers, to come; once the server has it, and its id. */
async function steering(client, text = CARD, options = {}) {
  const before = (await client.pending()).pending.length;
  const frames = Array.fromAsync(client.stream(text, { policy: "steer", ...options }));
  while (true) {
    const { pending } = await client.pending();
    if (pending.length > before) return { frames, messageId: pending.at(-1).message_id };
  }
}

/** What a stream told: fates of the message, and what was said. */
function told(frames) {
  return frames.flatMap(({ type, steer, text }) => (type === "steer" ? [steer] : type === "message" ? [text] : []));
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

const goOn = (client, question) => client.answer(question.request_id, { answer: "on" });
const shown = (state) => conversation(state).map(({ text, state }) => [text, state]);
const CARD_OF = (state) => state.messages.find(({ text }) => text === CARD);

test("message is taken in, and its stream has the reply of that run", async () => {
  const client = aClient();
  const question = await begin(client);
  const { frames, messageId } = await steering(client, CARD, { taskId: question.task_id });
  await goOn(client, question);
  const heard = await frames;
  assert.equal(told(heard)[0], "taken_in");
  assert.equal(told(heard).at(-1), `Read: tools | ${CARD}`);
  assert.deepEqual([heard.at(-1).status, heard.at(-1).task_id], ["completed", question.task_id]);
  const { messages } = await client.history();
  assert.equal(messages.find(({ message_id }) => message_id === messageId).steer, "taken_in");
});

test("message that finds no step has the reply of its own task, and no other one", async () => {
  const client = aClient();
  const question = await begin(client, "reply");
  const { frames, messageId } = await steering(client);
  await goOn(client, question);
  const heard = await frames;
  assert.deepEqual(told(heard), ["own_task", `Read: ${CARD}`]);
  assert.equal(`${heard.at(-1).task_id}.0`, messageId);
});

test("message of another task is refused", async () => {
  const client = aClient();
  await begin(client);
  await assert.rejects(client.send(CARD, { policy: "steer", taskId: "another" }), { status: 409, code: "other_task" });
});

test("pending message is edited, withdrawn, left for later and sent now", async () => {
  const client = aClient();
  await begin(client);
  const sent = [];
  for (const text of ["one", "two", "three", "four"]) sent.push(await client.send(text, { policy: "steer" }));
  const [edited, withdrawn, later, now] = sent.map(({ message_id }) => message_id);
  assert.equal((await client.edit(edited, "five", 0)).revision, 1);
  await assert.rejects(client.edit(edited, "six", 0), ({ code, details }) => code === "stale_revision" && details.text === "five");
  assert.equal((await client.withdraw(withdrawn)).steer, "withdrawn");
  assert.equal((await client.later(later)).steer, "own_task");
  assert.deepEqual((await client.pending()).pending.map(({ text }) => text), ["five", "four"]);
  assert.equal((await client.now(now)).steer, "own_task");
  await assert.rejects(client.withdraw(edited), ({ code, details }) => code === "not_pending" && details.steer === "merged");
});

test("stop withdraws what waits if it is to", async () => {
  const client = aClient();
  await begin(client);
  const { frames } = await steering(client);
  assert.equal((await client.stop({ pending: "withdraw" })).reason, "stopped");
  assert.deepEqual(told(await frames), ["withdrawn"]);
});

test("two windows show what waits, and at its place what was taken in; so does one that comes later", async () => {
  const client = aClient();
  const sessions = [new Session(client), new Session(client)];
  const leaving = sessions.map((session) => session.subscribe(() => {}));
  const question = await begin(client);
  assert.equal((await sessions[0].send(CARD, { policy: "steer" })).steer, "pending");
  for (const session of [...sessions, new Session(client)]) {
    const state = await stateOf(session, ({ pending, messages }) => pending.length && messages.length === 3);
    assert.deepEqual(state.pending.map(({ text, revision }) => [text, revision]), [[CARD, 0]]);
    assert.deepEqual(shown(state).at(-1), [CARD, "pending"]);
  }
  await sessions[1].client.edit(sessions[1].getState().pending[0].message_id, "my card", 0);
  await stateOf(sessions[0], ({ pending }) => pending[0]?.text === "my card");
  await goOn(client, question);
  for (const session of [...sessions, new Session(client)]) {
    const state = await stateOf(session, ({ messages }) => messages.at(-1)?.text.startsWith("Read"));
    assert.deepEqual(state.pending, []);
    const said = state.messages.find(({ text }) => text === "my card");
    assert.deepEqual([said.steer, said.task_id], ["taken_in", question.task_id]);
    assert.equal(state.messages.at(-1).text, "Read: tools | my card");
  }
  for (const leave of leaving) leave();
});

test("message withdrawn in one window is gone in the other", async () => {
  const client = aClient();
  const session = new Session(client);
  const leave = session.subscribe(() => {});
  await begin(client);
  await session.send(CARD, { policy: "steer" });
  const { pending } = await stateOf(session, ({ pending }) => pending.length);
  await client.withdraw(pending[0].message_id);
  const state = await stateOf(session, ({ pending }) => !pending.length);
  assert.equal(CARD_OF(state).steer, "withdrawn");
  assert.ok(!shown(state).some(([text]) => text === CARD));
  leave();
});

test("unsent steering message is sent again as steering", async () => {
  const client = aClient();
  const question = await begin(client);
  const session = new Session(client);
  assert.equal(await session.send(CARD, { policy: "steer", priority: 10 }), null);
  const [{ client_id }] = session.getState().outbox;
  const accepted = await session.resend(client_id);
  assert.deepEqual([accepted.steer, accepted.task_id], ["pending", question.task_id]);
});
