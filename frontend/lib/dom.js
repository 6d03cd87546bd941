/** Small helpers around the DOM. Text always enters as a text node. */

/** Make an element: `element("p", {className: "x"}, "text", child)`. */
export function element(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children.filter((child) => child !== null && child !== ""));
  return node;
}

/**
 * Make `parent`'s children match `items`, one each and in order, keeping the node of every key that stays,
 * so that nothing under the pointer or the focus is replaced. `update(node, item)` runs for all of them.
 */
export function keepChildren(parent, items, { key, create, update = () => {} }) {
  const keys = new Set(items.map((item) => String(key(item))));
  for (const node of [...parent.children]) if (!keys.has(node.dataset.key)) node.remove();
  const kept = new Map([...parent.children].map((node) => [node.dataset.key, node]));
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

export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
