/** One message: what the user said, or what Detour did; one's own can be edited and sent again, a reply copied. */

import { Component } from "../../lib/component.js";
import { copy } from "../../lib/copying.js";
import { component, element, icon, setText } from "../../lib/dom.js";
import { FACE } from "../../lib/face.js";
import { goToMessageBox } from "../../lib/focus.js";

/**
 * @typedef {object} ShownMessage
 * @property {"user" | "assistant" | "system"} role
 * @property {string} text
 * @property {boolean} [markdown] whether the text is Markdown, and to be shown so
 * @property {boolean} streaming whether more of it is coming
 * @property {boolean} sending whether the server has not taken it yet
 * @property {string} about one line on what became of it; "" for none
 * @property {{clientId: string, error: string} | null} unsent
 * @property {{clientId: string} | {taskId: string} | null} waits one that is sent once the server is back, or whose task waits
 *   for the end of another
 * @property {string} [begins] the task that it has begun, where it can be edited and sent again
 * @property {boolean} [takenIn] whether the run of another message took it in
 */

const LONGEST = 8000;
const FOR_SERVER = "Waiting for the server. It will be sent once it is back.";
const FOR_TURN = "Waiting for the current run to end.";

/** @extends {Component<ShownMessage>} */
class ChatMessage extends Component {
  #text = element("p", { className: "text", dir: "auto" });
  /** @type {Component<import("../markdown-text/markdown-text.js").Written> | null} */
  #markdown = null;
  #about = element("p", { className: "about" });
  #error = element("span", { dir: "auto" });
  #unsent = element("p", { className: "unsent", hidden: true }, this.#error, " ");
  #why = element("span");
  #waiting = element("p", { className: "waiting", hidden: true }, this.#why, " ");
  #edit = element("button", { type: "button", className: "edit plain", ariaLabel: "Edit and send again", title: "Edit and send again" }, icon("edit"));
  #copy = element("button", { type: "button", className: "copy plain" }, "Copy");
  /** @type {HTMLFormElement | null} */
  #form = null;

  /** @override */
  build() {
    const retry = element("button", { type: "button", className: "plain", textContent: "Try again" });
    retry.addEventListener("click", () => {
      const clientId = this.data?.unsent?.clientId;
      if (clientId) this.act("resend", { clientId });
    });
    this.#unsent.append(retry);
    const withdraw = element("button", { type: "button", className: "plain", textContent: "Withdraw" });
    withdraw.addEventListener("click", () => {
      const waits = this.data?.waits;
      if (waits && "clientId" in waits) this.act("withdraw", waits);
      if (waits && "taskId" in waits) this.act("stop", waits);
      goToMessageBox();
    });
    this.#waiting.append(withdraw);
    this.role = "article";
    this.#edit.addEventListener("click", () => this.#open());
    this.#copy.addEventListener("click", () => copy(this.#copy, this.data?.text ?? ""));
    this.append(this.#text, this.#edit, this.#copy, this.#about, this.#unsent, this.#waiting);
  }

  /** @override @param {ShownMessage} message */
  update({ role, text, markdown = false, streaming, sending, about, unsent, waits, begins }) {
    this.#edit.hidden = !begins;
    this.#copy.hidden = role !== "assistant" || streaming;
    this.dataset.role = role;
    this.ariaLabel = role === "user" ? "You" : FACE.title;
    // A reply is read once it is whole, and not piece by piece.
    this.ariaLive = streaming ? "off" : null;
    this.classList.toggle("sending", sending);
    this.classList.toggle("unconfirmed", sending || unsent !== null || waits !== null);
    if (markdown) this.#showMarkdown(text, streaming);
    else setText(this.#text, text);
    setText(this.#about, sending ? "Sending…" : about);
    this.#about.hidden = !sending && about === "";
    this.#unsent.hidden = unsent === null;
    this.#waiting.hidden = waits === null;
    setText(this.#why, waits === null ? "" : "taskId" in waits ? FOR_TURN : FOR_SERVER);
    setText(this.#error, unsent ? `Not sent: ${unsent.error}` : "");
  }

  /** Enter sends, Esc leaves it as it was. */
  #open() {
    const box = element("textarea", { rows: 2, dir: "auto", maxLength: LONGEST, ariaLabel: "Edit the message", value: this.data?.text ?? "" });
    const cancel = element("button", { type: "button", className: "plain" }, "Cancel");
    const form = element("form", {}, box, element("button", { className: "primary" }, "Send"), cancel);
    cancel.addEventListener("click", () => this.#close());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = box.value.trim();
      if (text && this.data?.begins) this.act("edit", { taskId: this.data.begins, text });
      this.#close();
    });
    form.addEventListener("keydown", (event) => {
      if (event.isComposing || (event.key !== "Escape" && (event.key !== "Enter" || event.shiftKey || event.target !== box))) return;
      event.preventDefault();
      if (event.key === "Enter") form.requestSubmit();
      else this.#close();
    });
    this.#form?.remove();
    this.#form = form;
    this.classList.add("editing");
    this.append(form);
    box.focus();
  }

  #close() {
    this.#form?.remove();
    this.classList.remove("editing");
    goToMessageBox();
  }

  /** @param {string} text @param {boolean} streaming */
  #showMarkdown(text, streaming) {
    if (!this.#markdown) {
      this.#markdown = component("markdown-text");
      this.#text.replaceWith(this.#markdown);
    }
    this.#markdown.data = { text, streaming };
  }
}

customElements.define("chat-message", ChatMessage);
