/** One plan of several cities: the order, how long one stays in each, the flights between them, and the total. */

import { Component } from "../../lib/component.js";
import { element } from "../../lib/dom.js";
import { counted } from "../../lib/english.js";
import { carriersOf, directionOf, spokenDirection, stopCount } from "../../lib/flights.js";
import { written } from "../../lib/money.js";
import { offerHead, offerPrice, offerTerms } from "../../lib/offer-parts.js";
import { citiesInOrder } from "../../lib/offers.js";
import { dayRange, dayShift, duration, shortDay } from "../../lib/times.js";

/** @typedef {import("../../lib/types.js").TourPlan} TourPlan */

/** @extends {Component<TourPlan>} */
class PlanCard extends Component {
  /** @override @param {TourPlan} plan */
  update(plan) {
    const nights = plan.stays.map((stay) => `${stay.city} ${counted(stay.nights, "night")}`).join(", ");
    const route = citiesInOrder(plan);
    this.replaceChildren(
      element(
        "article",
        {},
        offerHead(route, plan.price_total),
        element(
          "div",
          { className: "facts" },
          element("p", {}, dayRange(plan.first_day, plan.last_day)),
          element("p", { className: "quiet" }, nights),
        ),
        offerPrice({
          total: plan.price_total,
          each: plan.price_per_person,
          perOne: plan.passengers > 1 ? "each" : "for 1 person",
          name: route,
        }),
        element("ul", { className: "legs" }, ...plan.legs.map(legRow)),
        offerTerms([counted(plan.legs.length, "flight"), "book each flight by itself"], plan),
      ),
    );
  }
}

/** @param {import("../../lib/types.js").FlightOffer} leg */
function legRow(leg) {
  const slice = leg.slices[0];
  if (!slice) return element("li");
  const direction = directionOf(slice);
  const { day, leaves, lands, shift, from, to, minutes } = direction;
  const shown = element(
    "div",
    { className: "leg", ariaHidden: "true" },
    element("span", { className: "quiet" }, shortDay(day)),
    element("span", { className: "times" }, `${leaves} – ${lands}`, element("sup", {}, dayShift(shift))),
    element("span", {}, `${from} – ${to}`),
    element("span", { className: "quiet" }, [duration(minutes), stopCount(direction), carriersOf(leg)].join(" · ")),
    element("span", { className: "sum" }, written(leg.price_total)),
  );
  const said = `${spokenDirection(direction)} ${carriersOf(leg)}, ${written(leg.price_total)}`;
  return element("li", {}, shown, element("span", { className: "unseen" }, said));
}

customElements.define("plan-card", PlanCard);
