/**
 * What a window knows of its trip, over a reload: kept by the tab as the page goes away, taken up once when it is back.
 *
 * A snapshot tells where the latest task stands. Only the page knows what stood there before it: results of earlier
 * searches, messages that could not be sent yet, what became of questions. What has happened since is replayed. Where people
 * are told apart nothing is kept (`storage`), and the snapshot has to do.
 */

import { initialState } from "./reduce.js";
import { ofTab } from "./storage.js";

/** @typedef {import("./reduce.js").State} State */

const KEY = "detour.state";

/** What is fetched anew, told by the browser, or over once the page is gone. */
const PASSING = new Set(["connection", "gap", "notice", "changing", "policy", "trips", "bookings", "kept", "keptOffers", "fares", "airports", "land"]);

/** @param {State} state */
export function keepOverReload(state) {
  try {
    ofTab.drop(KEY);
    if (!state.synced) return;
    const kept = Object.entries(state).filter(([name]) => !PASSING.has(name));
    ofTab.set(KEY, JSON.stringify(Object.fromEntries(kept)));
  } catch {
    // There is no storage, or no room in it: then the server's snapshot has to do.
  }
}

/**
 * The state to begin with. What is kept is given once only, so that nothing in it can trouble a page twice.
 *
 * @param {string} userId
 * @returns {State}
 */
export function stateAfterReload(userId) {
  const fresh = initialState(userId);
  const kept = taken();
  if (kept?.userId !== userId || Object.keys(fresh).some((name) => !PASSING.has(name) && !(name in kept))) return fresh;
  const state = { ...fresh, ...kept };
  return {
    ...state,
    task: state.task && (state.tasks[state.task.task_id] ?? state.task),
    // Its client id makes it safe to send again what the server may have taken as the page was left.
    outbox: state.outbox.map((item) => (item.state === "sending" ? { ...item, state: "waiting" } : item)),
    answering: {},
    stopping: null,
    stoppingAgents: [],
  };
}

/** @returns {State | null} */
function taken() {
  try {
    const kept = ofTab.get(KEY);
    ofTab.drop(KEY);
    return kept === null ? null : JSON.parse(kept);
  } catch {
    return null;
  }
}
