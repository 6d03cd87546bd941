/** What Enter does to the task that runs, in one line, and a choice of it. */

import { Component } from "../../lib/component.js";
import { element, setText } from "../../lib/dom.js";
import { FACE } from "../../lib/face.js";
import { IS_MAC } from "../../lib/focus.js";
import { enterWords, otherPolicy, otherWords, policies, policyOf, wordsOf } from "../../lib/policies.js";
import { isActive } from "../../lib/tasks.js";

/**
 * @typedef {import("../../lib/reduce.js").State} State
 * @typedef {import("../../lib/policies.js").Policy} Policy
 */

const AT_REST = "Enter sends. Shift+Enter adds a line.";

/** @extends {Component<State>} */
class SendPolicy extends Component {
  #choices = element("fieldset", {}, element("legend", { className: "unseen" }, "What a message does to the current run"));
  #does = element("span");
  #other = element("span", { className: "other" });
  #hint = element("p", { id: "enter-does" }, this.#does, " ", this.#other);
  /** @type {Map<Policy, HTMLInputElement>} */
  #inputs = new Map();

  /** @override */
  build() {
    for (const policy of policies(FACE.steers)) {
      const { name, means } = wordsOf(policy);
      const input = element("input", { type: "radio", name: "policy", value: policy });
      input.addEventListener("change", () => this.act("choosePolicy", { policy }));
      this.#inputs.set(policy, input);
      this.#choices.append(element("label", { title: `${name}: ${means}` }, input, element("span", {}, name)));
    }
    this.append(this.#choices, this.#hint);
  }

  /** @override @param {State} state */
  update({ policy: known, task }) {
    const runs = isActive(task);
    const policy = policyOf(known, FACE.steers);
    this.classList.toggle("at-rest", !runs);
    for (const [name, input] of this.#inputs) input.checked = name === policy;
    setText(this.#does, runs ? enterWords(policy) : AT_REST);
    setText(this.#other, runs ? otherWords(otherPolicy(policy, FACE.steers), IS_MAC) : "");
  }
}

customElements.define("send-policy", SendPolicy);
