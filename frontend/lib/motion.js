/** Lets what changes its place in a list glide there, so that the eye can follow it. */

/** What goes leaves first, then what stays closes up, then what is new fades in: nothing moves under anything else. */
const LEAVE = { duration: 220, easing: "ease-in" };
const GLIDE = { duration: 200, easing: "ease-out" };
const ENTER = { duration: 140 };
/** Only what can be seen is worth measuring: a screen has no room for more. */
const FOLLOWED = 16;

/**
 * Run a change of a list, and let its first children glide from where they were; then new ones fade in. Where motion
 * is not wanted, it is just changed.
 *
 * @param {HTMLElement} list
 * @param {() => void} change
 * @param {object} [going] what leaves for a drawer, and does not just make room
 * @param {(node: HTMLElement) => boolean} [going.isGoing]
 * @param {Element | null} [going.drawer] where it slides to; without one in sight it is just gone
 */
export function gliding(list, change, { isGoing = () => false, drawer = null } = {}) {
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (isCalm || !list.checkVisibility() || !list.hasChildNodes()) {
    change();
    return;
  }
  const before = new Map(followed(list).map((node) => [node, node.getBoundingClientRect()]));
  change();
  const gone = [...before].filter(([node, { top, bottom }]) => !node.isConnected && bottom > 0 && top < innerHeight && isGoing(node));
  const wait = slideAway(list, gone, drawer) ? LEAVE.duration : 0;
  for (const node of followed(list)) {
    const was = before.get(node);
    const moved = was === undefined ? 0 : was.top - node.getBoundingClientRect().top;
    if (was === undefined) node.animate({ opacity: [0, 1] }, { ...ENTER, delay: wait + GLIDE.duration, fill: "backwards" });
    else if (moved) node.animate({ transform: [`translateY(${moved}px)`, "none"] }, { ...GLIDE, delay: wait, fill: "backwards" });
  }
}

/**
 * Slide what was taken out of a list to its drawer, over the list and out of everybody's way; return whether it does.
 *
 * @param {HTMLElement} list
 * @param {[HTMLElement, DOMRect][]} gone
 * @param {Element | null} drawer
 */
function slideAway(list, gone, drawer) {
  if (!gone.length || !drawer?.checkVisibility()) return false;
  const layer = document.createElement("div");
  layer.className = "leaving";
  layer.inert = true;
  list.before(layer);
  const origin = layer.getBoundingClientRect();
  const to = drawer.getBoundingClientRect();
  const slides = gone.map(([node, { top, left, width }]) => {
    layer.append(node);
    Object.assign(node.style, { top: `${top - origin.top}px`, left: `${left - origin.left}px`, width: `${width}px` });
    const way = `translate(${(to.left - left) / 4}px, ${to.top - top}px) scale(0.92)`;
    return node.animate({ transform: ["none", way], opacity: [1, 0.7, 0] }, { ...LEAVE, fill: "forwards" }).finished;
  });
  Promise.allSettled(slides).then(() => layer.remove());
  return true;
}

/** @param {HTMLElement} list */
function followed(list) {
  return /** @type {HTMLElement[]} */ ([...list.children].slice(0, FOLLOWED));
}
