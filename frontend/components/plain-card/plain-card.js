/** Something that an agent found of which this page knows no more than its fields: on one line, until it is opened. */

import { Component } from "../../lib/component.js";
import { element } from "../../lib/dom.js";
import { plainly } from "../../lib/plain.js";

/** @extends {Component<unknown>} */
class PlainCard extends Component {
  /** @override @param {unknown} item */
  update(item) {
    const { title, url, fields } = plainly(item);
    const name = url ? element("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, title) : title;
    const rows = fields.map(({ name, text }) =>
      element("div", {}, element("dt", { dir: "auto" }, name), " ", element("dd", { dir: "auto" }, text)),
    );
    const head = element("div", { className: "head" }, element("h3", { dir: "auto" }, name));
    const article = element("article", {}, head, element("dl", { hidden: rows.length === 0 }, ...rows));
    if (fields.length > 1 || fields.some(({ isLong }) => isLong)) head.append(opener(article, title));
    this.replaceChildren(article);
  }
}

/** @param {HTMLElement} article @param {string} title */
function opener(article, title) {
  const more = element("button", { type: "button", className: "plain", ariaExpanded: "false" });
  const show = (/** @type {boolean} */ open) => {
    article.classList.toggle("open", open);
    more.ariaExpanded = String(open);
    more.replaceChildren(open ? "Less" : "More", element("span", { className: "unseen" }, ` of ${title}`));
  };
  more.addEventListener("click", () => show(more.ariaExpanded === "false"));
  show(false);
  return more;
}

customElements.define("plain-card", PlainCard);
