/** Small change of the page's language: counts, and names of code as people read them. Pure. */

/**
 * "1 night", "2 nights".
 *
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export function counted(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}

/** "No refund" of "no refund". @param {string} words */
export function capitalised(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** "Premium economy" of "premium_economy". @param {string} name */
export function inWords(name) {
  return capitalised(name.replaceAll("_", " "));
}
