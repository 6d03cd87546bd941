/** Signing in and out, and whose trips the list shows then. */

import { askConversations, signInFromLink, signOut } from "./api.js";
import { FACE } from "./face.js";
import { forgetAllTrips, keepOwnTrips } from "./trips.js";

/**
 * Sign in where the address says with what.
 *
 * @param {(text: string) => void} tell takes why that failed
 * @returns {Promise<boolean>} whether it was so
 */
export async function signIn(tell) {
  try {
    return await signInFromLink();
  } catch (error) {
    tell(/** @type {Error} */ (error).message);
    return false;
  }
}

/** Have the list of trips be that of the person who is signed in, where the server tells people apart. */
export async function listOwnTrips() {
  if (!FACE.knowsPersons) return;
  try {
    const { conversations } = await askConversations();
    keepOwnTrips(conversations);
  } catch {
    // Not signed in, or the server is away: the connection tells that.
  }
}

/** End the session; where the server tells people apart, this browser forgets the person's trips. */
export async function leaveSession() {
  await signOut();
  if (FACE.knowsPersons) forgetAllTrips();
}
