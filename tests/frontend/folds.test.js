import assert from "node:assert/strict";
import { test } from "node:test";

import { foldAccount, foldTitle } from "../../frontend/lib/folds.js";

const marker = {
  message_id: "t1.1",
  role: "system",
  text: "Interrupted by a newer message after 1.4 s. Kept so far: 12 flight results.",
  task_id: "t1",
  at: "2026-11-20T20:00:00Z",
  interrupted: false,
};

function receipt(more = {}) {
  return {
    task_id: "t1",
    reason: "superseded",
    text_kept: 0,
    partial_results: { flight: 12, hotel: 0 },
    input_request: null,
    tool_calls: [],
    ...more,
  };
}

function call(tool, outcome, effect = "read") {
  return { call_id: `${tool}-${outcome}`, tool, effect, outcome, summary: "" };
}

test("interruption is one line: how long it ran, what is kept, and what goes on", () => {
  const tool_calls = [call("search_flights", "cancelled"), call("search_hotels", "adopted")];
  const title = foldTitle({ marker, receipt: receipt({ tool_calls }), left: undefined });
  assert.equal(title, "Interrupted after 1.4 s: kept 12 flights; hotel search goes on");
});

test("continuation without a cut is not called an interruption", () => {
  const title = (...outcomes) => {
    const tool_calls = outcomes.map((outcome) => call("search_flights", outcome));
    return foldTitle({ marker, receipt: receipt({ tool_calls }), left: undefined });
  };
  assert.equal(title("adopted"), "Your search goes on: kept 12 flights");
  assert.match(title("completed", "adopted"), /^Your search goes on/);
  assert.match(title("completed"), /^Interrupted after/);
  assert.match(title("cancelled", "adopted"), /^Interrupted after/);
});

test("message after a question replaces it, and is told as no interruption", () => {
  const input_request = { kind: "question" };
  const title = (more) => foldTitle({ marker, receipt: receipt({ input_request, ...more }), left: undefined });
  assert.equal(title({ partial_results: {} }), "Question replaced by your message");
  const tool_calls = [call("search_flights", "completed"), call("book_flight", "not_started", "write")];
  assert.equal(title({ tool_calls }), "Question replaced by your message: kept 12 flights; nothing was booked");
  assert.match(title({ tool_calls: [call("search_hotels", "cancelled")] }), /^Interrupted after 1.4 s: .*; a question was withdrawn$/);
  assert.match(title({ reason: "stopped" }), /^Stopped after/);
});

test("fold uses the server's summary before the receipt arrives", () => {
  const left = { reason: "stopped", partials: { flight: [{}, {}], hotel: [{}] } };
  const stopped = { ...marker, text: "Stopped by the user after 12.0 s. Kept so far: 2 flight results, 1 hotel result." };
  assert.equal(foldTitle({ marker: stopped, receipt: undefined, left }), "Stopped after 12.0 s: kept 2 flights and 1 hotel");
});

test("task that an operator stopped is not said to have been stopped by its user", () => {
  const stopped = { ...marker, text: "Stopped by an operator after 2.0 s. Nothing had been found yet." };
  const told = receipt({ reason: "stopped", stopped_by: "operator" });
  assert.match(foldTitle({ marker: stopped, receipt: told, left: undefined }), /^Stopped by an operator after 2.0 s: /);
});

test("fold is the marker itself if nothing else is known", () => {
  assert.equal(foldTitle({ marker, receipt: undefined, left: undefined }), marker.text);
});

test("reasons have their own words, and a length only where the marker has one", () => {
  const reasons = ["superseded", "stopped", "timed_out", "shutdown", "lost"];
  const lost = { ...marker, text: "Interrupted by a failure of the server. Nothing had been found yet." };
  const titles = reasons.map((reason) => foldTitle({ marker: lost, receipt: receipt({ reason }), left: undefined }));
  assert.equal(new Set(titles).size, reasons.length);
  for (const title of titles) assert.doesNotMatch(title, /after/);
});

test("write that was cut short in the middle is never told as not done", () => {
  const tool_calls = [call("weather", "cancelled", "write")];
  const title = foldTitle({ marker, receipt: receipt({ tool_calls }), left: undefined });
  assert.match(title, /; “Weather” was cut short and may have had an effect$/);
});

test("write that could not be taken back is in the line", () => {
  for (const [outcome, words] of [
    ["completed_after_interrupt", /; the flight is booked all the same$/],
    ["unknown", /; not known yet whether the flight is booked$/],
    ["completed", /; the flight is booked$/],
  ]) {
    const tool_calls = [call("book_flight", outcome, "write")];
    assert.match(foldTitle({ marker, receipt: receipt({ tool_calls }), left: undefined }), words);
  }
});

test("write that was not made is in the line, instead of the question that asked for it", () => {
  const titleOf = (outcome, input_request) => {
    const tool_calls = [call("book_hotel", outcome, "write")];
    return foldTitle({ marker, receipt: receipt({ tool_calls, input_request }), left: undefined });
  };
  const title = "Interrupted after 1.4 s: kept 12 flights; nothing was booked";
  assert.equal(titleOf("not_started", "withdrawn"), "Question replaced by your message: kept 12 flights; nothing was booked");
  assert.equal(titleOf("denied", null), title);
  assert.equal(titleOf("failed", null), title);
});

test("write of a tool that is not known is told by its name", () => {
  const tool_calls = [call("wire_money", "completed", "write")];
  assert.match(foldTitle({ marker, receipt: receipt({ tool_calls }), left: undefined }), /; “Wire money” is done$/);
});

test("fold says that nothing was found, and that a question was withdrawn", () => {
  const title = foldTitle({ marker, receipt: receipt({ partial_results: {}, input_request: "withdrawn", reason: "stopped" }), left: undefined });
  assert.equal(title, "Stopped after 1.4 s: nothing had been found; a question was withdrawn");
});

test("open fold has a line per call, and says when an unknown outcome was settled", () => {
  const tool_calls = [call("search_flights", "cancelled"), call("book_flight", "completed", "write")];
  const { calls, notes } = foldAccount({
    marker,
    receipt: receipt({ tool_calls, amended_at: "2026-11-20T18:00:00Z" }),
    left: undefined,
  });
  assert.deepEqual(
    calls.map(({ name }) => name),
    ["Flight search", "Booking the flight"],
  );
  assert.match(notes.join(" "), /What was unknown then was settled at/);
});

test("open fold shows the marker before the receipt arrives", () => {
  assert.deepEqual(foldAccount({ marker, receipt: undefined, left: undefined }), { calls: [], notes: [marker.text] });
});
