/**
 * The connection of one user, kept open: after a drop it comes back, asking for what was missed.
 *
 * It is a WebSocket. Where two in a row never say hello, the same frames are asked for over plain HTTP; if that
 * works, sockets are blocked, and one is tried beside it from time to time; if not, the server is away.
 *
 * `position()` gives `{epoch, seq}` to go on from, or null to start with a snapshot. `onFrame` gets each frame and
 * returns whether none before it is missing; where one is, it is asked for at once, over a new line. `onState`
 * gets one of "reconnecting", "offline", "signed_out", "refused"; "live" follows from the hello frame.
 */

import { LOST, openSocket, openStream } from "./lines.js";

/**
 * @typedef {import("./lines.js").End} End
 * @typedef {import("./lines.js").Frame} Frame
 * @typedef {import("./lines.js").Line} Line
 * @typedef {import("./types.js").Link} Link
 */

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
/** How long a line may take to say hello; a proxy may swallow what it does not understand. */
const HELLO_MS = 10_000;
/** How long a sign of life may take that is asked for because the page woke up, say. */
const SIGN_OF_LIFE_MS = 3000;
const HEARTBEAT_S = 20;
/** How long a line must last to be no failure: a server may greet and fail, over and over. */
const STEADY_MS = 5000;
/** How many sockets in a row may fail to say hello before plain HTTP is tried. */
const SOCKETS_TRIED = 2;
/** After how long it is seen whether sockets work again. */
const SOCKET_AGAIN_MS = 300_000;
/**
 * How long a hidden page keeps an event stream. Browsers open six HTTP/1.1 connections to a server, all windows
 * together: six streams held by hidden pages, and no window could send a message.
 */
const HIDDEN_STREAM_MS = 10_000;
/** @type {Map<number, Link>} */
const FINAL_CODES = new Map([
  [4401, "signed_out"],
  [4403, "refused"],
  [4404, "refused"],
]);

export class Connection {
  #userId;
  #position;
  #onFrame;
  #onState;
  /** @type {Line | null} */
  #line = null;
  /** @type {Line | null} */
  #beside = null;
  /** @type {Map<string, ReturnType<typeof setTimeout>>} */
  #timers = new Map();
  #failures = 0;
  /** How many lines in a row were lost soon after their hello. */
  #briefLines = 0;
  /** @type {number | null | undefined} */
  #missedBehind;
  #deafSockets = 0;
  #greeted = false;
  #heard = false;
  #heartbeatMs = HEARTBEAT_S * 1000;
  #hidden = false;
  #closed = false;

  /**
   * @param {{userId: string, position: () => import("./lines.js").Position | null,
   *   onFrame: (frame: Frame) => boolean, onState: (link: Link) => void}} about
   */
  constructor({ userId, position, onFrame, onState }) {
    this.#userId = userId;
    this.#position = position;
    this.#onFrame = onFrame;
    this.#onState = onState;
  }

  /** Open a line, unless there is one. */
  open() {
    if (this.#closed || this.#line) return;
    this.#clear("retry");
    this.#heard = this.#greeted = false;
    const overSocket = this.#deafSockets < SOCKETS_TRIED;
    this.#line = (overSocket ? openSocket : openStream)(this.#userId, this.#position(), {
      onFrame: (frame) => this.#took(frame),
      onLife: () => (this.#heard = true),
      onEnd: (end) => this.#dropped(end),
    });
    this.#after("hello", HELLO_MS, () => this.#dropped({ code: LOST }));
  }

  /** Come back at once from the last position: where a frame is missing, or the machine is online again. */
  reopen() {
    this.rest();
    this.open();
  }

