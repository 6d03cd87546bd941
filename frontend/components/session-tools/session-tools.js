/** Signing out, and a list of where else one is signed in, each of which can be ended. It is shown once it has data. */

import { askSessions, endSession } from "../../lib/api.js";
import { browserName } from "../../lib/sign-in.js";
import { Component } from "../../lib/component.js";
import { element, keepChildren, setText } from "../../lib/dom.js";

/** @typedef {import("../../lib/api.js").OwnSession} OwnSession */

const WHEN = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** @extends {Component<true>} */
class SessionTools extends Component {
  #title = element("h2", { id: "sessions-title", tabIndex: -1 }, "Where you are signed in");
  #list = element("ul", { role: "list" });
  #told = element("p", { role: "status" });
  #dialog = element("dialog");

  /** @override */
  build() {
    this.hidden = true;
    const see = element("button", { type: "button", className: "plain new" }, "Sessions");
    const leave = element("button", { type: "button", className: "plain new" }, "Sign out");
    const close = element("button", { type: "button", autofocus: true }, "Close");
    see.addEventListener("click", () => this.#open());
    leave.addEventListener("click", () => this.act("signOut", {}));
    close.addEventListener("click", () => this.#dialog.close());
    this.#dialog.setAttribute("aria-labelledby", this.#title.id);
    this.#dialog.append(this.#title, this.#list, this.#told, element("div", { className: "row" }, close));
    this.append(see, leave, this.#dialog);
  }

  /** @override */
  update() {
    this.hidden = false;
  }

  async #open() {
    this.#list.replaceChildren();
    setText(this.#told, "Loading…");
    this.#dialog.showModal();
    await this.#show(askSessions());
  }

  /** @param {Promise<{sessions: OwnSession[]}>} asked */
  async #show(asked) {
    try {
      const { sessions } = await asked;
      keepChildren(this.#list, sessions, { key: ({ id }) => id, create: (session) => this.#row(session) });
      setText(this.#told, "");
    } catch (error) {
      setText(this.#told, /** @type {Error} */ (error).message);
    }
  }

  /** @param {OwnSession} session */
  #row(session) {
    const { browser, address, current, used_at: usedAt } = session;
    const name = browserName(browser);
    const end = element("button", { type: "button" }, current ? "Sign out" : "End");
    end.ariaLabel = current ? "Sign out here" : `End the session of ${name}`;
    end.addEventListener("click", () => (current ? this.act("signOut", {}) : this.#end(session)));
    const where = current ? "This browser" : `Last used ${WHEN.format(new Date(usedAt))}`;
    const about = element("p", { className: "quiet" }, [where, address].filter(Boolean).join(" · "));
    return element("li", {}, element("div", {}, element("p", {}, name), about), end);
  }

  /** @param {OwnSession} session */
  async #end({ id }) {
    this.#title.focus(); // the button goes away with its line
    await this.#show(endSession(id).then(askSessions));
  }
}

customElements.define("session-tools", SessionTools);
