import assert from "node:assert/strict";
import { test } from "node:test";

import { initialState, reduce } from "../../frontend/lib/reduce.js";
import { hasSomethingToShow, isActive } from "../../frontend/lib/tasks.js";

const OLD = "task-1";
const NEW = "task-2";
const offer = (offer_id) => ({ offer_id, price_total: { amount: "10.00", currency: "EUR" } });

function run(...events) {
  return events.reduce(reduce, initialState("ann"));
}

/** Number the events of the log 1, 2, 3 in order. */
function numbered(...events) {
  return events.map((event, index) => ({ task_id: OLD, ...event, seq: index + 1 }));
}

const status = (task_id, name, more = {}) => ({ type: "status_update", task_id, status: name, ...more });
const working = (task_id) => ({ type: "agent_update", task_id, agent: "flight", state: "working" });
const found = (task_id, id) => ({ type: "partial_result", task_id, agent: "flight", items: [offer(id)], count: 1 });
const snapshot = (more = {}) => ({
  type: "snapshot",
  seq: 7,
  status: { task_id: OLD, status: "running", agents: { flight: { state: "working" } }, input_requests: [{ request_id: "r0" }] },
  partial_results: { partial_results: { flight: [offer("a")] }, text: "So far" },
  history: [{ message_id: `${OLD}.0`, role: "user", text: "hi", task_id: OLD }],
  ...more,
});

test("snapshot replaces everything that was shown", () => {
  const state = run(...numbered(status("task-0", "running")), snapshot());
  assert.equal(state.task.task_id, OLD);
  assert.equal(state.seq, 7);
  assert.equal(state.task.reply, "So far");
  assert.deepEqual(Object.keys(state.task.agents), ["flight"]);
  assert.equal(state.history.length, 1);
  assert.equal(state.synced, true);
});

test("text of a finished reply is not shown a second time after a snapshot", () => {
  const history = [{ message_id: `${OLD}.1`, role: "assistant", text: "So far", task_id: OLD }];
  assert.equal(run(snapshot({ history })).task.reply, "");
});

test("event that was seen already changes nothing", () => {
  const [first] = numbered({ type: "partial_result", agent: "flight", items: [offer("a")], count: 1 });
  const state = run(snapshot());
  assert.equal(reduce(state, first), state);
});

test("events after a gap wait for the missing ones", () => {
  const [one, two, three] = numbered(
    status(OLD, "running"),
    status(OLD, "input_required"),
    status(OLD, "running"),
  );
  const gap = run(one, three);
  assert.equal(gap.gap, true);
  assert.equal(gap.seq, 1);
  const healed = [two, three].reduce(reduce, gap);
  assert.equal(healed.gap, false);
  assert.equal(healed.seq, 3);
});

test("events of a kind the page does not know still move the position", () => {
  const state = run(...numbered({ type: "something_new" }, status(OLD, "running")));
  assert.deepEqual([state.seq, state.task.status], [2, "running"]);
});

test("late events of an interrupted task do not leak into its successor", () => {
  const state = run(
    ...numbered(
      status(OLD, "running"),
      status(NEW, "running", { partial_results: {} }),
      { type: "partial_result", agent: "flight", items: [offer("late")], count: 1 },
      { type: "agent_update", agent: "flight", state: "interrupted" },
      { type: "text_delta", text: "late", offset: 0 },
      status(OLD, "interrupted", { reason: "superseded" }),
    ),
  );
  assert.equal(state.task.task_id, NEW);
  assert.deepEqual([state.task.partials, state.task.agents, state.task.reply], [{}, {}, ""]);
});

test("task that only queues does not replace the one at work, and does when its turn comes", () => {
  const events = numbered(
    status(OLD, "running"),
    status(NEW, "queued"),
    status(OLD, "completed"),
    status(NEW, "running"),
  );
  assert.equal(run(...events.slice(0, 2)).task.task_id, OLD);
  assert.equal(run(...events).task.task_id, NEW);
});

test("message that queued is shown when it is at work, even if a later one was before it", () => {
  const state = run(
    ...numbered(
      status(OLD, "running"),
      status(NEW, "queued"),
      status("task-3", "running"),
      found("task-3", "c"),
      status(OLD, "interrupted", { reason: "superseded" }),
      status("task-3", "completed"),
      status(NEW, "running"),
      found(NEW, "b"),
      status(NEW, "completed"),
    ),
  );
  assert.deepEqual([state.task.task_id, state.task.status], [NEW, "completed"]);
  assert.deepEqual(state.task.partials.flight.map((item) => item.offer_id), ["b"]);
});

