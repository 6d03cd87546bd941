/** The recorded logs, and what a server that has told the first part of one would say to a client who comes then. */

import { readdirSync, readFileSync } from "node:fs";

const LOGS = new URL("logs/", import.meta.url);
const ENDED = new Set(["completed", "failed", "interrupted"]);

/** Each log by name: its events in order, and the snapshots that the server gave at points between them. */
export const recorded = new Map(
  readdirSync(LOGS).map((file) => {
    const lines = readFileSync(new URL(file, LOGS), "utf8").trim().split("\n");
    const frames = lines.map((line) => JSON.parse(line));
    const snapshots = frames.filter((frame) => frame.type === "snapshot");
    return [file.replace(".jsonl", ""), { events: frames.filter((frame) => frame.type !== "snapshot"), snapshots }];
  }),
);

/** The snapshot behind the first `count` events of a log, made by other means than the page's own. */
export function snapshotAt(events, count) {
  const told = events.slice(0, count);
  const seq = told.at(-1)?.seq ?? 0;
  const ids = [...new Set(told.filter((event) => event.type === "status_update").map((event) => event.task_id))];
  const tasks = ids.map((id) => taskAt(told.filter((event) => event.task_id === id)));
  const task = latest(tasks.filter((each) => !isAside(events, each.task_id)));
  const { history, pending } = conversationAt(told);
  const frame = { type: "snapshot", seq, epoch: "e", status: null, partial_results: null, history };
  if (!task) return frame;
  const { partial_results, text, input_requests, ...standing } = task;
  const queued = tasks.filter((each) => each.status === "queued").map((each) => each.task_id);
  const interrupted = tasks.filter((each) => each.status === "interrupted").toReversed().slice(0, 5).map(left);
  return {
    ...frame,
    status: { ...standing, input_requests, queued, ...(pending.length ? { pending } : {}) },
    partial_results: { partial_results, text, interrupted },
  };
}

/** The messages as they are listed, and those that wait to be taken in. */
function conversationAt(events) {
  const messages = new Map();
  const pending = new Map();
  for (const event of events) {
    const { message_id, steer, text, task_id, at, revision } = event;
    if (event.type === "message") messages.set(message_id, listed(event));
    if (event.type === "message" && steer === "pending") pending.set(message_id, { message_id, text, revision: 0, at });
    if (event.type !== "steer") continue;
    const { steer: _was, ...message } = messages.get(message_id);
    if (steer === "pending") pending.set(message_id, { ...pending.get(message_id), text, revision });
    else pending.delete(message_id);
    const more = steer === "own_task" ? {} : { steer, ...(steer === "taken_in" ? { taken_in_at: at } : {}) };
    messages.set(message_id, { ...message, text, ...(steer === "pending" ? {} : { task_id }), ...more });
  }
  const turns = [...messages.values()].map((message) => [turnOf(message, messages), message]);
  const history = turns.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, message]) => message);
  return { history, pending: [...pending.values()] };
}

/** A message of a run is listed behind all that came into it. */
function turnOf({ message_id, task_id }, messages) {
  const [id, place] = message_id.split(".");
  const into = [...messages.values()].filter((each) => each.task_id === task_id && /taken_in|merged/.test(each.steer));
  const turn = place === "0" ? id : [task_id, ...into.map((each) => each.message_id.split(".")[0])].sort().at(-1);
  return `${turn} ${place.padStart(4, "0")}`;
}

function latest(tasks) {
  const atWork = tasks.filter((task) => !ENDED.has(task.status) && task.status !== "queued");
  const superseded = (task) => task.reason === "superseded";
  const ended = tasks.filter((task) => ENDED.has(task.status));
  ended.sort((one, other) => superseded(other) - superseded(one));
  return atWork.at(-1) ?? ended.at(-1) ?? tasks.at(-1);
}

function isAside(events, taskId) {
  return !events.some((event) => event.task_id === taskId && event.type === "agent_update");
}

function taskAt(events) {
  const stands = events.filter((event) => event.type === "status_update");
  const { task_id, status, reason, message, at: updated_at } = stands.at(-1);
  const agents = {};
  const partial_results = {};
  const requests = new Map();
  for (const event of events) {
    if (event.type === "agent_update") {
      const { agent, state, detail, done, total, count, since, until, request } = event;
      const found = request ?? agents[agent]?.request;
      agents[agent] = { state, detail, done, total, count, since, until, ...(found ? { request: found } : {}) };
    }
    if (event.type === "partial_result") (partial_results[event.agent] ??= []).push(...event.items);
    if (event.type === "input_request") requests.set(event.request_id, asked(event));
    if (event.type === "input_resolved") requests.delete(event.request_id);
  }
  const input_requests = [...requests.values()];
  const text = "";
  const created_at = (events.find((event) => event.message_id === `${task_id}.0`) ?? stands[0]).at;
  return { task_id, status, reason, message, created_at, updated_at, agents, partial_results, input_requests, text };
}

function asked({ seq: _seq, type: _type, task_id: _task, at: _at, ...request }) {
  return request;
}

function left({ task_id, message, reason, updated_at: at, partial_results, text }) {
  return { task_id, message, reason, at, partial_results, text };
}

function listed({ message_id, role, text, task_id, at, interrupted, client_id, steer }) {
  return { message_id, role, text, task_id, at, interrupted, client_id, ...(steer ? { steer } : {}) };
}
