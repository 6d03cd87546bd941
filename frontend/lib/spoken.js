/** What the last reply spoke of: which offers, and in which order the user wants them shown. Pure. */

/**
 * @typedef {import("./reduce.js").State} State
 * @typedef {{by: string, descending: boolean}} OrderAsked
 * @typedef {{offers: Object<string, string[]>, orders: Object<string, OrderAsked>}} Spoken by agent: ids, and orders
 */

/** @type {Spoken} */
export const NOTHING_SPOKEN_OF = { offers: {}, orders: {} };

export const SPOKEN = {
  /**
   * @param {State} state
   * @param {{agent: string, offer_ids: string[]}} event
   * @returns {State}
   */
  offers_pointed_out: (state, { agent, offer_ids }) => {
    const offers = { ...state.spoken.offers, [agent]: offer_ids };
    return { ...state, spoken: { ...state.spoken, offers } };
  },
  /**
   * @param {State} state
   * @param {OrderAsked & {agent: string}} event
   * @returns {State}
   */
  offers_ordered: (state, { agent, by, descending }) => {
    const orders = { ...state.spoken.orders, [agent]: { by, descending } };
    return { ...state, spoken: { ...state.spoken, orders } };
  },
};

/** Until the next thing is said. @param {State} state @returns {State} */
export function spokenOfNoMore(state) {
  return Object.keys(state.spoken.offers).length ? { ...state, spoken: { ...state.spoken, offers: {} } } : state;
}
