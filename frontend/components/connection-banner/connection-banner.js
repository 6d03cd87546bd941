/** A line that says so while the page does not hear of the server; nothing while it does. */

import { Component } from "../../lib/component.js";
import { element, setText } from "../../lib/dom.js";
import { FACE } from "../../lib/face.js";
import { beginSignIn } from "../../lib/link-token.js";
import { linkWords } from "../../lib/words.js";

/** How long connecting may take before it is worth a word, in milliseconds. */
const PATIENCE_MS = 1200;

/** @extends {Component<import("../../lib/reduce.js").State>} */
class ConnectionBanner extends Component {
  #text = element("p");
  #signIn = element("a", { textContent: "Sign in", href: FACE.signIn, hidden: true });
  /** @type {number | undefined} */
  #timer;
  /** @type {import("../../lib/types.js").Link} */
  #shown = "live";

  /** @override */
  build() {
    this.hidden = true;
    this.role = "region";
    this.ariaLabel = "Connection";
    this.#signIn.addEventListener("click", () => Object.assign(this.#signIn, { href: beginSignIn(FACE.signIn) }));
    this.append(this.#text, this.#signIn);
  }

  /** @override @param {import("../../lib/reduce.js").State} state */
  update({ connection }) {
    if (connection === this.#shown) return;
    this.#shown = connection;
    clearTimeout(this.#timer);
    if (connection === "connecting") this.#timer = setTimeout(() => this.#show(connection), PATIENCE_MS);
    else this.#show(connection);
  }

  /** @param {import("../../lib/types.js").Link} connection */
  #show(connection) {
    this.hidden = connection === "live";
    this.dataset.link = connection;
    setText(this.#text, linkWords(connection));
    this.#signIn.hidden = connection !== "signed_out" || !FACE.signIn.startsWith("http");
  }
}

customElements.define("connection-banner", ConnectionBanner);
