/** Wires the page together: the state, the components that show it, the connection, and what the user does. */

import {
  askAirports,
  askBookings,
  askCalls,
  askFares,
  askKept,
  askKeptOffers,
  askLand,
  askReceipt,
  askStates,
  editPending,
  fareKey,
  forgetUser,
  sendAnswer,
  sendMessage,
  settlePending,
  stopTask,
} from "./lib/api.js";
import { comesAfter, stepBefore } from "./lib/branches.js";
import { setClock } from "./lib/expiry.js";
import { Connection } from "./lib/connection.js";
import { Drawing } from "./lib/drawing.js";
import { choosePolicy, chosenPolicy, POLICY_KEY } from "./lib/policies.js";
import { FACE } from "./lib/face.js";
import { randomId } from "./lib/storage.js";
import { tripName } from "./lib/facts.js";
import { initialState, reduce } from "./lib/reduce.js";
import { keepOverReload, stateAfterReload } from "./lib/reload.js";
import { dropSession, leaveSession, listOwnTrips, signIn } from "./lib/sign-in.js";
import { isActive } from "./lib/tasks.js";
import { titleWords } from "./lib/progress.js";
import { Waiting } from "./lib/waiting.js";
import {
  allTrips,
  currentTrip,
  forgetTrip,
  isKept,
  isTripInAddress,
  KEY,
  nameTrip,
  newTripId,
  openTrip,
  suggestName,
} from "./lib/trips.js";

/**
 * @typedef {import("./lib/types.js").Actions} Actions
 * @typedef {import("./lib/api.js").ApiError} ApiError
 * @typedef {import("./lib/reduce.js").PageEvent} PageEvent
 * @typedef {{policy?: import("./lib/policies.js").Policy, from?: string}} How what a message does to the task that runs, and
 *   which step it goes back to
 * @typedef {import("./lib/component.js").Component<import("./lib/reduce.js").State>} Part
 */

/** Whether somebody came to the page and not to a trip of it. */
const isUnaddressed = !isTripInAddress();
let state = withOwn(stateAfterReload(currentTrip()));
/** @type {Connection | null} */
let connection = null;
const drawing = new Drawing(draw);
/** The number of the last event that happened before the line was opened. */
let missed = 0;
/** What is sent once the server is back. */
const waiting = new Waiting({
  next: () => state.outbox.find((item) => item.state === "waiting"),
  deliver: ({ text, client_id, ...how }) => deliver(text, client_id, how),
  isLive: () => state.connection === "live",
});
/** Settled once the page is signed in, where it can be: what is sent before that would be refused. @type {Promise<boolean>} */
let signedIn = Promise.resolve(false);
/** What was asked for already in this visit, so that no component asks in vain over and over. */
let asked = new Set();

/** @param {string} userId */
function visited(userId) {
  return withOwn(initialState(userId));
}

/** The state with what this browser knows. @param {import("./lib/reduce.js").State} known */
function withOwn(known) {
  return { ...known, trips: allTrips(), policy: { ...known.policy, chosen: chosenPolicy() } };
}

/** @param {PageEvent} event */
function dispatch(event) {
  state = reduce(state, event);
  // The timers of a page that is hidden for long run once a minute, and its title is what is still seen of it.
  if (document.hidden) document.title = titleWords(state);
  drawing.soon(state.connection === "live" && state.seq < missed);
}

function draw() {
  document.title = titleWords(state);
  for (const part of document.querySelectorAll("[data-part]")) /** @type {Part} */ (part).data = state;
}

function connect() {
  connection?.close();
  connection = new Connection({
    userId: state.userId,
    position: () => (state.synced && state.epoch !== null ? { epoch: state.epoch, seq: state.seq } : null),
    onFrame: (frame) => {
      if (frame.type === "hello") {
        missed = frame.seq;
        setClock(frame.at);
      }
      const { search } = state.shown;
      dispatch(frame);
      if (frame.type === "hello") waiting.send();
      if (frame.type === "snapshot") nameByMessage(state.history.find(({ role }) => role === "user")?.text ?? "");
      if (state.shown.search !== search) nameOpenTrip(tripName(state.shown.search?.agents ?? {}, openTripName()));
      return !state.gap;
    },
    onState: (link) => {
      if (link === "signed_out" && state.synced) leaveNothing(dropSession);
      else dispatch({ type: "page_connection", connection: link });
    },
  });
  connection.open();
  if (document.hidden) connection.hide();
}

