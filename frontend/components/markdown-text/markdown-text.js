/**
 * Text in Markdown, also while it is written: its blocks are rendered by the server, and brought in line in place.
 *
 * Of a text that grows only its last block is rendered again, a few times a second. What is selected in it stays so.
 */

import { Component } from "../../lib/component.js";
import { element, morph, setText } from "../../lib/dom.js";
import { blocksOf, withoutHalf } from "../../lib/markdown.js";

/** @typedef {{text: string, streaming: boolean}} Written */
/** @typedef {import("../../lib/markdown.js").Block} Block */

/**
 * The shortest pause between two renderings of a text that grows, in milliseconds; a slow server gets longer ones. One
 * takes 1.6 ms of the server (measured, docs/decisions/archive.md#0028), so ten a second are 1.6 % of a core.
 */
const PAUSE_MS = 100;
const COPIED_MS = 2000;

/** @extends {Component<Written>} */
class MarkdownText extends Component {
  #plain = element("p", { className: "plain-text", dir: "auto" });
  #blocks = element("div", { className: "blocks" });
  #text = "";
  /** How much of the text is in blocks that will not change any more, and how many these are. */
  #settled = { length: 0, blocks: 0 };
  /** @type {string[]} the HTML of each block */
  #shown = [];
  #busy = false;
  /** When it may be rendered again while it grows, on the clock of `performance.now()`. */
  #rested = 0;

  /** @override */
  build() {
    this.append(this.#plain, this.#blocks);
    this.addEventListener("click", (event) => this.#copy(event));
  }

  /** @override @param {Written} written */
  update({ text }) {
    // Until it is rendered it takes about the room that it will take; where it can't be, it is shown as it is.
    if (this.#shown.length === 0 || this.classList.contains("failed")) setText(this.#plain, text);
    if (!this.#busy) this.#follow();
  }

  /** Render until what is wanted is shown; the end of a text does not wait. */
  async #follow() {
    this.#busy = true;
    let shown;
    while (shown !== this.data) {
      if (this.data?.streaming) await pause(this.#rested - performance.now());
      shown = this.data;
      if (!shown) break;
      const began = performance.now();
      await this.#render(shown);
      const now = performance.now();
      this.#rested = now + Math.max(PAUSE_MS, 2 * (now - began));
    }
    this.#busy = false;
  }

  /** @param {Written} written */
  async #render({ text: given, streaming }) {
    const text = given.replaceAll(/\r\n?/g, "\n");
    // The whole once it is whole: a link may be defined at the end of a text.
    if (!streaming || !text.startsWith(this.#text)) this.#settled = { length: 0, blocks: 0 };
    this.#text = text;
    const open = text.slice(this.#settled.length);
    try {
      const blocks = await blocksOf(streaming ? withoutHalf(open) : open);
      this.#show(blocks);
      if (streaming) this.#settle(open, blocks);
      this.classList.remove("failed");
    } catch {
      this.classList.add("failed");
      setText(this.#plain, given);
    }
    this.classList.toggle("rendered", !this.classList.contains("failed"));
  }

  /** @param {string} open @param {Block[]} blocks */
  #settle(open, blocks) {
    const last = blocks.at(-1);
    if (!last || blocks.length < 2) return;
    const length = open.split("\n").slice(0, last.line).join("\n").length + 1;
    this.#settled = { length: this.#settled.length + length, blocks: this.#settled.blocks + blocks.length - 1 };
  }

  /** @param {Block[]} blocks those after the settled ones */
  #show(blocks) {
    const before = this.#settled.blocks;
    for (const [at, { html }] of blocks.entries()) {
      const place = before + at;
      if (this.#shown[place] === html) continue;
      this.#shown[place] = html;
      const node = this.#blocks.children[place] ?? this.#blocks.appendChild(element("div", { className: "block", dir: "auto" }));
      morph(node, nodesOf(html));
    }
    const count = before + blocks.length;
    this.#shown.length = count;
    while (this.#blocks.children.length > count) this.#blocks.lastElementChild?.remove();
  }

  /** @param {Event} event */
  async #copy({ target }) {
    const button = target instanceof Element ? target.closest("button") : null;
    const code = button?.closest("figure")?.querySelector("code");
    if (!button || !code) return;
    const text = code.textContent ?? "";
    const copied = await navigator.clipboard?.writeText(text).then(() => true, () => false);
    setText(button, copied ? "Copied" : "Could not copy");
    setTimeout(() => setText(button, "Copy"), COPIED_MS);
  }
}

/** The server's HTML as nodes, in a document where nothing is loaded or run; code and tables in frames of their own. */
function nodesOf(/** @type {string} */ html) {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  for (const pre of body.querySelectorAll("pre")) {
    const language = pre.querySelector("code")?.className.replace("language-", "") || "code";
    const copy = element("button", { type: "button", className: "plain", textContent: "Copy", ariaLabel: `Copy the ${language}` });
    const head = element("figcaption", {}, element("span", {}, language), copy);
    pre.replaceWith(element("figure", { className: "code" }, head, scrolled(pre.cloneNode(true), "Code")));
  }
  for (const table of body.querySelectorAll("table")) table.replaceWith(scrolled(table.cloneNode(true), "Table"));
  return body;
}

/** What is wider than the page is scrolled by itself, by keyboard, too. @param {Node} node @param {string} ariaLabel */
function scrolled(node, ariaLabel) {
  return element("div", { className: "scrolled", role: "group", tabIndex: 0, ariaLabel }, node);
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

customElements.define("markdown-text", MarkdownText);
