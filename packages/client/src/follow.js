/** A user's frames over one line after the other: after a break, or a gap, the next line resumes at the position. */

import { DetourError } from "./errors.js";
import { framesOf } from "./lines.js";

/**
 * @typedef {import("../types.js").Frame} Frame
 * @typedef {import("../index.js").Position} Position
 * @typedef {import("../index.js").ConnectionFrame} ConnectionFrame
 */

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8000;

/**
 * Yield the server's frames and, with each change, the state of the connection; end when `signal` is aborted.
 *
 * @param {(position: Position | null) => string} address
 * @param {{position: Position | null, headers: Record<string, string>, fetch: typeof globalThis.fetch,
 *   signal?: AbortSignal}} options
 * @returns {AsyncGenerator<Frame | ConnectionFrame, void, void>}
 */
export async function* follow(address, { position, signal, ...options }) {
  let failures = 0;
  while (!signal?.aborted) {
    let pauseMs = 0;
    try {
      for await (const frame of framesOf(address(position), { ...options, signal })) {
        if (isEvent(frame)) {
          if (frame.seq <= (position?.seq ?? -1)) continue;
          if (frame.seq !== (position?.seq ?? -1) + 1) break; // one is missing: the next line brings it
        }
        position = positionAfter(frame, position);
        // Not by a hello: a server that greets and fails would be asked again without a pause.
        if (frame.type !== "hello") failures = 0;
        if (frame.type === "hello") yield { type: "connection", state: "live" };
        yield frame;
      }
    } catch (error) {
      if (!(error instanceof DetourError)) throw error;
      if (!signal?.aborted && !error.isTemporary) throw error;
      pauseMs = error.retryAfterMs;
    }
    if (signal?.aborted) return;
    yield { type: "connection", state: "reconnecting" };
    await pause(Math.max(pauseMs, pauseBefore(failures)), signal);
    failures += 1;
  }
}

/**
 * Where to resume once a frame has come; null means with a snapshot.
 *
 * Of a hello only a new epoch counts: the reset that follows may be lost with the line, and the old number with the
 * new epoch would name some other event.
 *
 * @param {Frame} frame
 * @param {Position | null} position
 * @returns {Position | null}
 */
export function positionAfter(frame, position) {
  if (frame.type === "hello") {
    const isSameLog = position && (position.epoch === "" || position.epoch === frame.epoch);
    return isSameLog ? { seq: position.seq, epoch: frame.epoch } : null;
  }
  if (frame.type === "reset") return null;
  if (frame.type === "snapshot") return { seq: frame.seq, epoch: frame.epoch };
  return position && { seq: frame.seq, epoch: position.epoch };
}

/**
 * The milliseconds before the next attempt: doubled each time up to a bound, and spread by half, since all clients
 * of a server that comes back would otherwise connect at the same instant.
 *
 * @param {number} failures
 */
export function pauseBefore(failures) {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2);
}

/**
 * Wait, or until the signal is aborted.
 *
 * @param {number} ms
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
export function pause(ms, signal) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
  });
}

/**
 * @param {Frame} frame
 * @returns {frame is import("../index.js").Event}
 */
function isEvent(frame) {
  return "task_id" in frame;
}
