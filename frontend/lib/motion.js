/** Lets what changes its place in a list glide there, so that the eye can follow it. */

const GLIDE = { duration: 200, easing: "ease-out" };
/** What is new shows once there is room for it: it would lie under what still glides away otherwise. */
const ENTER = { duration: 140, delay: GLIDE.duration };
/** Only what can be seen is worth measuring: a screen has no room for more. */
const FOLLOWED = 16;

/**
 * Run a change of a list, and let its first children glide from where they were; then new ones fade in. Where motion
 * is not wanted, it is just changed.
 *
 * @param {HTMLElement} list
 * @param {() => void} change
 */
export function gliding(list, change) {
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (isCalm || !list.checkVisibility() || !list.hasChildNodes()) {
    change();
    return;
  }
  const before = new Map(followed(list).map((node) => [node, node.offsetTop]));
  change();
  for (const node of followed(list)) {
    const was = before.get(node);
    const moved = was === undefined ? 0 : was - node.offsetTop;
    if (was === undefined) node.animate({ opacity: [0, 1] }, { ...ENTER, fill: "backwards" });
    else if (moved) node.animate({ transform: [`translateY(${moved}px)`, "none"] }, GLIDE);
  }
}

/** @param {HTMLElement} list */
function followed(list) {
  return /** @type {HTMLElement[]} */ ([...list.children].slice(0, FOLLOWED));
}
