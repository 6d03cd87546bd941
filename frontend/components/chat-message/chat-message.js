/** One message: what the user said, or what Detour did; one that was not sent can be sent again. */

import { Component } from "../../lib/component.js";
import { element, setText } from "../../lib/dom.js";

/**
 * @typedef {object} ShownMessage
 * @property {"user" | "assistant" | "system"} role
 * @property {string} text
 * @property {boolean} streaming whether more of it is coming
 * @property {boolean} sending whether the server has not taken it yet
 * @property {string} about one line on what became of it; "" for none
 * @property {{clientId: string, error: string} | null} unsent
 */

/** @extends {Component<ShownMessage>} */
class ChatMessage extends Component {
  #text = element("p", { className: "text", dir: "auto" });
  #about = element("p", { className: "about" });
  #error = element("span", { dir: "auto" });
  #unsent = element("p", { className: "unsent", hidden: true }, this.#error, " ");

  /** @override */
  build() {
    const retry = element("button", { type: "button", className: "plain", textContent: "Try again" });
    retry.addEventListener("click", () => {
      const clientId = this.data?.unsent?.clientId;
      if (clientId) this.act("resend", { clientId });
    });
    this.#unsent.append(retry);
    this.role = "article";
    this.append(this.#text, this.#about, this.#unsent);
  }

  /** @override @param {ShownMessage} message */
  update({ role, text, streaming, sending, about, unsent }) {
    this.dataset.role = role;
    this.ariaLabel = role === "user" ? "You" : "Detour";
    // A reply is read once it is whole, and not piece by piece.
    this.ariaLive = streaming ? "off" : null;
    this.classList.toggle("sending", sending);
    this.classList.toggle("unconfirmed", sending || unsent !== null);
    setText(this.#text, text);
    setText(this.#about, sending ? "Sending…" : about);
    this.#about.hidden = !sending && about === "";
    this.#unsent.hidden = unsent === null;
    setText(this.#error, unsent ? `Not sent: ${unsent.error}` : "");
  }
}

customElements.define("chat-message", ChatMessage);
