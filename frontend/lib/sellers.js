/**
 * Who stands behind an offer or a booking: the demo, which invents them, or a seller by name, whose test mode sells
 * nothing. Pure.
 *
 * @typedef {{provider?: string, source?: string, live?: boolean}} Sold
 */

/** Whether it is invented. @param {Sold} sold */
export function isDemo({ provider }) {
  return provider === "demo";
}

/** "Duffel"; "" for what is invented: nobody sells that. @param {Sold} sold */
export function sellerOf(sold) {
  return isDemo(sold) ? "" : sold.source || sold.provider || "";
}

/** "via Duffel" @param {Sold} sold */
export function viaSeller(sold) {
  const seller = sellerOf(sold);
  return seller && `via ${seller}`;
}

/** What marks that nothing is bought, and its sentence; null where money moves. @param {Sold} sold */
export function markOf(sold) {
  if (isDemo(sold)) return { mark: "demo", means: "Demo data: nothing is bought" };
  return sold.live === false ? { mark: "test", means: "Test mode: nothing is bought" } : null;
}
