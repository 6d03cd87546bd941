/**
 * On a screen that has room for one part of the page at a time: which of them is looked at. A dot says that something
 * came in where one is not looking, or that the chat needs its user.
 */

import { Component } from "../../lib/component.js";
import { element, keepChildren, setText } from "../../lib/dom.js";
import { viewsOf } from "../../lib/views.js";

/** @typedef {import("../../lib/views.js").View} View */

/** @extends {Component<import("../../lib/reduce.js").State>} */
class ViewTabs extends Component {
  #views = element("nav", { ariaLabel: "Parts of the page" });
  /** What was there when each part was last looked at. @type {Map<string, number>} */
  #seen = new Map();
  #userId = "";
  #looking = "chat";
  #shown = "chat";

  /** @override */
  build() {
    this.append(this.#views);
  }

  /** @override */
  listen() {
    const follow = (/** @type {Event} */ event) => {
      this.#looking = /** @type {CustomEvent<{view: string}>} */ (event).detail.view;
      if (this.data) this.update(this.data);
    };
    document.addEventListener("look", follow, { signal: this.leaving });
  }

  /** @override @param {import("../../lib/reduce.js").State} state */
  update(state) {
    const views = viewsOf(state);
    if (state.userId !== this.#userId || !state.synced) {
      this.#userId = state.userId;
      this.#seen = new Map(views.map(({ name, news }) => [name, news]));
    }
    const at = views.find(({ name }) => name === this.#looking);
    if (at) this.#seen.set(at.name, at.news);
    keepChildren(this.#views, views, {
      key: ({ name }) => name,
      create: (view) => this.#viewButton(view),
      update: (node, view) => this.#show(node, view, view.name === this.#looking),
    });
    if (!at) this.act("look", { view: "chat" });
    else if (at.name !== this.#shown) this.#bringIntoView(at.name);
  }

  /** Who sends a message from the last view is brought to the chat, whose tab may be scrolled away. @param {string} name */
  #bringIntoView(name) {
    this.#shown = name;
    this.#views.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** @param {View} view */
  #viewButton({ name, title }) {
    const button = element(
      "button",
      { type: "button" },
      element("span", {}, title),
      element("span", { className: "count" }),
      element("span", { className: "dot" }, element("span", { className: "unseen" })),
    );
    button.addEventListener("click", () => this.act("look", { view: name }));
    return button;
  }

  /** @param {HTMLElement} node @param {View} view @param {boolean} current */
  #show(node, { name, count, news, needsUser }, current) {
    const [, counted, dot] = /** @type {HTMLCollectionOf<HTMLElement>} */ (node.children);
    if (!counted || !dot) return;
    setText(counted, count === null ? "" : ` ${count}`);
    const fresh = !current && (needsUser || news > (this.#seen.get(name) ?? 0));
    dot.hidden = !fresh;
    setText(/** @type {Element} */ (dot.firstElementChild), needsUser ? ", needs you" : ", something new");
    if (current) node.setAttribute("aria-current", "page");
    else node.removeAttribute("aria-current");
  }
}

customElements.define("view-tabs", ViewTabs);
