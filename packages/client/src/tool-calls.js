/** The tool calls of a task, in order: from the first piece that a model asks for to what each came to. */

/**
 * @typedef {import("../index.js").ToolCall} ToolCall
 * @typedef {Pick<ToolCall, "call_id" | "tool_call_id">} Ids
 */

/** Whether a call has not ended. @param {Pick<ToolCall, "state">} call */
export function isOpenCall({ state }) {
  return state === "asking" || state === "waiting" || state === "running";
}

/**
 * @param {ToolCall[]} calls
 * @param {import("../types.js").ToolCallAsked} frame
 */
export function withAsked(calls, { message_id, tool_call_id, tool, arguments: piece, offset, whole }) {
  const id = `${message_id} ${tool_call_id}`;
  const had = calls.find((call) => call.id === id);
  if (had?.call_id) return calls;
  const before = had?.argumentsText ?? "";
  // Of a call whose beginning was not heard the arguments are told once it is made.
  const text = before || offset === 0 ? before + piece : "";
  const told = { argumentsText: text, arguments: (whole && parsed(text)) || null };
  return put(calls, { id, call_id: "", tool_call_id, name: tool, summary: "", ...had, ...told, state: whole ? "waiting" : "asking" });
}

/**
 * @param {ToolCall[]} calls
 * @param {import("../types.js").ToolUpdate} frame
 */
export function withUpdate(calls, frame) {
  return put(calls, made(found(calls, frame), frame));
}

/**
 * With the answer to a call that no tool of the server made: the graph did it in a way of its own.
 *
 * @param {ToolCall[]} calls
 * @param {import("../types.js").GraphMessage} frame
 */
export function withAnswer(calls, { role, tool_call_id, status, text = "" }) {
  const call = role === "tool" && calls.findLast((each) => each.tool_call_id === tool_call_id);
  if (!call || call.call_id) return calls;
  return put(calls, { ...call, state: status === "error" ? "failed" : "completed", result: text });
}

/** As they stand once their task has ended: what was only asked for is not done any more. @param {ToolCall[]} calls */
export function atEnd(calls) {
  const isLeft = (/** @type {ToolCall} */ call) => !call.call_id && isOpenCall(call);
  return calls.some(isLeft) ? calls.map((call) => (isLeft(call) ? { ...call, state: /** @type {const} */ ("not_started") } : call)) : calls;
}

/** With outcomes that were known only after the end. @param {ToolCall[]} calls @param {import("../types.js").ReceiptAnswer} receipt */
export function withOutcomes(calls, { tool_calls }) {
  return calls.map((call) => {
    const told = tool_calls.find(({ call_id }) => call_id === call.call_id);
    return told && told.outcome !== call.state ? { ...call, state: told.outcome, summary: told.summary } : call;
  });
}

/**
 * With what the server keeps of them.
 *
 * @param {ToolCall[]} calls
 * @param {import("../types.js").CallView[]} kept
 */
export function withKept(calls, kept) {
  return kept.reduce((all, { result, ...call }) => {
    const had = found(all, call);
    // What was read before a call ended may come after the news of its end.
    const isOlder = had && !isOpenCall(had) && call.ended_at === null;
    return isOlder ? all : put(all, made(had, result === null ? call : { ...call, result }));
  }, calls);
}

/**
 * A call that is made, from what was known of it and what is told now.
 *
 * @param {ToolCall | undefined} had
 * @param {Ids & Pick<import("../types.js").ToolUpdate, "tool" | "state" | "effect" | "summary" | "kind" | "arguments" | "result">} told
 * @returns {ToolCall}
 */
function made(had, { call_id, tool_call_id, tool, state, effect, summary, kind, ...told }) {
  const given = told.arguments ?? had?.arguments ?? null;
  return {
    id: call_id,
    argumentsText: given ? JSON.stringify(given) : "",
    ...had,
    call_id,
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
    name: tool,
    state,
    effect,
    summary,
    arguments: given,
    ...("result" in told ? { result: told.result } : {}),
    ...(kind === undefined ? {} : { kind }),
  };
}

/**
 * By its own id, else the first that its model has asked for under that id and that is not made yet: a model may name all its
 * calls alike.
 *
 * @param {ToolCall[]} calls
 * @param {Ids} ids
 */
function found(calls, { call_id, tool_call_id }) {
  const isAsked = (/** @type {ToolCall} */ each) => !each.call_id && each.tool_call_id === tool_call_id;
  return calls.find((each) => each.call_id === call_id) ?? calls.find(isAsked);
}

/** @param {ToolCall[]} calls @param {ToolCall} call */
function put(calls, call) {
  const place = calls.findIndex(({ id }) => id === call.id);
  return place < 0 ? [...calls, call] : calls.with(place, call);
}

/** @param {string} text @returns {Record<string, unknown> | null} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
