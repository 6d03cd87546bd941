/** One hotel offer: a line of its name, stars, score and place, a line of the stay and its terms, the price, and "Book". */

import { Component } from "../../lib/component.js";
import { element } from "../../lib/dom.js";
import { counted } from "../../lib/english.js";
import { offerHead, offerPrice, offerTerms } from "../../lib/offer-parts.js";
import * as phrases from "../../lib/phrases.js";
import { cancellingOf, furtherLines } from "../../lib/terms.js";
import { daysBetween } from "../../lib/times.js";

/** @typedef {import("../../lib/types.js").HotelOffer} HotelOffer */

const AMENITIES_SHOWN = 3;
const MOST_STARS = 7;

/** @extends {Component<HotelOffer>} */
class HotelCard extends Component {
  /** @override @param {HotelOffer} offer */
  update(offer) {
    const { name, stars, score, district, city, distance_km: km, check_in: arrive, check_out: depart } = offer;
    const nights = daysBetween(arrive, depart);
    const stay = [counted(nights, "night"), offer.rooms > 1 ? counted(offer.rooms, "room") : ""].filter(Boolean).join(", ");
    const terms = [offer.terms?.name ?? "", amenitiesOf(offer.amenities ?? []), cancellingOf(offer), ...furtherLines(offer)];
    this.replaceChildren(
      element(
        "article",
        {},
        offerHead(name, offer.price_total, " ", stars === null ? null : starsOf(stars)),
        element(
          "p",
          { className: "where" },
          ...(score === null ? [] : scoreOf(score)),
          district || city,
          ...(km === null ? [] : [`, ${km.toFixed(1)} km`, element("span", { className: "unseen" }, " from the centre")]),
        ),
        offerPrice({
          total: offer.price_total,
          each: offer.price_per_night,
          perOne: "a night",
          name,
          book: () => this.act("send", { text: phrases.bookHotel(offer) }),
        }),
        offerTerms([stay, ...terms], offer),
      ),
    );
  }
}

/** @param {number} score */
function scoreOf(score) {
  const seen = element("strong", { title: "Guest score out of 10" }, score.toFixed(1));
  return [seen, element("span", { className: "unseen" }, " out of 10"), " · "];
}

/** @param {number} stars */
function starsOf(stars) {
  const count = Math.max(0, Math.min(MOST_STARS, Math.round(stars)));
  return element(
    "span",
    { className: "stars" },
    element("span", { ariaHidden: "true" }, "★".repeat(count)),
    element("span", { className: "unseen" }, counted(stars, "star")),
  );
}

/** The first few, and how many more. @param {string[]} amenities */
function amenitiesOf(amenities) {
  const more = amenities.length - AMENITIES_SHOWN;
  return [...amenities.slice(0, AMENITIES_SHOWN), more > 0 ? `${more} more` : ""].filter(Boolean).join(", ");
}

customElements.define("hotel-card", HotelCard);