  /** Make sure of the line: the page was away, or the machine may be offline. */
  wake() {
    this.#hidden = false;
    this.#clear("hidden");
    if (!this.#line) this.open();
    else if (this.#greeted) this.#askForLife();
  }

  /** The page is not looked at. */
  hide() {
    this.#hidden = true;
    if (this.#line?.ping === null) this.#after("hidden", HIDDEN_STREAM_MS, () => this.rest());
  }

  /** Let go of the line until `open`, `reopen` or `wake`. */
  rest() {
    for (const name of [...this.#timers.keys()]) this.#clear(name);
    this.#beside?.close();
    this.#line?.close();
    this.#beside = this.#line = null;
  }

  close() {
    this.#closed = true;
    this.rest();
  }

  /** @param {Frame} frame */
  #took(frame) {
    if (frame.type === "hello") this.#welcomed(frame);
    if (frame.type !== "pong" && !this.#onFrame(frame)) this.#missed();
  }

  /** A frame is missing: ask for it at once; where that was done in vain, after a pause. */
  #missed() {
    const seq = this.#position()?.seq ?? null;
    const again = seq === this.#missedBehind;
    this.#missedBehind = seq;
    if (again) this.#dropped({ code: LOST });
    else this.reopen();
  }

  /** @param {Frame} hello */
  #welcomed({ heartbeat_s: seconds }) {
    this.#greeted = true;
    this.#failures = 0;
    this.#after("steady", STEADY_MS, () => {
      this.#clear("steady");
      this.#briefLines = 0;
    });
    this.#heartbeatMs = (seconds || HEARTBEAT_S) * 1000;
    this.#clear("hello");
    this.#beat(0);
    if (this.#line?.ping) {
      this.#deafSockets = 0;
      return;
    }
    this.#after("socket", SOCKET_AGAIN_MS, () => this.#trySocket());
    if (this.#hidden) this.hide();
  }

  /**
   * A page can't see the server's own pings, so it asks, and takes two silent intervals for a dead line.
   *
   * @param {number} silent how many intervals nothing was heard
   */
  #beat(silent) {
    this.#after("heartbeat", this.#heartbeatMs, () => {
      const now = this.#heard ? 0 : silent + 1;
      this.#heard = false;
      if (now >= 2) {
        this.#dropped({ code: LOST });
        return;
      }
      this.#line?.ping?.();
      this.#beat(now);
    });
  }

  #askForLife() {
    if (!this.#line?.ping) {
      this.reopen();
      return;
    }
    this.#heard = false;
    this.#line.ping();
    this.#after("sign of life", SIGN_OF_LIFE_MS, () => {
      if (!this.#heard) this.#dropped({ code: LOST });
    });
  }

  /** See whether sockets work again, while the stream goes on; what comes twice is known by its number. */
  #trySocket() {
    const again = () => {
      this.#beside?.close();
      this.#beside = null;
      this.#after("socket", SOCKET_AGAIN_MS, () => this.#trySocket());
    };
    const socket = openSocket(this.#userId, this.#position(), {
      onFrame: (frame) => {
        if (socket === this.#beside) {
          this.#beside = null;
          this.rest();
          this.#line = socket;
        }
        this.#took(frame);
      },
      onLife: () => (this.#heard = true),
      onEnd: (end) => (socket === this.#beside ? again() : this.#dropped(end)),
    });
    this.#beside = socket;
    this.#after("socket", HELLO_MS, again);
  }

  /** @param {End} end */
  #dropped({ code, pauseMs = 0 }) {
    const wasSocket = this.#line?.ping !== null;
    if (this.#timers.has("steady")) {
      this.#failures = this.#briefLines;
      this.#briefLines += 1;
    }
    this.rest();
    const final = FINAL_CODES.get(code);
    if (final) {
      this.#onState(final);
      return;
    }
    if (wasSocket) this.#deafSockets = this.#greeted || code !== LOST ? 0 : this.#deafSockets + 1;
    else this.#deafSockets = this.#greeted ? SOCKETS_TRIED - 1 : 0;
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#after("retry", Math.max(pauseMs, pause * (0.5 + Math.random() / 2)), () => this.open());
    // This comes last: whoever hears it may come back at once.
    this.#onState(navigator.onLine === false ? "offline" : "reconnecting");
  }

  /**
   * @param {string} name of what it is for; a timer that was set for the same is cleared
   * @param {number} ms
   * @param {() => void} act
   */
  #after(name, ms, act) {
    this.#clear(name);
    this.#timers.set(name, setTimeout(act, ms));
  }

  /** @param {string} name */
  #clear(name) {
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
  }
}
