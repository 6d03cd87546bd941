/** What a task of any graph has found, by agent: as a table where it is alike and short, and else as cards. */

import { agentName } from "../../lib/agents.js";
import { Component } from "../../lib/component.js";
import { component, element, keepChildren, setText } from "../../lib/dom.js";
import { counted } from "../../lib/english.js";
import { asTable } from "../../lib/plain.js";

/** @typedef {{partials: Object<string, unknown[]>}} Found */

/** How much is shown until all of it is asked for. */
const [CARDS_SHOWN, ROWS_SHOWN] = [3, 6];

/** @extends {Component<Found>} */
class FoundItems extends Component {
  /** @override @param {Found} found */
  update({ partials }) {
    keepChildren(this, Object.entries(partials).filter(([, items]) => items.length), {
      key: ([agent]) => agent,
      create: () => component("found-group"),
      update: (node, [agent, items]) => {
        const group = /** @type {FoundGroup} */ (node);
        if (group.data?.items !== items) group.data = { agent, items };
      },
    });
  }
}

/** @extends {Component<{agent: string, items: unknown[]}>} */
class FoundGroup extends Component {
  #title = element("h3");
  #body = element("div", { className: "found" });
  #all = element("button", { type: "button", className: "plain", hidden: true });
  #open = false;

  /** @override */
  build() {
    this.#all.addEventListener("click", () => {
      this.#open = !this.#open;
      if (this.data) this.update(this.data);
    });
    this.append(this.#title, this.#body, this.#all);
  }

  /** @override @param {{agent: string, items: unknown[]}} group */
  update({ agent, items }) {
    setText(this.#title, `${agentName(agent)}: ${counted(items.length, "result")}`);
    const table = asTable(items);
    const most = table ? ROWS_SHOWN : CARDS_SHOWN;
    const count = this.#open ? items.length : most;
    if (table) this.#body.replaceChildren(tableOf(table.columns, table.rows.slice(0, count)));
    else this.#showCards(items.slice(0, count));
    this.#all.hidden = items.length <= most;
    setText(this.#all, this.#open ? "Show fewer" : `Show all ${items.length}`);
    this.#all.ariaExpanded = String(this.#open);
  }

  /** @param {unknown[]} items */
  #showCards(items) {
    if (this.#body.firstElementChild?.localName !== "ul") this.#body.replaceChildren(element("ul"));
    const list = /** @type {Element} */ (this.#body.firstElementChild);
    keepChildren(list, items.map((item, at) => ({ item, at })), {
      key: ({ at }) => at,
      create: ({ item }) => element("li", {}, component("plain-card", item)),
    });
  }
}

/** @param {string[]} columns @param {string[][]} rows */
function tableOf(columns, rows) {
  const head = element("tr", {}, ...columns.map((name) => element("th", { scope: "col", dir: "auto" }, name)));
  const lines = rows.map((row) => {
    const cells = row.map((text) => {
      const isNumber = text !== "" && Number.isFinite(Number(text));
      return element("td", { dir: "auto", className: isNumber ? "number" : "" }, text);
    });
    return element("tr", {}, ...cells);
  });
  const table = element("table", {}, element("thead", {}, head), element("tbody", {}, ...lines));
  return element("div", { className: "scrolled", role: "group", tabIndex: 0, ariaLabel: "Table" }, table);
}

customElements.define("found-group", FoundGroup);
customElements.define("found-items", FoundItems);