/**
 * Run a call for the trip that is open now; what it leads to is dropped where the page went elsewhere meanwhile.
 *
 * @template A
 * @param {(userId: string) => Promise<A>} call
 * @param {{done: (answer: A) => PageEvent | null, failed: (error: ApiError) => PageEvent | null,
 *   failedAway?: (error: ApiError) => PageEvent | null}} then `failedAway` is for what must not be lost in silence
 */
async function forThisVisit(call, { done, failed, failedAway = () => null }) {
  const visit = asked;
  let event;
  try {
    const answer = await call(state.userId);
    event = visit === asked ? done(answer) : null;
  } catch (error) {
    event = (visit === asked ? failed : failedAway)(/** @type {ApiError} */ (error));
  }
  if (event) dispatch(event);
}

/**
 * Send a message, behind those that wait: a later one must not arrive before them.
 *
 * @param {string} text
 * @param {string} clientId
 * @param {How} how
 */
async function sendInTurn(text, clientId, how) {
  const isFirst = state.outbox.every((item) => item.state !== "waiting");
  if (isFirst) await deliver(text, clientId, how);
  else dispatch({ type: "page_waiting", client_id: clientId, text, ...how });
  if (isFirst) waiting.later();
  else if (state.connection === "live") waiting.send();
}

/**
 * @param {string} text
 * @param {string} clientId
 * @param {How} how
 */
function deliver(text, clientId, { policy, from }) {
  dispatch({ type: "page_sending", client_id: clientId, text, policy, from });
  return forThisVisit((userId) => signedIn.then(() => sendMessage(userId, text, clientId, policy, from)), {
    done: ({ task_id, seq, steer }) => ({ type: "page_accepted", client_id: clientId, task_id, seq, steer }),
    failed: (error) => {
      if (error.isPassing) return { type: "page_waiting", client_id: clientId, text, policy, from };
      return { type: "page_unsent", client_id: clientId, error: error.message };
    },
    failedAway: ({ message }) => ({ type: "page_notice", text: `Not sent in the previous ${FACE.thing}: “${text}”. ${message}` }),
  });
}

/** The text of the message that began a task, and how often just that was said by then. @param {string} taskId @returns {[text: string, nth: number]} */
function saidAs(taskId) {
  const said = state.history.filter(({ role }) => role === "user");
  const at = said.findIndex(({ task_id }) => task_id === taskId);
  const text = said[at]?.text ?? "";
  return [text, said.slice(0, at + 1).filter((message) => message.text === text).length];
}

/**
 * Name the open trip after its first message, until it is known where it goes.
 *
 * @param {string} text
 */
function nameByMessage(text) {
  if (openTripName() === "") nameOpenTrip(text);
}

function openTripName() {
  return state.trips.find(({ userId }) => userId === state.userId)?.name;
}

/** Name the open trip, where its user has not. @param {string} name */
function nameOpenTrip(name) {
  if (suggestName(state.userId, name)) dispatch({ type: "page_trips", trips: allTrips() });
}

/**
 * Go to a trip. The address names it already.
 *
 * @param {string} userId
 * @param {string} [notice]
 */
function visit(userId, notice = "") {
  asked = new Set();
  const left = state.outbox.filter((item) => item.state === "waiting").map(({ text }) => `“${text}”`);
  const lost = left.length ? `Not sent in the previous ${FACE.thing}: ${left.join(", ")}.` : "";
  state = { ...visited(userId), notice: notice || lost };
  connect();
  drawing.now();
}

/**
 * Fetch what does not change, once in a visit. It is for pictures beside the results: where it can't be had there is
 * none, and nobody needs to be told.
 *
 * @template A
 * @param {string} key
 * @param {() => Promise<A>} call
 * @param {{done: (answer: A) => PageEvent, failed?: () => PageEvent | null}} then
 */
function askOnce(key, call, { done, failed = () => null }) {
  if (asked.has(key)) return;
  asked.add(key);
  forThisVisit(call, { done, failed });
}

