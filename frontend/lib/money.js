/**
 * Amounts of money: written, spoken, compared. Pure.
 *
 * The page is in English, so amounts are too, whatever the browser's own language: a page that mixes the two is
 * harder to read than either.
 *
 * @typedef {import("./types.js").Money} Money
 */

const LANGUAGE = "en";

/**
 * "€1,637.66"; a currency that the browser does not know stands behind the amount as it came.
 *
 * @param {Money} money
 */
export function written({ amount, currency }) {
  return formatted({ amount, currency }, {});
}

/**
 * "1,637.66 euros", for screen readers, which read signs badly.
 *
 * @param {Money} money
 */
export function spoken({ amount, currency }) {
  return formatted({ amount, currency }, { currencyDisplay: "name" });
}

/**
 * "€1,638": to the unit, where there is no room for more.
 *
 * @param {Money} money
 */
export function rounded({ amount, currency }) {
  return formatted({ amount, currency }, { maximumFractionDigits: 0 });
}

/**
 * The lower of two amounts first. Amounts of different currencies can't be compared without a rate, so these stand
 * by currency.
 *
 * @param {Money} one
 * @param {Money} other
 */
export function compare(one, other) {
  if (one.currency !== other.currency) return one.currency < other.currency ? -1 : 1;
  return Number(one.amount) - Number(other.amount);
}

/**
 * @param {Money} money
 * @param {Intl.NumberFormatOptions} options
 */
function formatted({ amount, currency }, options) {
  try {
    return new Intl.NumberFormat(LANGUAGE, { style: "currency", currency, ...options }).format(Number(amount));
  } catch {
    return `${amount} ${currency}`;
  }
}
