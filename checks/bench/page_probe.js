/**
 * Measures in the page how long it takes until something is painted, in milliseconds.
 *
 * Painted means: found in the document, the next frame begun, and that frame's work done. `event.timeStamp` of a
 * key press is the moment at which the browser took it in, on the clock of `performance.now()`.
 */

globalThis.probe = {
  pressed: 0,

  /** The moment at which `found()` was first true and painted. */
  painted(found) {
    return new Promise((resolve) => {
      const seen = () => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(performance.now());
        requestAnimationFrame(() => port2.postMessage(null));
      };
      if (found()) {
        seen();
        return;
      }
      const observer = new MutationObserver(() => {
        if (!found()) return;
        observer.disconnect();
        seen();
      });
      observer.observe(document, { attributes: true, characterData: true, childList: true, subtree: true });
    });
  },

  /** From the last press of Enter until an element of `selector` holds `text`. */
  async afterEnter(selector, text) {
    const at = await probe.painted(() => [...document.querySelectorAll(selector)].some((node) => node.textContent.includes(text)));
    return at - probe.pressed;
  },
};

addEventListener(
  "keydown",
  ({ key, timeStamp }) => {
    if (key === "Enter") probe.pressed = timeStamp;
  },
  { capture: true },
);
