/**
 * What a screen reader is told beside the conversation, which it reads by itself: whole sentences, from what changed
 * between two states. `said` can wait and is replaced by newer news of the same subject; `urgent` can't wait.
 */

import { agentName } from "./agents.js";
import { counted } from "./english.js";
import { FACE } from "./face.js";
import { spoken } from "./money.js";
import { cheapest } from "./offers.js";
import { isActive } from "./tasks.js";
import { linkWords } from "./words.js";

/**
 * @typedef {import("./reduce.js").State} State
 * @typedef {import("./types.js").Task} Task
 * @typedef {{said: Map<string, string>, urgent: string[]}} News
 */

/** @type {Object<string, string>} */
const END_WORDS = {
  taken_in: "Taken in",
  merged: "Sent with your newer message",
  own_task: "Became a message of its own",
};
const WITHDRAWN = "Withdrawn";

/**
 * @param {State} before
 * @param {State} after
 * @returns {News}
 */
export function newsOf(before, after) {
  /** @type {News} */
  const news = { said: new Map(), urgent: [] };
  if (after.userId !== before.userId || !before.synced) return news;
  ofConnection(news, before, after);
  ofRequests(news, before, after);
  ofOutbox(news, before, after);
  ofPending(news, before, after);
  if (after.notice && after.notice !== before.notice) news.urgent.push(after.notice);
  for (const task of Object.values(after.tasks)) ofTask(news, before.tasks[task.task_id], task);
  return news;
}

/** @param {News} news @param {State} before @param {State} after */
function ofConnection({ said, urgent }, before, after) {
  if (after.connection === before.connection) return;
  if (after.connection === "signed_out" || after.connection === "refused") urgent.push(linkWords(after.connection));
  else said.set("connection", after.connection === "live" ? "Connected again." : linkWords(after.connection));
}

/** @param {News} news @param {State} before @param {State} after */
function ofRequests({ said, urgent }, before, after) {
  const known = new Set(before.requests.map((request) => request.request_id));
  for (const { request_id, kind, prompt } of after.requests) {
    if (known.has(request_id)) continue;
    if (kind === "permission") urgent.push(`${FACE.title} asks for your permission: ${prompt} Press Alt+Q to go to it.`);
    else said.set("question", `${FACE.title} has a question: ${prompt} Press Alt+Q to go to it.`);
  }
}

/** @param {News} news @param {State} before @param {State} after */
function ofOutbox({ said, urgent }, before, after) {
  for (const { client_id, state, error } of after.outbox) {
    const was = before.outbox.find((item) => item.client_id === client_id)?.state;
    if (state === "unsent" && was !== "unsent") urgent.push(`Your message was not sent. ${error}`);
    if (state === "waiting" && was !== "waiting") said.set("outbox", "Your message waits for the server.");
  }
}

/** What was sent while a task runs: that it waits, and what becomes of it. @param {News} news @param {State} before @param {State} after */
function ofPending({ said }, before, after) {
  for (const { message_id, text, revision } of after.pending) {
    const had = before.pending.find((item) => item.message_id === message_id);
    if (!had) said.set(`steer ${message_id}`, `Waits to be taken in: ${text}`);
    else if (had.revision !== revision) said.set(`steer ${message_id}`, `Edited, and waits to be taken in: ${text}`);
  }
  for (const { message_id, text } of before.pending) {
    if (after.pending.some((item) => item.message_id === message_id)) continue;
    const message = after.history.find((item) => item.message_id === message_id);
    said.set(`steer ${message_id}`, `${message ? END_WORDS[message.steer ?? "own_task"] : WITHDRAWN}: ${message?.text ?? text}`);
  }
}

/** @param {News} news @param {Task | undefined} before @param {Task} after */
function ofTask({ said, urgent }, before, after) {
  if (after.status === "running" && !before) said.set("task", `${FACE.title} is working on it.`);
  for (const [name, agent] of Object.entries(after.agents)) {
    const had = before?.agents[name];
    if (agent.state === "failed" && had?.state !== "failed") {
      urgent.push(`${agentName(name)}: failed. ${agent.detail}`.trim());
    } else if (agent.count && (agent.count !== had?.count || agent.state !== had?.state)) {
      const sentence = resultSentence(name, after);
      if (sentence) said.set(name, sentence);
    }
  }
  if (before?.status === after.status) return;
  if (after.status === "failed") urgent.push(`${FACE.title} could not finish this.`);
  if (after.status === "interrupted" && after.reason === "stopped") {
    said.set("task", "Stopped. What was found is kept.");
  }
}

/** "Flights: 23 results so far, cheapest 612 euros." @param {string} name @param {Task} task */
function resultSentence(name, task) {
  const { state, count } = task.agents[name] ?? { state: "waiting", count: 0 };
  if (!isActive(task) || (state !== "working" && state !== "done")) return "";
  const least = cheapest(task.partials[name] ?? []);
  const price = least ? `, cheapest ${spoken(least)}` : "";
  return `${agentName(name)}: ${counted(count, "result")}${state === "done" ? ", done" : " so far"}${price}.`;
}
