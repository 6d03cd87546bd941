/** Ids that nobody can guess. */

const BYTES = 16;

/** 128 random bits in hexadecimal; unlike crypto.randomUUID it also works without https. */
export function randomId() {
  const numbers = crypto.getRandomValues(new Uint8Array(BYTES));
  return [...numbers].map((number) => number.toString(16).padStart(2, "0")).join("");
}
