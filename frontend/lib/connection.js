/**
 * The WebSocket of one user, kept open: after a drop it comes back, asking for what was missed.
 *
 * `position()` gives `{epoch, seq}` to go on from, or null to start with a snapshot. `onFrame` gets each frame and
 * returns whether none before it is missing; where one is, it is asked for at once, over a new socket. `onState`
 * gets one of "connecting", "reconnecting", "signed_out", "refused"; "live" follows from the hello frame.
 */

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
const FINAL_CODES = { 4401: "signed_out", 4403: "refused", 4404: "refused" };

export class Connection {
  #userId;
  #position;
  #onFrame;
  #onState;
  #socket = null;
  #retry = null;
  #heartbeat = null;
  #failures = 0;
  #closed = false;
  #heard = false;

  constructor({ userId, position, onFrame, onState }) {
    this.#userId = userId;
    this.#position = position;
    this.#onFrame = onFrame;
    this.#onState = onState;
  }

  open() {
    clearTimeout(this.#retry);
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const url = new URL(`${scheme}//${location.host}/ws/${encodeURIComponent(this.#userId)}`);
    const position = this.#position();
    if (position) {
      url.searchParams.set("since", position.seq);
      url.searchParams.set("epoch", position.epoch);
    }
    const socket = new WebSocket(url);
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      if (socket !== this.#socket) return;
      this.#heard = true;
      const frame = JSON.parse(data);
      if (frame.type === "hello") this.#welcomed(frame);
      if (frame.type !== "pong" && !this.#onFrame(frame)) this.reopen();
    });
    socket.addEventListener("close", ({ code }) => {
      if (socket === this.#socket) this.#dropped(code);
    });
  }

  /** Come back at once from the last position: where a frame is missing, or the machine is online again. */
  reopen() {
    if (this.#closed) return;
    this.#letGo();
    this.open();
  }

  close() {
    this.#closed = true;
    this.#letGo();
  }

  #letGo() {
    clearTimeout(this.#retry);
    clearInterval(this.#heartbeat);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  #welcomed({ heartbeat_s: seconds }) {
    this.#failures = 0;
    clearInterval(this.#heartbeat);
    // A page can't see the server's own pings, so it asks, and takes two silent intervals for a dead line.
    let silent = 0;
    this.#heartbeat = setInterval(() => {
      silent = this.#heard ? 0 : silent + 1;
      this.#heard = false;
      if (silent >= 2) this.#dropped(1006);
      else this.#socket?.send(JSON.stringify({ type: "ping" }));
    }, (seconds || 20) * 1000);
  }

  #dropped(code) {
    this.#letGo();
    if (this.#closed) return;
    if (code in FINAL_CODES) {
      this.#onState(FINAL_CODES[code]);
      return;
    }
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#retry = setTimeout(() => this.open(), pause * (0.5 + Math.random() / 2));
    this.#onState("reconnecting"); // last: whoever hears it may come back at once
  }
}
