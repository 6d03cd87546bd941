/** When the page is drawn: soon after something has changed, and not for each of what comes in together. */

/** How long what comes in together is waited for: the frames of one write are taken in within some 3 ms. */
const TOGETHER_MS = 4;
/** How long it is at least from one drawing to the next, in milliseconds: one frame of a screen. */
const FRAME_MS = 16;
/** The same while the page takes in what it missed: drawing thousands of steps would take longer than they did. */
const CATCHING_UP_MS = 1000;

/** Calls a function that draws. A hidden page gets no animation frames, and still has to be right when it is looked at. */
export class Drawing {
  #draw;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** When it will be drawn, and when it last began to be, on the clock of `performance.now()`. */
  #at = Infinity;
  #last = -Infinity;

  /** @param {() => void} draw */
  constructor(draw) {
    this.#draw = draw;
  }

  /** @param {boolean} isCatchingUp */
  soon(isCatchingUp) {
    const now = performance.now();
    const pause = isCatchingUp ? CATCHING_UP_MS : Math.max(TOGETHER_MS, this.#last + FRAME_MS - now);
    if (now + pause >= this.#at) return;
    clearTimeout(this.#timer);
    this.#at = now + pause;
    this.#timer = setTimeout(() => this.now(), pause);
  }

  now() {
    [this.#at, this.#last] = [Infinity, performance.now()];
    this.#draw();
  }
}
