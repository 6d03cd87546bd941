/** The parts that every card of an offer has: its heading, its price with "Book", and the line of its terms. */

import { element, icon } from "./dom.js";
import { spoken, written } from "./money.js";
import { markOf, viaSeller } from "./sellers.js";

/** @typedef {import("./types.js").Money} Money */

/** How long "Book" takes no further click, in milliseconds: a double click books once. */
const DOUBLE_CLICK_MS = 1500;

/**
 * @param {string} name
 * @param {Money} total
 * @param {...(Node | string | null)} more
 */
export function offerHead(name, total, ...more) {
  const price = element("span", { className: "unseen" }, `, ${spoken(total)}`);
  return element("h3", {}, element("span", { dir: "auto" }, name), price, ...more);
}

/**
 * An amount that is seen as it is written, and read out in words.
 *
 * @param {Money} money
 * @param {string} className
 * @param {string} [behind] "each"
 */
export function amount(money, className, behind = "") {
  const after = behind ? ` ${behind}` : "";
  return element(
    "p",
    { className },
    element("span", { ariaHidden: "true" }, written(money), after),
    element("span", { className: "unseen" }, spoken(money), after),
  );
}

/**
 * The total, what it is for one (an amount only where that is another one), and "Book".
 *
 * @param {object} given
 * @param {Money} given.total
 * @param {Money} given.each
 * @param {string} given.perOne "each", "a night"
 * @param {string} given.name of the offer, so that one "Book" can be told from another
 * @param {() => void} [given.book] none where it can't be booked as it is
 */
export function offerPrice({ total, each, perOne, name, book }) {
  return element(
    "div",
    { className: "price" },
    amount(total, "total"),
    each.amount === total.amount ? element("p", { className: "each" }, perOne) : amount(each, "each", perOne),
    book ? bookButton(`Book ${name}, ${spoken(total)}`, book) : null,
  );
}

/** @typedef {"" | "Booked" | "Searching again" | "Expired: search again"} Mark */
/** @type {Record<Mark, string>} */
const SIGNS = { "": "", Booked: "done", "Searching again": "adjusting", "Expired: search again": "failed" };

/**
 * Have the card of an offer say how it stands with it, in the place of its button, or offer to book it.
 *
 * @param {Element} card
 * @param {Mark} words
 */
export function markOffer(card, words) {
  const button = card.querySelector(".price button");
  if (!(button instanceof HTMLElement)) return;
  const mark = button.nextElementSibling;
  if ((mark?.textContent ?? "") === words) return;
  mark?.remove();
  button.hidden = words !== "";
  if (words) button.after(element("p", { className: "mark" }, icon(SIGNS[words]), words));
}

/**
 * Have the card of an offer of an earlier search say that it stays, and once the new search has found it, too.
 *
 * @param {Element} card
 * @param {"" | "Kept" | "Still fits"} words
 */
export function keepOffer(card, words) {
  const sign = card.querySelector(".stays");
  if ((sign?.textContent ?? "") === words) return;
  sign?.remove();
  if (words) card.querySelector(".terms")?.prepend(element("span", { className: "stays" }, icon(words === "Still fits" ? "done" : "waiting"), words));
}

/**
 * Give the card of an offer its "Compare", or tell it whether it is chosen.
 *
 * @param {Element} card
 * @param {boolean} chosen
 * @param {() => void} toggle
 */
export function compareButton(card, chosen, toggle) {
  let button = /** @type {HTMLButtonElement | null} */ (card.querySelector(".compare"));
  if (!button) {
    button = element("button", { type: "button", className: "compare" }, "Compare");
    button.ariaLabel = `Compare ${card.querySelector("h3 [dir]")?.textContent ?? ""}`;
    button.addEventListener("click", toggle);
    card.querySelector("article")?.classList.add("comparable");
    card.querySelector(".terms")?.append(" ", button);
  }
  button.ariaPressed = String(chosen);
}

/** @param {string} label @param {() => void} book */
function bookButton(label, book) {
  const button = element("button", { type: "button", ariaLabel: label }, "Book");
  let askedAt = -Infinity;
  button.addEventListener("click", ({ timeStamp }) => {
    if (timeStamp - askedAt < DOUBLE_CLICK_MS) return;
    askedAt = timeStamp;
    book();
  });
  return button;
}

/**
 * "Economy · 1 checked bag · No refund, no changes", who sells it, and whether nothing is bought.
 *
 * @param {string[]} terms
 * @param {import("./sellers.js").Sold} sold
 */
export function offerTerms(terms, sold) {
  const mark = markOf(sold);
  return element(
    "p",
    { className: "terms" },
    [...terms, viaSeller(sold)].filter(Boolean).join(" · "),
    mark && "\u00a0",
    mark && element("span", { className: "badge", title: mark.means }, mark.mark),
  );
}
