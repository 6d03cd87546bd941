/** Who travels, as told before, to see and change: a line of the menu, shown where somebody is known. */

import { askTravellers } from "../../lib/api.js";
import { Component } from "../../lib/component.js";
import { component, element } from "../../lib/dom.js";

/** @typedef {{userId: string, isNew: boolean}} Visited a trip; the server does not know one that is new */

/** @extends {Component<Visited>} */
class TravellersTools extends Component {
  /** @type {import("../../lib/travellers.js").Traveller[]} */
  #known = [];
  #dialog = element("dialog", { ariaLabel: "Travellers" });

  /** @override */
  build() {
    this.hidden = true;
    const see = element("button", { type: "button", className: "plain new" }, "Travellers");
    see.addEventListener("click", () => this.#open());
    this.#dialog.addEventListener("close", () => this.#dialog.replaceChildren());
    this.append(see, this.#dialog);
  }

  /** @override @param {Visited} visited */
  async update(visited) {
    const { travellers } = visited.isNew ? { travellers: [] } : await askTravellers(visited.userId).catch(() => ({ travellers: [] }));
    if (visited !== this.data) return;
    this.#known = travellers;
    this.hidden = travellers.length === 0;
  }

  #open() {
    const form = component("travellers-form", { userId: this.data?.userId, people: this.#known.length, known: this.#known });
    const close = element("button", { type: "button" }, "Close");
    close.addEventListener("click", () => this.#dialog.close());
    form.addEventListener("kept", () => {
      this.#dialog.close();
      if (this.data) this.update(this.data);
    });
    this.#dialog.append(form, close);
    this.#dialog.showModal();
  }
}

customElements.define("travellers-tools", TravellersTools);
