/**
 * The operator's page: asks what runs while somebody looks, and does what its buttons say.
 *
 * It asks every two seconds rather than follow a stream: nothing is kept for it at the server, and a page that is
 * hidden asks nothing.
 */

import "./components/operate-components.js";
import { call, post } from "./lib/api.js";
import { FACE } from "./lib/face.js";
import { beginSignIn } from "./lib/link-token.js";
import { hashOf, INITIAL, mayChange, openedIn, reduce } from "./lib/operating.js";
import { dropSession, leaveSession, offerSessions, signIn } from "./lib/sign-in.js";

/**
 * @typedef {import("./lib/api.js").ApiError} ApiError
 * @typedef {import("./lib/operating.js").Opened} Opened
 * @typedef {import("./lib/operating.js").OperateEvent} OperateEvent
 * @typedef {import("./lib/component.js").Component<import("./lib/operating.js").State>} Part
 *
 * What the user wants: a component tells it as the detail of an event `operate`.
 *
 * @typedef {{want: "open", opened: Opened} | {want: "close"} | {want: "stop", opened: Opened}
 *   | {want: "drain"} | {want: "serve"}} Wish
 */

const ASK_EVERY_MS = 2_000;

let state = INITIAL;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let next;
/** Counts the rounds of questions, so that of two at once only the later one goes on. */
let round = 0;

/** @param {OperateEvent} event */
function dispatch(event) {
  state = reduce(state, event);
  for (const part of document.querySelectorAll("[data-part]")) /** @type {Part} */ (part).data = state;
  document.body.toggleAttribute("data-opened", state.opened !== null);
}

/** @param {string} id */
function named(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** @param {string} text */
function trouble(text) {
  const node = named("trouble");
  if (node.textContent !== text) node.textContent = text;
}

/** Show where one signs in, while nobody is and the server knows where. @param {boolean} shown */
function wayIn(shown) {
  named("way-in").hidden = !shown || !FACE.signIn.startsWith("http");
}

/** Ask what there is to see, now and again and again, while the page is seen. */
async function look() {
  clearTimeout(next);
  if (document.hidden) return;
  const own = ++round;
  try {
    dispatch({ type: "running", running: await call("/operate/tasks") });
    if (mayChange(state)) await lookAtTask();
    trouble("");
    wayIn(false);
  } catch (error) {
    const { status, message } = /** @type {ApiError} */ (error);
    if (status === 401 && state.running) return dropSession();
    if (status === 401 || status === 403) dispatch({ type: "refused" });
    wayIn(status === 401);
    trouble(message);
  }
  if (own === round) next = setTimeout(look, ASK_EVERY_MS);
}

async function lookAtTask() {
  const opened = /** @type {Opened} */ (state.opened);
  try {
    dispatch({ type: "timeline", timeline: await call(pathOf(opened)) });
  } catch (error) {
    const { status, message } = /** @type {ApiError} */ (error);
    if (status !== 404 && status !== 422) throw error;
    dispatch({ type: "unknown", taskId: opened.taskId, error: message });
  }
}

/**
 * @param {Opened} opened
 * @param {string} [act]
 */
function pathOf({ userId, taskId }, act = "") {
  return `/operate/tasks/${encodeURIComponent(taskId)}${act}?user_id=${encodeURIComponent(userId)}`;
}

/**
 * Ask whether somebody is sure, then do it, and look what came of it.
 *
 * @param {{title: string, text: string, yes: string}} question
 * @param {() => Promise<string>} act returns what to tell once it is done
 */
async function ifSure({ title, text, yes }, act) {
  const dialog = /** @type {HTMLDialogElement} */ (named("sure"));
  named("sure-title").textContent = title;
  named("sure-text").textContent = text;
  named("sure-yes").textContent = yes;
  dialog.returnValue = "no";
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  if (dialog.returnValue === "yes") await andTell(act);
}

/** @param {() => Promise<string>} act */
async function andTell(act) {
  try {
    named("told").textContent = await act();
    await look();
  } catch (error) {
    trouble(/** @type {ApiError} */ (error).message);
  }
}

/** @param {Opened} opened */
async function stop(opened) {
  const { taskId } = opened;
  // The button goes away with the task's ending, and would take the focus with it.
  /** @type {HTMLElement} */ (document.querySelector("#task h2")).focus();
  dispatch({ type: "stopping", taskId });
  try {
    const { status } = await post(pathOf(opened, "/stop"), {});
    return status === "cancelling" ? "The task ends once its writes are done." : `The task is ${status}.`;
  } catch (error) {
    dispatch({ type: "not_stopped", taskId });
    throw error;
  }
}

/** @param {string} path */
async function turn(path) {
  const { serving } = await post(path, {});
  dispatch({ type: "serving", serving });
  return serving === "draining" ? "This server is draining." : "This server serves again.";
}

/** Show the task that the address names. */
function follow() {
  dispatch({ type: "opened", opened: openedIn(location.hash) });
  look();
}

/** @param {Opened | null} opened */
function open(opened) {
  const before = state.opened;
  history.pushState(null, "", hashOf(opened) || location.pathname);
  follow();
  const to = opened ? "#task h2" : `[data-key="${CSS.escape(before?.taskId ?? "")}"] .open`;
  /** @type {HTMLElement} */ (document.querySelector(to) ?? named("tasks")).focus();
}

document.addEventListener("operate", (event) => {
  const wish = /** @type {Wish} */ (/** @type {CustomEvent} */ (event).detail);
  switch (wish.want) {
    case "open":
      return open(wish.opened);
    case "close":
      return open(null);
    case "stop": {
      const text = "Its results are kept, and its user sees that it was stopped. A booking that has begun still finishes.";
      return ifSure({ title: `Stop this task of ${wish.opened.userId}?`, text, yes: "Stop the task" }, () => stop(wish.opened));
    }
    case "drain": {
      const text = "It starts no new work, and the load balancer sends it no more requests. Running tasks finish.";
      return ifSure({ title: "Drain this server?", text, yes: "Drain" }, () => turn("/operate/drain"));
    }
    case "serve":
      return andTell(() => turn("/operate/serve"));
  }
});
document.addEventListener("visibilitychange", look);
addEventListener("popstate", follow);

named("way-in").addEventListener("click", ({ target }) => Object.assign(/** @type {object} */ (target), { href: beginSignIn(FACE.signIn) }));
document.addEventListener("signOut", () => leaveSession(trouble));

addEventListener("hashchange", () => arrive(false));

/** Sign in if the address says with what, and show what there is to see. @param {boolean} isNew */
async function arrive(isNew) {
  const isSignedIn = await signIn(trouble);
  if (!isNew && !isSignedIn) return;
  follow();
  await offerSessions();
}

await arrive(true);
