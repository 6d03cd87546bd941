/** Asks whether a trip is really to be deleted, and offers it as a file; its data are the trip to ask about. */

import { exportAddress } from "../../lib/api.js";
import { Component } from "../../lib/component.js";
import { element, setText } from "../../lib/dom.js";
import { FACE } from "../../lib/face.js";

/** @typedef {{trip: import("../../lib/trips.js").Trip, title: string}} Doomed */

const OF_TRIP =
  "The conversation, its results and its bookings are deleted here and on the server. A running search is stopped.";
const OF_CHAT = "The conversation and its results are deleted here and on the server. A running task is stopped.";

/** @extends {Component<Doomed>} */
class DeleteDialog extends Component {
  #title = element("h2", { id: "delete-title", dir: "auto" });
  #download = element("a", { textContent: "Download all its data", download: "" });
  #dialog = element("dialog");

  /** @override */
  build() {
    const keep = element("button", { type: "button", textContent: "Keep it", autofocus: true });
    const remove = element("button", { type: "button", className: "danger", textContent: `Delete the ${FACE.thing}` });
    keep.addEventListener("click", () => this.#dialog.close());
    remove.addEventListener("click", () => {
      this.#dialog.close();
      if (this.data) this.act("forget", { userId: this.data.trip.userId });
    });
    this.#dialog.setAttribute("aria-labelledby", this.#title.id);
    const meaning = element("p", { className: "quiet" }, FACE.isGraph ? OF_CHAT : OF_TRIP);
    this.#dialog.append(this.#title, meaning, element("p", {}, this.#download), element("div", { className: "row" }, keep, remove));
    this.append(this.#dialog);
  }

  /** @override @param {Doomed} doomed */
  update({ trip, title }) {
    setText(this.#title, `Delete “${title}”?`);
    this.#download.href = exportAddress(trip.userId);
    this.#dialog.showModal();
  }
}

customElements.define("delete-dialog", DeleteDialog);