test("small talk beside a search never replaces it, and its results are kept", () => {
  const events = numbered(
    status(OLD, "running"),
    working(OLD),
    found(OLD, "a"),
    status(NEW, "running"),
    { type: "text_delta", task_id: NEW, text: "With pleasure", offset: 0 },
    found(OLD, "b"),
    status(NEW, "completed"),
    found(OLD, "c"),
    status(OLD, "completed"),
    status("task-3", "running"),
    status("task-3", "completed"),
  );
  for (const length of [4, 7, 9, 11]) assert.equal(run(...events.slice(0, length)).task.task_id, OLD);
  assert.equal(isActive(run(...events.slice(0, 8)).task), true);
  const end = run(...events);
  assert.deepEqual(end.task.partials.flight.map((item) => item.offer_id), ["a", "b", "c"]);
  assert.deepEqual(Object.keys(end.tasks), [OLD]);
});

test("small talk right after a message does not hide its agents", () => {
  const state = run(...numbered(status(OLD, "running"), status(NEW, "running"), working(OLD)));
  assert.deepEqual([state.task.task_id, Object.keys(state.task.agents)], [OLD, ["flight"]]);
});

test("small talk alone shows only its answer; a search, a failure and a stop show more", () => {
  const after = (...events) => hasSomethingToShow(run(...numbered(status(OLD, "running"), ...events)).task);
  assert.equal(after(status(OLD, "completed")), false);
  assert.equal(after(working(OLD), status(OLD, "completed")), true);
  assert.equal(after(status(OLD, "failed")), true);
  assert.equal(after(status(OLD, "interrupted", { reason: "stopped" })), true);
});

test("search takes the place of the one it interrupts: when its agents begin, or when the other has ended", () => {
  const interrupted = status(OLD, "interrupted", { reason: "superseded" });
  const before = [status(OLD, "running"), working(OLD), found(OLD, "a"), status(NEW, "running")];
  for (const rest of [[interrupted], [working(NEW)], [working(NEW), interrupted], [interrupted, working(NEW)]]) {
    const state = run(...numbered(...before, ...rest));
    assert.deepEqual([state.task.task_id, state.task.partials], [NEW, {}]);
  }
});

test("search that ends before the one it interrupted stays shown", () => {
  const state = run(
    ...numbered(
      status(OLD, "running"),
      working(OLD),
      status(NEW, "running"),
      working(NEW),
      status(NEW, "completed"),
      status(OLD, "interrupted", { reason: "superseded" }),
    ),
  );
  assert.equal(state.task.task_id, NEW);
});

test("partial results add up and none is shown twice", () => {
  const state = run(
    ...numbered(
      status(OLD, "running"),
      { type: "partial_result", agent: "flight", items: [offer("a"), offer("b")], count: 2 },
      { type: "partial_result", agent: "flight", items: [offer("b"), offer("c")], count: 3 },
      { type: "partial_result", agent: "hotel", items: [offer("a")], count: 1 },
    ),
  );
  assert.deepEqual(state.task.partials.flight.map((item) => item.offer_id), ["a", "b", "c"]);
  assert.equal(state.task.partials.hotel.length, 1);
});

test("interruption leaves what was found on the page", () => {
  const state = run(
    ...numbered(
      status(OLD, "running"),
      { type: "partial_result", agent: "flight", items: [offer("a")], count: 1 },
      status(OLD, "interrupted", { reason: "stopped" }),
    ),
  );
  assert.equal(state.task.partials.flight.length, 1);
  assert.equal(isActive(state.task), false);
});

test("text is placed by its offset, counted in characters and not in halves of them", () => {
  const state = run(
    ...numbered(
      status(OLD, "running"),
      { type: "text_delta", text: "Go ✈️🗼", offset: 0 },
      { type: "text_delta", text: "!", offset: 6 },
      { type: "text_delta", text: "?", offset: 6 },
    ),
  );
  assert.equal(state.task.reply, "Go ✈️🗼?");
});

test("finished message takes the place of the text that was streamed", () => {
  const state = run(
    ...numbered(
      status(OLD, "running"),
      { type: "text_delta", text: "Here", offset: 0 },
      { type: "message", message_id: `${OLD}.1`, role: "assistant", text: "Here you go" },
    ),
  );
  assert.equal(state.task.reply, "");
  assert.equal(state.history[0].text, "Here you go");
});

