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
