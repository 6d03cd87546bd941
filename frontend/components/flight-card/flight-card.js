/**
 * One flight offer: a line a direction, a line of who flies it and what is included, what it costs, and "Book", which
 * asks for it in the chat.
 */

import { Component } from "../../lib/component.js";
import { element } from "../../lib/dom.js";
import { cabinName, carriersOf, directionOf, spokenDirection, stopCount, stopLine } from "../../lib/flights.js";
import { offerHead, offerPrice, offerTerms } from "../../lib/offer-parts.js";
import * as phrases from "../../lib/phrases.js";
import { bagsOf, changesOf, forEach, furtherLines } from "../../lib/terms.js";
import { dayShift, duration, shortDay } from "../../lib/times.js";

/** @typedef {import("../../lib/types.js").FlightOffer} FlightOffer */

/** @extends {Component<FlightOffer>} */
class FlightCard extends Component {
  /** @override @param {FlightOffer} offer */
  update(offer) {
    const { passengers, price_per_person: each, price_total: total } = offer;
    const carriers = carriersOf(offer);
    const cabin = offer.cabin_class === "economy" ? "" : cabinName(offer.cabin_class);
    const terms = [cabin, offer.terms?.name ?? "", bagsOf(offer), changesOf(offer), ...furtherLines(offer)];
    this.replaceChildren(
      element(
        "article",
        {},
        offerHead(carriers, total),
        element("ul", { className: "directions" }, ...offer.slices.map(directionRow)),
        offerPrice({
          total,
          each,
          perOne: passengers > 1 ? forEach(offer) : "for 1 person",
          name: carriers,
          book: () => this.act("send", { text: phrases.bookFlight(offer) }),
        }),
        offerTerms(terms, offer),
      ),
    );
  }
}

/** @param {import("../../lib/types.js").Slice} slice */
function directionRow(slice) {
  const direction = directionOf(slice);
  const { day, leaves, lands, shift, from, to, minutes, stops } = direction;
  const shown = element(
    "div",
    { className: "direction", ariaHidden: "true" },
    element("span", { className: "day" }, shortDay(day)),
    element("span", { className: "times" }, `${leaves} – ${lands}`, element("sup", {}, dayShift(shift))),
    element("span", { className: "way" }, `${from} – ${to}`),
    element("span", { className: "takes" }, duration(minutes)),
    element(
      "span",
      { className: "changes" },
      element("span", { className: "stops" }, stopCount(direction)),
      " ",
      element("span", { className: "layovers" }, stops.map(stopLine).join(", ")),
    ),
  );
  return element("li", {}, shown, element("span", { className: "unseen" }, spokenDirection(direction)));
}

customElements.define("flight-card", FlightCard);
