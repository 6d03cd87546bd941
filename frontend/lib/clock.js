/**
 * What time it is for the server: how long something is still open is told by its times, and the clock of a visitor's
 * machine may be wrong by a day.
 */

/** How much the server's clock is ahead of this machine's, in milliseconds. */
let ahead = 0;

/**
 * Take the time from what the server has just said.
 *
 * @param {string | undefined} at an ISO time; what is none changes nothing
 */
export function setClock(at) {
  const told = Date.parse(at ?? "");
  if (!Number.isNaN(told)) ahead = told - Date.now();
}

/** Milliseconds since 1970, by the server's clock. */
export function serverNow() {
  return Date.now() + ahead;
}
