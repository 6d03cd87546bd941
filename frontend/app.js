/** Wires the page together: the state, its view, the connection and what the user does. */

import { sendAnswer, sendMessage, signInFromLink, stopTask } from "./api.js";
import { Connection } from "./connection.js";
import { initialState, isActive, reduce } from "./reduce.js";
import { createView } from "./view.js";

const USER_KEY = "detour.user";
const byId = (id) => document.getElementById(id);

let state = initialState(rememberedUser());
let connection = null;
let drawn = true;
const show = createView({ resend: ({ text, client_id }) => deliver(text, client_id), answer });

/** Random and long enough never to meet another; unlike crypto.randomUUID it also works without https. */
function randomId(bytes = 12) {
  const numbers = crypto.getRandomValues(new Uint8Array(bytes));
  return [...numbers].map((number) => number.toString(16).padStart(2, "0")).join("");
}

function rememberedUser() {
  const known = localStorage.getItem(USER_KEY) ?? `guest-${randomId(4)}`;
  localStorage.setItem(USER_KEY, known);
  return known;
}

function dispatch(event) {
  state = reduce(state, event);
  if (!drawn) return;
  drawn = false;
  // A hidden page gets no animation frames, and still has to be right when it is looked at.
  setTimeout(() => {
    drawn = true;
    show(state);
  }, 16);
}

function connect() {
  const userId = state.userId;
  connection = new Connection({
    userId,
    position: () => (state.synced ? { epoch: state.epoch, seq: state.seq } : null),
    onFrame: (frame) => {
      dispatch(frame);
      return !state.gap;
    },
    onState: (name) => dispatch({ type: "page_connection", connection: name }),
  });
  connection.open();
}

async function deliver(text, clientId) {
  const { userId } = state;
  dispatch({ type: "page_sending", client_id: clientId, text });
  try {
    const { task_id } = await sendMessage(userId, text, clientId);
    if (userId === state.userId) dispatch({ type: "page_accepted", client_id: clientId, task_id });
  } catch (error) {
    if (userId === state.userId) dispatch({ type: "page_unsent", client_id: clientId, error: error.message });
  }
}

async function stop() {
  if (!isActive(state.task) || state.stopping === state.task.task_id) return;
  dispatch({ type: "page_stopping", task_id: state.task.task_id });
  try {
    await stopTask(state.userId, state.task.task_id);
  } catch (error) {
    dispatch({ type: "page_stopping", task_id: null });
    dispatch({ type: "page_notice", text: error.message });
  }
}

/** Send an answer or a decision; resolves to whether it was taken. */
async function answer(body) {
  try {
    await sendAnswer(state.userId, body);
    dispatch({ type: "page_notice", text: "" });
    return true;
  } catch (error) {
    dispatch({ type: "page_notice", text: error.message });
    return false;
  }
}

function switchUser(userId) {
  if (userId === state.userId) return;
  connection?.close();
  localStorage.setItem(USER_KEY, userId);
  state = initialState(userId);
  dispatch({ type: "page_connection", connection: "connecting" });
  connect();
}

function listen() {
  const message = byId("message");
  byId("user-id").value = state.userId;
  byId("user-form").addEventListener("submit", (event) => {
    event.preventDefault();
    switchUser(byId("user-id").value.trim());
  });
  byId("composer").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = message.value.trim();
    if (text) deliver(text, randomId());
    message.value = "";
    message.focus();
  });
  message.addEventListener("keydown", (event) => {
    // Enter that ends a composition (Japanese, Korean, Chinese input) is not meant for us; Safari says 229.
    const composing = event.isComposing || event.keyCode === 229;
    if (event.key === "Escape" && !composing) stop();
    if (event.key !== "Enter" || event.shiftKey || composing) return;
    event.preventDefault();
    byId("composer").requestSubmit();
  });
  byId("stop").addEventListener("click", stop);
  document.querySelector("details.events").addEventListener("toggle", () => show(state));
  window.addEventListener("online", () => connection?.reopen());
}

listen();
show(state);
try {
  await signInFromLink();
} catch (error) {
  dispatch({ type: "page_notice", text: error.message });
}
connect();
