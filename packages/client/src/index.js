/** A client of Detour for browsers and Node: calls, events that survive a broken line, and the state they add up to. */

export { DetourClient } from "./client.js";
export { DetourError } from "./errors.js";
export { conversation, fold, initialState } from "./fold.js";
export { Session } from "./session.js";
export { isActive, taskToShow } from "./tasks.js";
export { isOpenCall } from "./tool-calls.js";
