/**
 * In which order the offers of a list are drawn, so that nothing moves under who is looking at it. Pure.
 *
 * @typedef {import("./types.js").Offer} Offer
 */

/**
 * What to draw now. While somebody is at the list, what is drawn keeps its order and new offers wait; offers that are
 * gone go in any case. Where most are gone, as after another search, there is nothing left that could be held still.
 *
 * @param {object} given
 * @param {Offer[]} given.offers all that there are, as they came in
 * @param {Offer[]} given.before what is drawn, in order
 * @param {boolean} given.held whether somebody is at the list
 * @param {(one: Offer, other: Offer) => number} given.by
 * @returns {{drawn: Offer[], waiting: number}}
 */
export function arrange({ offers, before, held, by }) {
  const known = new Map(offers.map((offer) => [offer.offer_id, offer]));
  const kept = before.map(({ offer_id }) => known.get(offer_id)).filter((offer) => offer !== undefined);
  if (!held || kept.length <= before.length / 2) return { drawn: offers.toSorted(by), waiting: 0 };
  return { drawn: kept, waiting: known.size - kept.length };
}
