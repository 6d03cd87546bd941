/** The page as a function of the state: `show(state)` brings the document in line with it. */

import { receiptText, takenOver } from "./calls.js";
import { element, keepChildren, setText } from "./elements.js";
import { cheapest, cheapestFirst, flightRow, hotelRow, money, tourRow } from "./offers.js";
import { hasSomethingToShow, inOrder, isActive } from "./reduce.js";
import { requestForm } from "./requests.js";

const OFFERS_SHOWN = 100;

const CONNECTION_TEXT = {
  connecting: "Connecting…",
  live: "Connected",
  reconnecting: "Reconnecting…",
  signed_out: "Not signed in: open the link that the server printed",
  refused: "This user id is not accepted",
};
const TASK_TEXT = {
  queued: "Waiting its turn",
  running: "Working on it",
  input_required: "Needs you",
  cancelling: "Stopping, once what had started is finished",
  completed: "Done",
  failed: "Failed",
  interrupted: "Interrupted",
};
const REASON_TEXT = {
  superseded: "by a newer message",
  stopped: "by you",
  timed_out: "time ran out",
  shutdown: "the server restarted",
  lost: "the server went away",
};
const AGENT_TEXT = {
  waiting: "waiting",
  working: "working",
  input_required: "needs you",
  done: "done",
  interrupted: "interrupted",
  failed: "failed",
};

const DECIDED_TEXT = {
  allowed: "Allowed",
  denied: "Not allowed",
  withdrawn: "No longer asked, nothing was done",
  expired: "Not decided in time, nothing was done",
};

const byId = (id) => document.getElementById(id);

/** Return `show(state)`; `actions` are `resend(item)` and `answer(body)`. */
export function createView(actions) {
  const follow = followNewestMessage();
  return (state) => {
    const connection = byId("connection");
    connection.dataset.state = state.connection;
    setText(connection, CONNECTION_TEXT[state.connection]);
    showConversation(state, actions);
    showWork(state, actions);
    showControls(state);
    showEvents(state.events);
    follow();
  };
}

/**
 * Return `follow()`, which brings the user's newest message to the top and keeps it there until the reader
 * scrolls or presses something, so that results appear under it and nothing jumps.
 */
function followNewestMessage() {
  let count = 0;
  let held = false;
  for (const kind of ["wheel", "touchmove", "pointerdown", "keydown"]) {
    const release = ({ target }) => (held &&= target === byId("message"));
    document.addEventListener(kind, release, { passive: true });
  }
  return () => {
    const messages = document.querySelectorAll(".message.user");
    if (messages.length > count) held = true;
    count = messages.length;
    if (held) messages[count - 1]?.scrollIntoView({ block: "start" });
  };
}

function showConversation(state, actions) {
  const list = byId("conversation");
  const replying = Object.values(state.tasks).filter((task) => task.reply).map(streamedReply);
  const items = [
    ...replying.reduce(inOrder, state.history).map((item) => ({
      ...item,
      key: item.message_id,
      became: item.role === "system" ? receiptText(state.receipts[item.task_id]) : "",
    })),
    ...state.outbox.map((item) => ({ ...item, key: item.client_id, role: "user", sending: item.state })),
  ];
  list.ariaBusy = String(replying.length > 0);
  keepChildren(list, items, { key: (item) => item.key, create: messageRow, update: updateMessage });
  for (const button of list.querySelectorAll("button")) {
    const unsent = state.outbox.find((item) => item.client_id === button.closest("li").dataset.key);
    button.onclick = () => actions.resend(unsent);
  }
  byId("empty").hidden = items.length > 0 || !state.synced;
}

/** What a task has said so far, as the last message of its turn. */
function streamedReply({ task_id, reply }) {
  return { message_id: `${task_id}.Infinity`, task_id, role: "assistant", text: reply };
}

function messageRow({ role }) {
  return element("li", { className: `message ${role}` }, element("p"), element("p", { className: "about" }));
}

function updateMessage(node, item) {
  const [text, about] = node.children;
  setText(text, item.text);
  node.classList.toggle("unconfirmed", item.sending === "sending");
  if (item.sending === "unsent") {
    if (about.dataset.error !== item.error) {
      about.replaceChildren(`${item.error} `, element("button", { type: "button" }, "Try again"));
      about.dataset.error = item.error;
    }
    return;
  }
  delete about.dataset.error;
  setText(about, item.became || (item.sending ? "sending" : item.interrupted ? "interrupted here" : ""));
}

