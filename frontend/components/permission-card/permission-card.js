/** A permission that is asked for: the facts of what would be done, its total, and two buttons, each of which answers once. */

import { Component } from "../../lib/component.js";
import { element, setText } from "../../lib/dom.js";
import { keepExpiry } from "../../lib/expiry.js";
import { factsOf, questionOf, verbsOf } from "../../lib/permissions.js";

/**
 * @typedef {object} Asked
 * @property {import("../../lib/types.js").InputRequest} request
 * @property {import("../../lib/types.js").Answering | undefined} answering
 * @property {number} behind how many more wait to be asked
 */

let made = 0;

/** @extends {Component<Asked>} */
class PermissionCard extends Component {
  #deny = element("button", { type: "button" });
  #allow = element("button", { type: "button", className: "primary" });
  #prompt = element("span", { dir: "auto" });
  #expiry = element("span");
  #behind = element("span");
  #error = element("p", { className: "error", dir: "auto", hidden: true });

  /** @override */
  build() {
    made += 1;
    const title = element("h2", { id: `permission-${made}`, tabIndex: -1 });
    title.append(element("span", { className: "kind" }, "Permission"), " ", this.#prompt);
    this.role = "group";
    this.ariaLabel = "Permission";
    this.setAttribute("aria-describedby", title.id);
    this.append(title);
    if (!this.data) return;
    const { request } = this.data;
    const { rows, total, mode } = factsOf(request);
    const verbs = verbsOf(request);
    setText(this.#prompt, questionOf(request));
    setText(this.#deny, verbs.deny);
    setText(this.#allow, verbs.allow);
    this.#deny.addEventListener("click", () => this.#decide("deny"));
    this.#allow.addEventListener("click", () => this.#decide("allow"));
    const facts = element("dl", { ariaLabel: "What would be done" }, total ? factRow(["Total", [total]]) : null, ...rows.map(factRow));
    facts.classList.toggle("has-total", total !== "");
    const terms = element("p", { className: "terms" }, mode && element("span", { dir: "auto" }, mode));
    terms.append(this.#expiry, this.#behind);
    const buttons = element("div", { className: "row" }, this.#deny, this.#allow);
    this.append(facts, this.#error, buttons, terms);
  }

  /** @override */
  listen() {
    if (this.data) keepExpiry(this.#expiry, this.data.request.expires_at, this.leaving);
  }

  /** Put the focus where it reads what is asked, and on neither button. */
  enter() {
    this.querySelector("h2")?.focus();
  }

  /** @override @param {Asked} asked */
  update({ answering, behind }) {
    const sending = answering?.state === "sending";
    for (const button of [this.#deny, this.#allow]) button.ariaDisabled = sending ? "true" : null;
    this.#error.hidden = !answering?.error;
    setText(this.#error, answering?.error ?? "");
    setText(this.#behind, behind ? `${behind} more after this` : "");
  }

  /** @param {"allow" | "deny"} decision */
  #decide(decision) {
    if (!this.data || this.data.answering?.state === "sending") return;
    this.act("answer", { requestId: this.data.request.request_id, decision });
  }
}

/** @param {[string, string[]]} fact */
function factRow([title, lines]) {
  const head = element("dt", { dir: "auto" }, title);
  return element("div", {}, head, ...lines.map((line) => element("dd", { dir: "auto" }, line)));
}

customElements.define("permission-card", PermissionCard);
