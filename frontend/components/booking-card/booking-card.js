/** One booking: its reference, what it is, how it stands, what it cost, what comes back, and "Cancel booking". */

import { bookingState, refundLine, soldBy } from "../../lib/bookings.js";
import { Component } from "../../lib/component.js";
import { element } from "../../lib/dom.js";
import { amount, offerTerms } from "../../lib/offer-parts.js";
import * as phrases from "../../lib/phrases.js";

/** @typedef {import("../../lib/bookings.js").Booking} Booking */

/** @extends {Component<Booking>} */
class BookingCard extends Component {
  /** @override @param {Booking} booking */
  update(booking) {
    const { reference, title, state, price_total: total, cancellable } = booking;
    const cancel = element("button", { type: "button", ariaLabel: `Cancel booking ${reference}` }, "Cancel");
    cancel.addEventListener("click", () => this.act("send", { text: phrases.cancelBooking(reference) }));
    this.dataset.state = state;
    this.replaceChildren(
      element(
        "article",
        {},
        element("h3", { dir: "auto" }, title),
        element(
          "div",
          { className: "facts" },
          element("p", {}, element("strong", {}, bookingState(booking)), element("span", { className: "reference" }, reference)),
          element("p", { className: "quiet" }, refundLine(booking)),
        ),
        element("div", { className: "price" }, total ? amount(total, "total") : null, cancellable ? cancel : null),
        offerTerms([], soldBy(booking)),
      ),
    );
  }
}

customElements.define("booking-card", BookingCard);
