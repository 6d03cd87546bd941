/** A value of any JSON form: text, names with their values, or a list. A part of it at a time, and never as markup. */

import { Component } from "../../lib/component.js";
import { component, element, keepChildren, setText } from "../../lib/dom.js";
import { hasMany, isTooDeep, labelOf, longOf, partsOf, shortOf, sizeOf, wordsOf } from "../../lib/values.js";

/**
 * @typedef {object} ShownValue
 * @property {string} label what it is: "Result"
 * @property {unknown} value
 * @property {number} [depth] how deep it is within another
 * @property {boolean} [isOfMany] whether that has many values in it
 */

/** How many of its values are shown at first, and how many more at each click. */
const [SHOWN, MORE] = [20, 100];

/** @extends {Component<ShownValue>} */
class ValueView extends Component {
  /** @type {HTMLElement | null} */
  #shown = null;
  /** @type {HTMLButtonElement | null} */
  #more = null;
  #isOpen = false;
  #count = SHOWN;

  /** @override @param {ShownValue} shown */
  update({ label, value, depth = 0, isOfMany = hasMany(value) }) {
    const parts = partsOf(value);
    if (!parts?.size) this.#showText(typeof value === "string" && value ? value : wordsOf(value));
    else if (isTooDeep(depth, isOfMany) && !this.#isOpen) this.#showClosed(sizeOf(value));
    else {
      const within = this.#isOpen ? { depth: 1, isOfMany: hasMany(value) } : { depth: depth + 1, isOfMany };
      this.#showParts(parts, label, within);
    }
  }

  /** @param {string} text */
  #showText(text) {
    const short = shortOf(text);
    setText(this.#holder("p"), this.#isOpen ? longOf(text) : short);
    if (short === text) this.#offer("");
    else this.#offer(this.#isOpen ? "Show less" : "Show all", this.#isOpen);
  }

  /** @param {string} size */
  #showClosed(size) {
    this.#shown?.remove();
    this.#shown = null;
    this.#offer(`Show ${size}`, false);
  }

  /**
   * @param {NonNullable<ReturnType<typeof partsOf>>} parts
   * @param {string} label
   * @param {{depth: number, isOfMany: boolean}} within
   */
  #showParts({ kind, size, first }, label, within) {
    const shown = first(this.#count).map((part, at) => ({ part, at }));
    keepChildren(this.#holder(kind === "list" ? "ul" : "dl"), shown, {
      // By place: a name may be a very long text.
      key: ({ at }) => at,
      create: () => rowIn(kind),
      update: (row, { part }) => {
        const name = kind === "list" ? label : part.label;
        if (kind === "fields") setText(/** @type {Element} */ (row.firstElementChild), labelOf(name));
        row.classList.toggle("nested", Boolean(partsOf(part.value)?.size));
        const view = /** @type {any} */ (row.querySelector("value-view"));
        view.data = { label: name, value: part.value, ...within };
      },
    });
    const left = size - shown.length;
    const of = left > MORE ? ` of ${left.toLocaleString("en")}` : "";
    this.#offer(left ? `Show ${Math.min(left, MORE)} more${of}` : "");
  }

  /** The element of a tag that holds what is shown. @param {"p" | "dl" | "ul"} tag */
  #holder(tag) {
    if (this.#shown?.localName === tag) return this.#shown;
    const holder = element(tag, tag === "p" ? { dir: "auto" } : {});
    this.#shown?.remove();
    this.prepend(holder);
    this.#shown = holder;
    return holder;
  }

  /** Offer to show more, or less; "" for neither. @param {string} words @param {boolean} [isExpanded] */
  #offer(words, isExpanded) {
    if (!words) {
      this.#more?.remove();
      this.#more = null;
      return;
    }
    if (!this.#more) {
      this.#more = element("button", { type: "button", className: "plain" }, element("span"), element("span", { className: "unseen" }));
      this.#more.addEventListener("click", () => this.#opens());
      this.append(this.#more);
    }
    const [said, of] = this.#more.children;
    if (said && of) {
      setText(said, words);
      setText(of, ` of ${labelOf(this.data?.label ?? "")}`);
    }
    this.#more.ariaExpanded = isExpanded === undefined ? null : String(isExpanded);
  }

  #opens() {
    if (this.#shown && this.#shown.localName !== "p") this.#count += MORE;
    else this.#isOpen = !this.#isOpen;
    if (this.data) this.update(this.data);
  }
}

/** @param {"fields" | "list"} kind */
function rowIn(kind) {
  const view = component("value-view");
  return kind === "list" ? element("li", {}, view) : element("div", {}, element("dt", { dir: "auto" }), element("dd", {}, view));
}

customElements.define("value-view", ValueView);
