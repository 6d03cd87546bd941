/** Two offers side by side: a table of what differs, and in one line what they have in common. */

import { compared } from "../../lib/compare.js";
import { Component } from "../../lib/component.js";
import { element } from "../../lib/dom.js";

/** @typedef {{kind: import("../../lib/offers.js").Kind, offers: import("../../lib/types.js").Offer[]}} Compare */

/** @extends {Component<Compare>} */
class OfferCompare extends Component {
  #table = element("div", { className: "compared" });

  /** @override */
  build() {
    const close = element("button", { type: "button", className: "plain" }, "Close");
    close.addEventListener("click", () => this.dispatchEvent(new CustomEvent("close")));
    // It stays the same button while offers arrive: one that is replaced under a press gets no click.
    this.append(this.#table, close);
  }

  /** @override @param {Compare} shown */
  update({ kind, offers: [one, other] }) {
    this.hidden = !one;
    if (!one) return;
    if (!other) {
      this.#table.replaceChildren(element("p", { className: "quiet" }, "Pick another to compare."));
      return;
    }
    const { titles, rows, common } = compared(kind, one, other);
    const heads = ["", ...titles].map((text) => element("th", { scope: "col", dir: "auto" }, text));
    const body = rows.map(({ name, values }) => {
      const cells = values.map((value) => element("td", {}, value));
      return element("tr", {}, element("th", { scope: "row" }, name), ...cells);
    });
    const table = element("table", {}, element("caption", { className: "unseen" }, "What differs"), element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...body));
    const same = common.length ? element("p", { className: "quiet" }, `The same: ${common.join(" · ")}`) : null;
    this.#table.replaceChildren(table, ...(same ? [same] : []));
  }
}

customElements.define("offer-compare", OfferCompare);
