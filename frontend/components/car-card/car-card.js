/** One rental car: a line of its model, class and station, a line of its terms, and the price, and "Book". */

import { Component } from "../../lib/component.js";
import { element } from "../../lib/dom.js";
import { counted } from "../../lib/english.js";
import { carClassName, stationName } from "../../lib/cars.js";
import { offerHead, offerPrice, offerTerms } from "../../lib/offer-parts.js";
import * as phrases from "../../lib/phrases.js";
import { cancellingOf } from "../../lib/terms.js";
import { daysBetween } from "../../lib/times.js";

/** @typedef {import("../../lib/types.js").CarOffer} CarOffer */

/** @extends {Component<CarOffer>} */
class CarCard extends Component {
  /** @override @param {CarOffer} offer */
  update(offer) {
    const { model, supplier, car_class: kind, transmission, seats, bags, station, pick_up: from, drop_off: to } = offer;
    const name = `${model}, ${supplier}`;
    this.replaceChildren(
      element(
        "article",
        {},
        offerHead(name, offer.price_total),
        element("p", { className: "where" }, `${carClassName(kind)} · ${transmission} · ${stationName(station)}`),
        offerPrice({
          total: offer.price_total,
          each: offer.price_per_day,
          perOne: "a day",
          name,
          book: () => this.act("send", { text: phrases.bookCar(offer) }),
        }),
        offerTerms(
          [
            counted(Math.max(1, daysBetween(from, to)), "day"),
            counted(seats, "seat"),
            counted(bags, "bag"),
            offer.unlimited_mileage ? "Unlimited mileage" : "Limited mileage",
            cancellingOf(offer),
          ],
          offer,
        ),
      ),
    );
  }
}

customElements.define("car-card", CarCard);