/** @type {{[K in keyof Actions]: (detail: Actions[K]) => void}} */
const actions = {
  send: ({ text, ...how }) => {
    nameByMessage(text);
    sendInTurn(text, randomId(), how);
  },
  edit: async ({ taskId, text }) => {
    if (!FACE.isGraph) return sendInTurn(text, randomId(), { from: comesAfter(state, taskId) });
    const visit = asked;
    const from = await askStates(state.userId).then(({ states }) => stepBefore(states, ...saidAs(taskId)), ({ message }) => (tell(message), ""));
    if (visit !== asked || from === "") return;
    if (from === null) actions.travel({ userId: newTripId() }); // what is before the first message is another conversation
    actions.send({ text, ...(from ? { from } : {}), policy: "interrupt" });
  },
  choosePolicy: ({ policy }) => {
    choosePolicy(policy);
    dispatch({ type: "page_policy", policy });
  },
  settle: ({ messageId, how }) => changePending(messageId, how, (userId) => settlePending(userId, messageId, how)),
  revise: ({ messageId, text, revision }) =>
    changePending(messageId, "edit", (userId) => editPending(userId, messageId, { message: text, revision })),
  resend: ({ clientId }) => {
    const unsent = state.outbox.find((item) => item.client_id === clientId);
    if (unsent?.state === "unsent") sendInTurn(unsent.text, clientId, unsent);
  },
  withdraw: ({ clientId }) => dispatch({ type: "page_withdrawn", client_id: clientId }),
  stop: ({ taskId, agent, withdraws }) => {
    const told = agent === undefined ? state.stopping === taskId : state.stoppingAgents.includes(agent);
    const isQueued = state.queued.includes(taskId);
    if (told || !(isQueued || isActive(state.tasks[taskId]))) return;
    if (!isQueued) dispatch({ type: "page_stopping", task_id: taskId, agent });
    forThisVisit((userId) => stopTask(userId, taskId, { agent, withdraws }), {
      done: () => null, // the log tells when it has ended
      failed: ({ message }) => ({ type: "page_not_stopped", task_id: taskId, agent, error: message }),
    });
  },
  answer: ({ requestId, answer, decision }) => {
    if (state.answering[requestId]?.state === "sending") return;
    if (!state.requests.some((request) => request.request_id === requestId)) {
      dispatch({ type: "page_answer_refused", request_id: requestId, error: "This question is no longer open." });
      return;
    }
    dispatch({ type: "page_answering", request_id: requestId });
    forThisVisit((userId) => sendAnswer(userId, { request_id: requestId, answer, decision }), {
      done: () => ({ type: "page_answered", request_id: requestId }),
      failed: ({ message: error, code, details }) => {
        return { type: "page_answer_refused", request_id: requestId, error, code, details };
      },
    });
  },
  explain: ({ taskId }) => {
    if (state.receipts[taskId]) return;
    forThisVisit((userId) => askReceipt(userId, taskId), {
      done: (receipt) => ({ type: "page_receipt", task_id: taskId, receipt }),
      failed: ({ message }) => ({ type: "page_notice", text: message }),
    });
  },
  trace: ({ taskId }) =>
    forThisVisit((userId) => askCalls(userId, taskId), {
      done: ({ calls }) => ({ type: "page_calls", task_id: taskId, calls }),
      failed: () => null, // it is a look back, which can be taken again
    }),
  travel: ({ userId }) => {
    if (userId === state.userId) return;
    openTrip(userId);
    visit(userId);
  },
  rename: ({ userId, name }) => {
    nameTrip(userId, name);
    dispatch({ type: "page_trips", trips: allTrips() });
  },
  forget: async ({ userId }) => {
    if (await isDone(forgetUser(userId))) leave(forgetTrip(userId));
  },
  signOut: () => leaveNothing(() => leaveSession(tell)),
  look: ({ view }) => {
    document.body.dataset.view = view;
  },
  tell: ({ text }) => tell(text),
  dismiss: () => dispatch({ type: "page_notice", text: "" }),
  askBookings: () => {
    if (state.synced && state.seq === 0) {
      dispatch({ type: "page_bookings", bookings: [] }); // the server does not know a trip before its first message
      return;
    }
    forThisVisit(askBookings, {
      done: ({ bookings }) => ({ type: "page_bookings", bookings }),
      failed: () => ({ type: "page_bookings", bookings: state.bookings ?? [] }), // nobody asked: what was known stays
    });
  },
  askKept: () => {
    forThisVisit(askKept, {
      done: ({ requests }) => ({ type: "page_kept", requests }),
      failed: () => null, // what was known stays; a server that is no travel assistant has none
    });
  },
  askKeptOffers: ({ taskId }) =>
    askOnce(`kept ${taskId}`, () => askKeptOffers(state.userId, taskId), {
      done: ({ offers }) => ({ type: "page_kept_offers", task_id: taskId, offers }),
      failed: () => ({ type: "page_kept_offers", task_id: taskId, offers: {} }),
    }),
  askFares: ({ query }) => {
    const key = fareKey(query);
    askOnce(`fares ${key}`, () => askFares(query), {
      done: ({ days }) => ({ type: "page_fares", key, days }),
      failed: () => {
        asked.delete(`fares ${key}`); // it may be asked for again, by who wants it
        return { type: "page_fares", key, days: null };
      },
    });
  },
  askAirports: ({ codes }) => {
    const unknown = codes.filter((code) => !asked.has(code));
    if (unknown.length === 0) return;
    for (const code of unknown) asked.add(code);
    forThisVisit(() => askAirports(unknown), {
      done: ({ airports }) => ({ type: "page_airports", airports }),
      failed: () => null,
    });
  },
  askLand: () => askOnce("land", askLand, { done: (land) => ({ type: "page_land", land }) }),
};

