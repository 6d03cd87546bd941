/** One trip in the menu: go to it, name it in place, or ask for its end. */

import { Component } from "../../lib/component.js";
import { element, setText } from "../../lib/dom.js";
import { FACE } from "../../lib/face.js";
import { LONGEST_NAME } from "../../lib/trips.js";

/** @typedef {{trip: import("../../lib/trips.js").Trip, title: string, open: boolean}} Row */

/** @extends {Component<Row>} */
class TripRow extends Component {
  #choose = element("button", { type: "button", className: "choose", dir: "auto" });
  #rename = element("button", { type: "button", className: "plain", textContent: "Rename" });
  #discard = element("button", { type: "button", className: "plain", textContent: "Delete" });
  #box = element("input", { type: "text", ariaLabel: `Name of the ${FACE.thing}`, maxLength: LONGEST_NAME, dir: "auto", hidden: true });

  /** @override */
  build() {
    this.role = "listitem";
    this.append(this.#choose, this.#box, this.#rename, this.#discard);
    this.#choose.addEventListener("click", () => this.#tell("choose", this.data?.trip.userId));
    this.#discard.addEventListener("click", () => this.#tell("discard", this.data?.trip));
    this.#rename.addEventListener("click", () => this.#edit(true));
    this.#box.addEventListener("blur", () => this.#edit(false));
    this.#box.addEventListener("keydown", (event) => this.#pressed(event));
  }

  /** @override @param {Row} row */
  update({ title, open }) {
    setText(this.#choose, title);
    this.#choose.ariaCurrent = open ? "true" : null;
    this.#rename.ariaLabel = `Rename ${title}`;
    this.#discard.ariaLabel = `Delete ${title}`;
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Enter") this.#save();
    this.#edit(false);
    this.#rename.focus();
  }

  /** @param {boolean} editing */
  #edit(editing) {
    this.#box.hidden = !editing;
    this.#choose.hidden = editing;
    if (!editing) return;
    this.#box.value = this.data?.trip.name ?? "";
    this.#box.focus();
    this.#box.select();
  }

  #save() {
    const userId = this.data?.trip.userId;
    const name = this.#box.value.trim();
    if (userId && name) this.act("rename", { userId, name });
  }

  /** Told to the menu, which knows what follows. @param {"choose" | "discard"} name @param {unknown} detail */
  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { bubbles: true, detail }));
  }
}

customElements.define("trip-row", TripRow);
