/**
 * Everything the page knows, as one pure function: (state, event) -> state. No DOM, no clock, no network.
 *
 * Events are the frames of the server, and a few of the page's own (`page_*`). A numbered event is taken once
 * and in order: what was seen is dropped, and after a gap nothing is taken until what is missing has come.
 * Where a task stands is told by the server alone; the connection says nothing about it.
 */

import { PAGE_MESSAGES } from "./messages.js";
import { PAGE_PENDING, PENDING } from "./pending.js";
import { PAGE_REQUESTS, REQUESTS } from "./requests.js";
import { followed, NOTHING_SHOWN } from "./shown.js";
import { inLog, takeSnapshot } from "./snapshot.js";
import { NOTHING_SPOKEN_OF, SPOKEN, spokenOfNoMore } from "./spoken.js";
import { PAGE_TASKS, TASKS } from "./tasks.js";
import { trailsAfter, withCalls } from "./trails.js";

/**
 * @typedef {object} State
 * @property {string} userId of whom this is: a trip of this browser
 * @property {import("./types.js").Link} connection
 * @property {string | null} epoch of the server's log
 * @property {number} seq the number of the last event that was taken
 * @property {boolean} synced whether the state holds what the server knows up to that number
 * @property {boolean} gap whether an event is missing
 * @property {Object<string, import("./types.js").Task>} tasks those at work, and the last one that ended
 * @property {import("./types.js").Task | null} task the one that is shown
 * @property {import("./shown.js").Shown} shown the search whose results are shown, and the one before it
 * @property {import("./spoken.js").Spoken} spoken what the last reply spoke of
 * @property {string | null} joined the task that was at work already when a snapshot told of it
 * @property {string[]} queued the tasks that wait for their turn, the next one first
 * @property {import("./types.js").Pending[]} pending messages that wait for the task to take them in, in order
 * @property {Object<string, import("./types.js").Changing>} changing what is done with them from here, by message
 * @property {{chosen: string | null, server: string | null}} policy of messages while a task runs: the one that was chosen
 *   here, and the server's own
 * @property {import("./types.js").Message[]} history
 * @property {import("./types.js").Outgoing[]} outbox
 * @property {import("./types.js").InputRequest[]} requests the open ones, oldest first
 * @property {import("./types.js").Resolved[]} resolved the last ones that were open
 * @property {Object<string, import("./types.js").Answering>} answering by request
 * @property {Object<string, import("./types.js").Receipt>} receipts by task
 * @property {Object<string, import("./types.js").Interrupted>} interrupted by task, oldest first
 * @property {Object<string, import("./trails.js").Trail>} trails what tasks did on the way to their reply, oldest first
 * @property {string | null} stopping the task that was told to stop, until it has ended
 * @property {string[]} stoppingAgents the agents that were told to stop, until they have ended
 * @property {string} notice a sentence about what went wrong last, "" for none
 * @property {import("./trips.js").Trip[]} trips of this browser, newest first
 * @property {import("./bookings.js").Booking[] | null} bookings null until they were fetched
 * @property {Object<string, import("./fares.js").DayFare[] | null>} fares by `fareKey` of the query that they were fetched
 *   with; null where they could not be had
 * @property {import("./route.js").Airports} airports by code
 * @property {import("./kept.js").KeptRequest[] | null} kept the requests that the server keeps offers of, newest first
 * @property {Object<string, Object<string, import("./types.js").Offer[]>>} keptOffers those that were fetched, by task
 * @property {import("./land.js").LandAnswer | null} land where the world's airports are
 *
 * @typedef {{type: string, [field: string]: any}} PageEvent a frame of the server, or an event of the page
 */

/**
 * @param {string} userId
 * @returns {State}
 */
export function initialState(userId) {
  return {
    userId,
    connection: "connecting",
    epoch: null,
    seq: 0,
    synced: false,
    gap: false,
    tasks: {},
    task: null,
    shown: NOTHING_SHOWN,
    spoken: NOTHING_SPOKEN_OF,
    joined: null,
    queued: [],
    pending: [],
    changing: {},
    policy: { chosen: null, server: null },
    history: [],
    outbox: [],
    requests: [],
    resolved: [],
    answering: {},
    receipts: {},
    interrupted: {},
    trails: {},
    stopping: null,
    stoppingAgents: [],
    notice: "",
    trips: [],
    bookings: null,
    kept: null,
    keptOffers: {},
    fares: {},
    airports: {},
    land: null,
  };
}

/**
 * @param {State} state
 * @param {PageEvent} event
 * @returns {State}
 */
export function reduce(state, event) {
  const next = taken(state, event);
  return next.task === state.task ? next : { ...next, shown: followed(next.shown, next.task) };
}

/** @param {State} state @param {PageEvent} event @returns {State} */
function taken(state, event) {
  const take = UNNUMBERED.get(event.type);
  if (take) return take(state, event);
  if (typeof event.seq !== "number" || event.seq <= state.seq) return state;
  if (event.seq > state.seq + 1) return { ...state, gap: true };
  const before = event.type === "message" && event.role === "user" ? spokenOfNoMore(state) : state;
  const next = NUMBERED.get(event.type)?.(before, event) ?? before;
  const trails = trailsAfter(state, next, /** @type {any} */ (event));
  return { ...next, trails, seq: event.seq, gap: false };
}

/** @typedef {(state: State, event: any) => State} Handler */

/** What a connection says before the log goes on, and what happens in the page. */
const UNNUMBERED = new Map(
  Object.entries(
    /** @type {Object<string, Handler>} */ ({
      hello: (state, { epoch, policy = null }) => {
        const known = state.policy.server === policy ? state.policy : { ...state.policy, server: policy };
        return { ...inLog(state, epoch), connection: "live", gap: false, policy: known };
      },
      reset: (state) => ({ ...state, synced: false }),
      snapshot: takeSnapshot,
      page_connection: (state, { connection }) => ({ ...state, connection }),
      page_notice: (state, { text }) => ({ ...state, notice: text }),
      page_policy: (state, { policy }) => ({ ...state, policy: { ...state.policy, chosen: policy } }),
      page_trips: (state, { trips }) => ({ ...state, trips }),
      page_calls: (state, { task_id, calls }) => {
        const trails = withCalls(state.trails, task_id, calls, state.tasks[task_id]?.reply);
        return { ...state, trails };
      },
      page_bookings: (state, { bookings }) => ({ ...state, bookings }),
      page_kept: (state, { requests }) => ({ ...state, kept: requests }),
      page_kept_offers: (state, { task_id, offers }) => ({ ...state, keptOffers: { ...state.keptOffers, [task_id]: offers } }),
      page_fares: (state, { key, days }) => ({ ...state, fares: { ...state.fares, [key]: days } }),
      page_airports: (state, { airports }) => ({ ...state, airports: { ...state.airports, ...airports } }),
      page_land: (state, { land }) => ({ ...state, land }),
      ...PAGE_MESSAGES,
      ...PAGE_TASKS,
      ...PAGE_REQUESTS,
      ...PAGE_PENDING,
    }),
  ),
);

/** The events of the log that change what is shown; the others only move the position. */
const NUMBERED = new Map(
  Object.entries(/** @type {Object<string, Handler>} */ ({ ...TASKS, ...REQUESTS, ...PENDING, ...SPOKEN })),
);
