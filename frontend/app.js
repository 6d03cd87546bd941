/** Wires the page together: the state, the components that show it, the connection, and what the user does. */

import "./components/components.js";
import { askReceipt, forgetUser, sendAnswer, sendMessage, signInFromLink, stopTask } from "./lib/api.js";
import { Connection } from "./lib/connection.js";
import { initialState, isActive, reduce } from "./lib/reduce.js";
import { currentTrip, forgetTrip, openTrip, randomId } from "./lib/trips.js";

/** How long what comes in together is drawn together, in milliseconds: one frame of a screen. */
const FRAME_MS = 16;

let state = initialState(currentTrip());
/** @type {Connection | null} */
let connection = null;
let drawing = false;

/** @param {import("./lib/reduce.js").PageEvent} event */
function dispatch(event) {
  state = reduce(state, event);
  if (drawing) return;
  drawing = true;
  // A hidden page gets no animation frames, and still has to be right when it is looked at.
  setTimeout(draw, FRAME_MS);
}

function draw() {
  drawing = false;
  for (const part of document.querySelectorAll("[data-part]")) {
    /** @type {import("./lib/component.js").Component<import("./lib/reduce.js").State>} */ (part).data = state;
  }
}

function connect() {
  connection?.close();
  connection = new Connection({
    userId: state.userId,
    position: () => (state.synced ? { epoch: state.epoch, seq: state.seq } : null),
    onFrame: (frame) => {
      dispatch(frame);
      return !state.gap;
    },
    onState: (link) => dispatch({ type: "page_connection", connection: link }),
  });
  connection.open();
}

/** Run a call for the trip that is open now; what it leads to is dropped where another trip is open by then. */
async function forThisTrip(call, { done, failed }) {
  const { userId } = state;
  try {
    const answer = await call(userId);
    if (userId === state.userId) dispatch(done(answer));
  } catch (error) {
    if (userId === state.userId) dispatch(failed(error));
  }
}

function deliver(text, clientId) {
  dispatch({ type: "page_sending", client_id: clientId, text });
  return forThisTrip((userId) => sendMessage(userId, text, clientId), {
    done: ({ task_id }) => ({ type: "page_accepted", client_id: clientId, task_id }),
    failed: (error) => ({ type: "page_unsent", client_id: clientId, error: error.message }),
  });
}

const actions = {
  send: ({ text }) => deliver(text, randomId()),
  resend: ({ clientId }) => {
    const unsent = state.outbox.find((item) => item.client_id === clientId);
    if (unsent?.state === "unsent") deliver(unsent.text, clientId);
  },
  stop: ({ taskId, agent }) => {
    const task = state.tasks[taskId];
    if (!task || !isActive(task) || (!agent && state.stopping === taskId)) return;
    if (!agent) dispatch({ type: "page_stopping", task_id: taskId });
    forThisTrip((userId) => stopTask(userId, taskId, agent), {
      done: () => ({ type: "page_notice", text: "" }),
      failed: (error) => ({ type: "page_not_stopped", error: error.message }),
    });
  },
  answer: ({ requestId, answer, decision }) => {
    if (state.answering[requestId]?.state === "sending") return;
    dispatch({ type: "page_answering", request_id: requestId });
    forThisTrip((userId) => sendAnswer(userId, { request_id: requestId, answer, decision }), {
      done: () => ({ type: "page_answered", request_id: requestId }),
      failed: (error) => ({ type: "page_answer_refused", request_id: requestId, error: error.message, details: error.details }),
    });
  },
  explain: ({ taskId }) => {
    if (state.receipts[taskId]) return;
    forThisTrip((userId) => askReceipt(userId, taskId), {
      done: (receipt) => ({ type: "page_receipt", task_id: taskId, receipt }),
      failed: (error) => ({ type: "page_notice", text: error.message }),
    });
  },
  travel: ({ userId }) => {
    if (userId === state.userId) return;
    openTrip(userId);
    state = initialState(userId);
    connect();
    draw();
  },
  forget: async ({ userId }) => {
    try {
      await forgetUser(userId);
    } catch (error) {
      dispatch({ type: "page_notice", text: error.message });
      return;
    }
    const next = forgetTrip(userId);
    if (userId === state.userId) actions.travel({ userId: next });
    else draw();
  },
};

for (const [name, act] of Object.entries(actions)) document.addEventListener(name, ({ detail }) => act(detail));
window.addEventListener("online", () => connection?.reopen());
window.addEventListener("offline", () => dispatch({ type: "page_connection", connection: "offline" }));
window.addEventListener("popstate", () => actions.travel({ userId: currentTrip() }));

draw();
try {
  await signInFromLink();
} catch (error) {
  dispatch({ type: "page_notice", text: error.message });
}
connect();
