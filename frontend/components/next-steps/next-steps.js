/** What the last reply suggests to say next: each a button that sends it as an ordinary message. */

import { Component } from "../../lib/component.js";
import { element } from "../../lib/dom.js";
import { goToMessageBox } from "../../lib/focus.js";

/** How many are shown: more would be a menu. */
const MOST = 3;

/** @extends {Component<import("../../lib/types.js").Message>} */
class NextSteps extends Component {
  #list = element("ul", { ariaLabel: "What you could say next" });

  /** @override */
  build() {
    this.append(this.#list);
  }

  /** @override @param {import("../../lib/types.js").Message} message */
  update({ suggestions = [] }) {
    this.#list.replaceChildren(...suggestions.slice(0, MOST).map((text) => element("li", {}, this.#button(text))));
  }

  /** @param {string} text */
  #button(text) {
    const button = element("button", { type: "button", dir: "auto" }, text);
    button.addEventListener("click", () => {
      this.act("send", { text });
      goToMessageBox();
    });
    return button;
  }
}

customElements.define("next-steps", NextSteps);