function showWork(state, actions) {
  const { task } = state;
  const empty = task === null || !(hasSomethingToShow(task) || state.requests.length);
  byId("work").hidden = empty;
  if (empty) return;
  const stopping = isActive(task) && state.stopping === task.task_id && task.status !== "cancelling";
  const reason = task.reason ? `, ${REASON_TEXT[task.reason] ?? task.reason}` : "";
  setText(byId("task"), stopping ? "Stopping…" : `${TASK_TEXT[task.status] ?? task.status}${reason}`);
  byId("work").dataset.status = task.status;
  keepChildren(byId("agents"), Object.entries(task.agents), {
    key: ([name]) => name,
    create: () => element("li", {}, element("strong"), element("span")),
    update: updateAgent,
  });
  const taken = byId("taken-over");
  setText(taken, takenOver(task));
  taken.hidden = taken.textContent === "";
  keepChildren(
    byId("decided"),
    state.decided.filter(({ task_id }) => task_id in state.tasks),
    {
      key: (request) => request.request_id,
      create: ({ prompt }) => element("li", {}, element("strong"), element("span", { dir: "auto" }, prompt)),
      update: (node, { outcome }) => setText(node.firstElementChild, DECIDED_TEXT[outcome] ?? outcome),
    },
  );
  keepChildren(byId("requests"), state.requests, {
    key: (request) => request.request_id,
    create: (request) => requestForm(request, actions.answer),
  });
  const found = Object.values(task.partials).flat();
  const offers = isActive(task) ? found : cheapestFirst(found);
  showOffers(byId("tour-results"), "Tours", cheapestFirst(offers.filter((offer) => offer.legs)), tourRow);
  showOffers(byId("flight-results"), "Flights", offers.filter((offer) => offer.slices), flightRow);
  showOffers(byId("hotel-results"), "Hotels", offers.filter((offer) => offer.check_in), hotelRow);
  byId("demo-line").hidden = !offers.some((offer) => offer.live === false);
}

function updateAgent(node, [name, agent]) {
  const [label, rest] = node.children;
  node.dataset.state = agent.state;
  setText(label, name.charAt(0).toUpperCase() + name.slice(1));
  const doing = AGENT_TEXT[agent.state] ?? agent.state;
  setText(rest, [doing, ...progress(agent)].filter(Boolean).join(" · "));
}

/**
 * What an agent says of its progress, or else its counts; of an interrupted one, what is left of it. What one asks
 * stands below, where it is answered.
 */
function progress({ state, detail, done, total, count }) {
  if (state === "input_required") return [];
  if (state === "interrupted") return [count ? `${count} kept` : ""];
  if (detail && detail !== state) return [detail];
  return [total ? `${done ?? 0} of ${total}` : "", count ? `${count} found` : ""];
}

function showOffers(section, name, offers, row) {
  section.hidden = offers.length === 0;
  if (offers.length === 0) return;
  const [heading, list] = section.children;
  const more = offers.length > OFFERS_SHOWN ? `, the first ${OFFERS_SHOWN} shown` : "";
  setText(heading, `${name}: ${offers.length}, from ${money(cheapest(offers))}${more}`);
  keepChildren(list, offers.slice(0, OFFERS_SHOWN), { key: (offer) => offer.offer_id, create: row });
}

function showControls(state) {
  const stop = byId("stop");
  const stoppable = isActive(state.task) && state.task.status !== "cancelling";
  stop.disabled = !stoppable || state.stopping === state.task.task_id;
  const notice = byId("notice");
  notice.hidden = state.notice === "";
  setText(notice, state.notice);
}

function showEvents(events) {
  setText(byId("events-summary"), events.length ? `Events (last: ${events[0].seq})` : "Events");
  if (!byId("events-summary").parentElement.open) return;
  keepChildren(byId("events"), events, {
    key: (event) => event.seq,
    create: ({ seq, type, summary }) =>
      element("li", {}, element("span", { className: "seq" }, seq), element("code", {}, type), summary),
  });
}
