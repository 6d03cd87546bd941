/**
 * One line to the server: a user's frames, as server-sent events read with `fetch`.
 *
 * `fetch` rather than `EventSource` or a WebSocket: it can send a token from a page of another origin, tells why it
 * was refused, and is in every browser and in Node 20.
 */

import { DetourError, errorOf } from "./errors.js";

/** @typedef {import("../types.js").Frame} Frame */

/** How long a line may be silent before the hello says how often the server gives a sign of life. */
const FIRST_SILENCE_MS = 20_000;

/**
 * Yield each frame as it comes; return where the server ends the line.
 *
 * Throws a `DetourError` for a refusal, for what is no frame, and for a line that is silent for two heartbeats.
 *
 * @param {string} url
 * @param {{headers: Record<string, string>, fetch: typeof globalThis.fetch, signal?: AbortSignal}} options
 * @returns {AsyncGenerator<Frame, void, void>}
 */
export async function* framesOf(url, { headers, fetch, signal }) {
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  signal?.addEventListener("abort", leave);
  if (signal?.aborted) leave();
  let silenceMs = FIRST_SILENCE_MS;
  /**
   * Bound a wait for the server. The time in which the caller works on a frame does not count as silence.
   *
   * @template T
   * @param {Promise<T>} coming
   */
  const heard = async (coming) => {
    const timer = setTimeout(leave, silenceMs);
    try {
      return await coming;
    } catch (error) {
      throw new DetourError("The line to the server is lost.", { code: String(error) });
    } finally {
      clearTimeout(timer);
    }
  };
  try {
    const asked = { headers: { ...headers, accept: "text/event-stream" }, signal: leaving.signal };
    const answer = await heard(fetch(url, { ...asked, cache: "no-store" }));
    if (!answer.ok || !answer.body) throw await errorOf(answer);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    const blocks = new Blocks();
    while (true) {
      const { done, value } = await heard(reader.read());
      if (done) return;
      for (const block of blocks.add(value)) {
        const frame = frameIn(block);
        if (!frame) continue;
        if (frame.type === "hello") silenceMs = 2000 * frame.heartbeat_s;
        yield frame;
      }
    }
  } finally {
    signal?.removeEventListener("abort", leave);
    leave(); // also where the caller left in the middle: the server frees the line
  }
}

/** Cuts a stream of text at its blank lines. A block in many pieces, such as a large snapshot, is joined once. */
export class Blocks {
  /** @type {string[]} */
  #pieces = [];
  /** A line end whose partner may be the first character of the next piece. */
  #held = "";

  /**
   * @param {string} piece
   * @returns {string[]} the blocks that are complete with it
   */
  add(piece) {
    const text = this.#held + piece;
    this.#held = "";
    if (!text.includes("\n\n")) {
      this.#keep(text);
      return [];
    }
    const blocks = [...this.#pieces, text].join("").split("\n\n");
    this.#pieces = [];
    this.#keep(blocks.pop() ?? "");
    return blocks;
  }

  /** @param {string} text */
  #keep(text) {
    this.#held = text.endsWith("\n") ? "\n" : "";
    this.#pieces.push(this.#held ? text.slice(0, -1) : text);
  }
}

/**
 * The frame of a block; null for a comment, which is a sign of life.
 *
 * @param {string} block
 * @returns {Frame | null}
 */
function frameIn(block) {
  const data = block.split("\n").find((line) => line.startsWith("data:"));
  if (data === undefined) return null;
  try {
    return JSON.parse(data.slice("data:".length));
  } catch {
    throw new DetourError("Something on the way has changed what the server sent.");
  }
}