/**
 * Change a message that waits to be taken in; what has become of it the log tells.
 *
 * @param {string} messageId
 * @param {import("./lib/types.js").Changing["how"]} how
 * @param {(userId: string) => Promise<Object<string, unknown>>} call
 */
function changePending(messageId, how, call) {
  if (state.changing[messageId]?.error === "") return; // one after the other
  dispatch({ type: "page_changing", message_id: messageId, how });
  forThisVisit(call, {
    done: (answer) => (how === "edit" ? { type: "page_changed", ...answer } : null),
    failed: ({ message: error, code, about }) => {
      const current = code === "stale_revision" ? about : undefined;
      return { type: "page_change_refused", message_id: messageId, how, error, current };
    },
  });
}

/** @param {string} text */
function tell(text) {
  dispatch({ type: "page_notice", text });
}

/** Show nothing more of a session that is over, and keep nothing of it. @param {() => unknown} leave */
function leaveNothing(leave) {
  connection?.close();
  state = visited(newTripId());
  drawing.now();
  leave();
}

/** Wait for a call; return whether it succeeded, else say why not. @param {Promise<unknown>} call */
function isDone(call) {
  return call.then(() => true).catch(({ message }) => (tell(message), false));
}

/**
 * The list of trips has changed, here or in another window; where the open one is not in it any more, go to `next`.
 *
 * @param {string} next
 * @param {string} [notice]
 */
function leave(next, notice) {
  if (isKept(state.userId)) {
    dispatch({ type: "page_trips", trips: allTrips() });
    return;
  }
  openTrip(next, { inPlace: true });
  visit(next, notice);
}

/** Draw for the first time; where what was kept over the reload can't be shown, as after an update, begin anew. */
function drawWhatWasKept() {
  let trouble = false;
  const listening = new AbortController();
  window.addEventListener("error", () => (trouble = true), { signal: listening.signal });
  drawing.now();
  listening.abort();
  if (!trouble) return;
  state = visited(state.userId);
  drawing.now();
}

/** Sign in if the address says with what, follow the trip, and list what is the person's. @param {boolean} isNew */
async function arrive(isNew) {
  signedIn = signIn(tell);
  if (!(await signedIn) && !isNew) return;
  const isAnyTrip = isNew && isUnaddressed && FACE.knowsPersons;
  if (!isAnyTrip) connect();
  const newest = await listOwnTrips(isAnyTrip);
  if (newest !== null) state = visited(newest);
  if (isAnyTrip) connect();
  dispatch({ type: "page_trips", trips: allTrips() });
}

for (const [name, act] of Object.entries(actions)) {
  document.addEventListener(name, (event) => act(/** @type {CustomEvent} */ (event).detail));
}
window.addEventListener("popstate", () => {
  const userId = currentTrip();
  if (userId !== state.userId) visit(userId);
});
window.addEventListener("hashchange", () => arrive(false));
window.addEventListener("storage", ({ key }) => {
  if (key === POLICY_KEY) dispatch({ type: "page_policy", policy: chosenPolicy() });
  if (key !== null && key !== KEY) return;
  leave(allTrips()[0]?.userId ?? newTripId(), `That ${FACE.thing} was deleted in another window.`);
});
window.addEventListener("online", () => connection?.reopen());
window.addEventListener("offline", () => connection?.wake());
document.addEventListener("visibilitychange", () => (document.hidden ? connection?.hide() : connection?.wake()));
// A page that is put aside as it is may come back as it was; an open connection would keep it from that.
window.addEventListener("pagehide", () => {
  keepOverReload(state);
  connection?.rest();
});
window.addEventListener("pageshow", ({ persisted }) => persisted && connection?.reopen());

drawWhatWasKept();
await arrive(true);