test("question goes when it is resolved, or when its task ends", () => {
  const asked = numbered(
    status(OLD, "running"),
    { type: "input_request", request_id: "r1", kind: "question" },
    { type: "input_request", request_id: "r2", kind: "permission" },
    { type: "input_resolved", request_id: "r1", outcome: "answered" },
    status(OLD, "interrupted", { reason: "superseded" }),
  );
  assert.deepEqual(run(...asked.slice(0, 4)).requests.map((item) => item.request_id), ["r2"]);
  assert.deepEqual(run(...asked).requests, []);
});

test("reset makes the next connection ask for a snapshot", () => {
  const state = run(snapshot(), { type: "reset", reason: "trimmed" });
  assert.equal(state.synced, false);
});

test("snapshot of a reset brings the epoch of the new log", () => {
  const anew = snapshot({ seq: 0, epoch: "two" });
  const state = run({ type: "hello", epoch: "one" }, snapshot(), { type: "reset" }, anew);
  assert.deepEqual([state.epoch, state.seq], ["two", 0]);
});

test("state is never changed in place", () => {
  const freeze = (value) => {
    if (value && typeof value === "object") Object.values(Object.freeze(value)).forEach(freeze);
    return value;
  };
  const events = [
    snapshot(),
    { type: "page_sending", client_id: "c", text: "t" },
    { ...status(OLD, "running"), seq: 8 },
    { type: "partial_result", task_id: OLD, agent: "flight", items: [offer("z")], count: 2, seq: 9 },
    { type: "message", task_id: OLD, message_id: `${OLD}.0`, role: "user", text: "t", seq: 10 },
  ];
  const end = events.reduce((state, event) => freeze(reduce(state, event)), freeze(initialState("ann")));
  assert.equal(end.seq, 10);
});

const asked = (task_id, kind = "permission") => ({
  type: "input_request",
  task_id,
  request_id: "r1",
  kind,
  prompt: "Shall I book it?",
  facts: { Total: "141.42 EUR" },
});

test("request is open until resolved, then its outcome is shown, for questions and permissions", () => {
  const events = numbered(status(OLD, "running"), asked(OLD));
  assert.deepEqual(run(...events).requests[0].facts, { Total: "141.42 EUR" });
  for (const outcome of ["answered", "allowed", "denied", "withdrawn", "expired"]) {
    const state = run(...numbered(status(OLD, "running"), asked(OLD), { type: "input_resolved", request_id: "r1", outcome }));
    assert.deepEqual(state.requests, []);
    assert.deepEqual(state.resolved.map((item) => [item.task_id, item.outcome]), [[OLD, outcome]]);
  }
});

test("resolved requests are remembered up to a bound", () => {
  const many = Array.from({ length: 20 }, (_, at) => [
    { ...asked(OLD), request_id: `r${at}` },
    { type: "input_resolved", request_id: `r${at}`, outcome: "denied" },
  ]);
  assert.equal(run(...numbered(...many.flat())).resolved.length, 10);
});

test("permission that is open is there after a reload", () => {
  const standing = { ...snapshot().status, input_requests: [{ ...asked(OLD), type: undefined }] };
  const [request] = run(snapshot({ status: standing })).requests;
  assert.deepEqual([request.kind, request.task_id, request.facts.Total], ["permission", OLD, "141.42 EUR"]);
});

test("task knows its calls, and which of them it took over", () => {
  const update = { type: "tool_update", task_id: NEW, call_id: "c1", tool: "search_flights", effect: "read", summary: "" };
  const state = run(
    ...numbered(
      status(OLD, "running"),
      status(NEW, "running"),
      { ...update, state: "running" },
      { type: "context_transfer", task_id: NEW, adopted: ["c1"] },
      { ...update, state: "completed" },
      { ...update, task_id: "long gone" },
    ),
  );
  assert.deepEqual(state.tasks[NEW].calls, {
    c1: { call_id: "c1", tool: "search_flights", state: "completed", effect: "read", summary: "" },
  });
  assert.deepEqual(state.tasks[NEW].transfer.adopted, ["c1"]);
});

test("receipt is kept by its task, an amended one in place of the first", () => {
  const receipt = (outcome) => ({ type: "receipt", task_id: OLD, receipt: { tool_calls: [{ outcome }] } });
  const state = run(...numbered(receipt("unknown"), receipt("completed_after_interrupt")));
  assert.equal(state.receipts[OLD].tool_calls[0].outcome, "completed_after_interrupt");
});
