/** Something that an agent found of which this page knows no more than its fields. */

import { Component } from "../../lib/component.js";
import { element } from "../../lib/dom.js";
import { plainly } from "../../lib/plain.js";

/** @extends {Component<unknown>} */
class PlainCard extends Component {
  /** @override @param {unknown} item */
  update(item) {
    const { title, lines } = plainly(item);
    const told = lines.map((line) => element("p", { className: "quiet", dir: "auto" }, line));
    this.replaceChildren(element("article", {}, element("h3", { dir: "auto" }, title), ...told));
  }
}

customElements.define("plain-card", PlainCard);
