/** Brings elements in line with others, in place, so that a selection in them stays while more is written. */

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
