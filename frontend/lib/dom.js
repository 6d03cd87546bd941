/** Small helpers around the DOM. Text always enters as a text node. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an element: `element("p", {className: "x"}, "text", child)`. Children that are null or "" are left out.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Partial<HTMLElementTagNameMap[K]>} [properties]
 * @param {...(Node | string | null)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children.filter(isThere));
  return node;
}

/**
 * Make an SVG element: `svg("circle", {r: 3}, child)`; its properties are attributes.
 *
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Object<string, string | number>} [attributes]
 * @param {...(Node | string | null)} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children.filter(isThere));
  return node;
}

/** @param {Node | string | null} child @returns {child is Node | string} */
function isThere(child) {
  return child !== null && child !== "";
}

/**
 * Make a component and give it its data: `component("flight-card", offer)`.
 *
 * @param {string} tag
 * @param {unknown} [data]
 */
export function component(tag, data) {
  const node = /** @type {import("./component.js").Component<any>} */ (document.createElement(tag));
  if (data !== undefined) node.data = data;
  return node;
}

/**
 * Make `parent`'s children match `items`, one each and in order, keeping the node of every key that stays,
 * so that nothing under the pointer or the focus is replaced. `update(node, item)` runs for all of them.
 *
 * @template T
 * @template {HTMLElement} [N=HTMLElement]
 * @param {Element} parent
 * @param {readonly T[]} items
 * @param {object} how
 * @param {(item: T) => string | number} how.key
 * @param {(item: T) => N} how.create
 * @param {(node: N, item: T) => void} [how.update]
 */
export function keepChildren(parent, items, { key, create, update = () => {} }) {
  const children = /** @type {N[]} */ ([...parent.children]);
  const keys = new Set(items.map((item) => String(key(item))));
  for (const node of children) if (!keys.has(node.dataset.key ?? "")) node.remove();
  const kept = new Map(children.map((node) => [node.dataset.key, node]));
  let place = parent.firstElementChild;
  for (const item of items) {
    const id = String(key(item));
    const node = kept.get(id) ?? create(item);
    node.dataset.key = id;
    update(node, item);
    if (node === place) place = place.nextElementSibling;
    else parent.insertBefore(node, place);
  }
}

/**
 * @param {Element} node
 * @param {string} text
 */
export function setText(node, text) {
  const { firstChild: own } = node;
  // A text node that is written to is no node that comes and goes: the styles of nothing around it are asked for again.
  if (text && own instanceof Text && own === node.lastChild) {
    if (own.data !== text) own.data = text;
  } else if (node.textContent !== text) {
    node.textContent = text;
  }
}

// --- In-place updates, which keep a selection while more is written

/**
 * Make the children of `target` equal to those of `source`; what differs is taken from there.
 *
 * @param {Node} target
 * @param {Node} source
 */
export function morph(target, source) {
  const have = [...target.childNodes];
  const want = [...source.childNodes];
  for (const [at, wanted] of want.entries()) {
    const old = have[at];
    if (!old) target.appendChild(wanted);
    else if (old instanceof Text && wanted instanceof Text) setData(old, wanted.data);
    else if (old instanceof Element && wanted instanceof Element && old.tagName === wanted.tagName) {
      setAttributes(old, wanted);
      morph(old, wanted);
    } else target.replaceChild(wanted, old);
  }
  for (const node of have.slice(want.length)) target.removeChild(node);
}

/** A text that goes on is added to, so that a selection in it stays. @param {Text} node @param {string} data */
function setData(node, data) {
  if (data.startsWith(node.data)) node.appendData(data.slice(node.data.length));
  else node.data = data;
}

/** @param {Element} target @param {Element} source */
function setAttributes(target, source) {
  for (const { name, value } of source.attributes) {
    if (target.getAttribute(name) !== value) target.setAttribute(name, value);
  }
  for (const { name } of [...target.attributes]) {
    // Whether a fold is open is its reader's business.
    if (!source.hasAttribute(name) && name !== "open") target.removeAttribute(name);
  }
}

// --- Icons

/** @type {Object<string, string>} paths in a square of 16 */
const PATHS = {
  waiting: "M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11",
  searching: "M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 1 1 0-9M10.4 10.4l3.1 3.1",
  "needs-you": "M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11M8 5.2v3.4M8 10.8v.2",
  adjusting: "M3 6h8.5l-2.2-2.2M13 10H4.5l2.2 2.2",
  stopping: "M5 5h6v6H5z",
  done: "M3.5 8.5l3 3l6-7",
  stopped: "M5 5h6v6H5z",
  failed: "M4.5 4.5l7 7M11.5 4.5l-7 7",
  unfold: "M4 6l4 4l4-4",
  edit: "M3.5 12.5l.7-2.7l6.3-6.3l2 2l-6.3 6.3z",
};

/**
 * A sign that says nothing to screen readers.
 *
 * @param {string} name
 */
export function icon(name) {
  return svg(
    "svg",
    { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true", focusable: "false" },
    svg("path", { d: PATHS[name] ?? PATHS.waiting ?? "" }),
  );
}
