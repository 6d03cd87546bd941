/**
 * The two ways in which a user's frames reach the page: a WebSocket, and server-sent events over plain HTTP where
 * sockets are blocked. Both carry the same frames.
 *
 * The events are read with `fetch` rather than with `EventSource`, which hides why it was refused, comes back at a
 * pace of its own, and does not tell of the server's comments, by which a dead line is told from a silent one.
 */

/**
 * @typedef {{epoch: string, seq: number}} Position what was taken last
 * @typedef {{type: string, [field: string]: any}} Frame
 * @typedef {{code: number, pauseMs?: number}} End a WebSocket's close code, and how long the server wants to be left
 *
 * @typedef {object} Ear
 * @property {(frame: Frame) => void} onFrame
 * @property {() => void} onLife something came, be it no frame
 * @property {(end: End) => void} onEnd not called where the page closed the line itself
 *
 * @typedef {object} Line
 * @property {() => void} close
 * @property {(() => void) | null} ping ask for a sign of life; null where that cannot be asked
 */

/** A drop without a reason. */
export const LOST = 1006;

/** What an HTTP status means, as the code with which a socket is closed for it. */
const CODES = new Map([
  [401, 4401],
  [403, 4403],
  [404, 4404],
  [422, 4404],
]);

/**
 * @param {string} userId
 * @param {Position | null} position
 * @param {Ear} ear
 * @returns {Line}
 */
export function openSocket(userId, position, { onFrame, onLife, onEnd }) {
  const url = address("ws", userId, position);
  url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(url);
  let closed = false;
  const close = () => {
    closed = true;
    socket.close();
  };
  socket.addEventListener("message", ({ data }) => {
    if (closed) return;
    onLife();
    const frame = frameIn(data);
    if (frame) onFrame(frame);
    else {
      close();
      onEnd({ code: LOST });
    }
  });
  socket.addEventListener("close", ({ code }) => {
    if (!closed) onEnd({ code });
  });
  return {
    close,
    ping: () => socket.send('{"type":"ping"}'),
  };
}

/**
 * @param {string} userId
 * @param {Position | null} position
 * @param {Ear} ear
 * @returns {Line}
 */
export function openStream(userId, position, ear) {
  const leaving = new AbortController();
  read(address("events", userId, position), leaving.signal, ear).then((end) => {
    if (!leaving.signal.aborted) ear.onEnd(end);
  });
  return { close: () => leaving.abort(), ping: null };
}

/**
 * @param {URL} url
 * @param {AbortSignal} signal
 * @param {Ear} ear
 * @returns {Promise<End>}
 */
async function read(url, signal, { onFrame, onLife }) {
  const answer = await fetch(url, { signal, cache: "no-store" }).catch(() => null);
  if (!answer?.ok || !answer.body) {
    const seconds = Number(answer?.headers.get("retry-after"));
    return { code: CODES.get(answer?.status ?? 0) ?? LOST, pauseMs: seconds > 0 ? seconds * 1000 : 0 };
  }
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  while (true) {
    const { done, value } = await reader.read().catch(() => ({ done: true, value: "" }));
    if (done || signal.aborted) return { code: LOST };
    onLife();
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const data of blocks.map(dataOf)) {
      if (signal.aborted) return { code: LOST };
      const frame = data ? frameIn(data) : undefined;
      if (frame) onFrame(frame);
      else if (frame === null) return { code: LOST };
    }
  }
}

/**
 * A frame as it was sent; null for what is none: something on the way has spoiled it, and the line with it.
 *
 * @param {string} text
 * @returns {Frame | null}
 */
function frameIn(text) {
  try {
    const frame = JSON.parse(text);
    return typeof frame?.type === "string" ? frame : null;
  } catch {
    return null;
  }
}

/**
 * What a block of an event stream says; "" for a comment.
 *
 * @param {string} block
 */
function dataOf(block) {
  const lines = block.split("\n").filter((line) => line.startsWith("data:"));
  return lines.map((line) => line.slice(5).trimStart()).join("\n");
}

/**
 * @param {string} kind
 * @param {string} userId
 * @param {Position | null} position
 */
function address(kind, userId, position) {
  const url = new URL(`/${kind}/${encodeURIComponent(userId)}`, location.href);
  if (position) {
    url.searchParams.set("since", String(position.seq));
    url.searchParams.set("epoch", position.epoch);
  }
  return url;
}
