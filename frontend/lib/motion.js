/**
 * Lets what changes its place in a list glide there, so that the eye can follow it.
 *
 * To read where something is after anything was changed lays the whole page out anew, some 7 ms with 80 offers. So where
 * things were is looked up before a drawing changes anything, and where they are once all of it has: between the two
 * nothing is read.
 */

/** What goes leaves first, then what stays closes up, then what is new fades in: nothing moves under anything else. */
const LEAVE = { duration: 220, easing: "ease-in" };
const GLIDE = { duration: 200, easing: "ease-out" };
const ENTER = { duration: 140 };
/** Only what can be seen is worth measuring: a screen has no room for more. */
const FOLLOWED = 16;

/**
 * @typedef {{top: number, nodes: Map<HTMLElement, DOMRect>}} Places where a list begins, and its first children are
 * @typedef {object} Going what leaves for a drawer, and does not just make room
 * @property {(node: HTMLElement) => boolean} isGoing
 * @property {Element | null} drawer where it slides to; without one in sight it is just gone
 */

/**
 * Where the first children of a list are; none where nothing will glide: motion is not wanted, or nobody sees it.
 *
 * @param {HTMLElement} list
 * @returns {Places}
 */
export function placesIn(list) {
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (isCalm || !list.checkVisibility()) return { top: 0, nodes: new Map() };
  const nodes = new Map(followed(list).map((node) => [node, node.getBoundingClientRect()]));
  return { top: list.getBoundingClientRect().top, nodes };
}

/**
 * Let the first children of a list glide from where they were in it; then new ones fade in.
 *
 * @param {HTMLElement} list
 * @param {Places} before as `placesIn` told it before the change; with none nothing moves
 * @param {Going} going
 */
export function glide(list, before, { isGoing, drawer }) {
  if (!before.nodes.size || !list.checkVisibility()) return;
  const gone = [...before.nodes].filter(([node, { top, bottom }]) => !node.isConnected && bottom > 0 && top < innerHeight && isGoing(node));
  const to = gone.length && drawer?.checkVisibility() ? drawer.getBoundingClientRect() : null;
  const origin = list.getBoundingClientRect();
  const after = followed(list).map((node) => /** @type {const} */ ([node, node.getBoundingClientRect().top]));
  if (to) slideAway(list, gone, { origin, to });
  const wait = to ? LEAVE.duration : 0;
  for (const [node, top] of after) {
    const was = before.nodes.get(node);
    const moved = was === undefined ? 0 : was.top - before.top - (top - origin.top);
    if (was === undefined) node.animate({ opacity: [0, 1] }, { ...ENTER, delay: wait + GLIDE.duration, fill: "backwards" });
    else if (moved) node.animate({ transform: [`translateY(${moved}px)`, "none"] }, { ...GLIDE, delay: wait, fill: "backwards" });
  }
}

/**
 * Slide what was taken out of a list to its drawer, over the list and out of everybody's way.
 *
 * @param {HTMLElement} list
 * @param {[HTMLElement, DOMRect][]} gone
 * @param {{origin: DOMRect, to: DOMRect}} way from the list's corner, where the layer over it is, to the drawer
 */
function slideAway(list, gone, { origin, to }) {
  const layer = document.createElement("div");
  layer.className = "leaving";
  layer.inert = true;
  for (const [node, { top, left, width }] of gone) {
    Object.assign(node.style, { top: `${top - origin.top}px`, left: `${left - origin.left}px`, width: `${width}px` });
    layer.append(node);
  }
  list.before(layer);
  const slides = gone.map(([node, { top, left }]) => {
    const way = `translate(${(to.left - left) / 4}px, ${to.top - top}px) scale(0.92)`;
    return node.animate({ transform: ["none", way], opacity: [1, 0.7, 0] }, { ...LEAVE, fill: "forwards" }).finished;
  });
  Promise.allSettled(slides).then(() => layer.remove());
}

/** @param {HTMLElement} list */
function followed(list) {
  return /** @type {HTMLElement[]} */ ([...list.children].slice(0, FOLLOWED));
}
