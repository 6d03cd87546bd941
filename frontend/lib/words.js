/** How it stands with the connection, and why an answer came too late, in words. */

import { FACE } from "./face.js";

/** @type {Map<string, string>} */
const LINKS = new Map([
  ["connecting", "Connecting…"],
  ["live", "Connected"],
  ["reconnecting", "Reconnecting – nothing is lost"],
  ["offline", "You are offline – nothing is lost"],
  ["signed_out", signedOutWords()],
  ["refused", `The server does not know this address of a ${FACE.thing}.`],
]);

/** Why an answer came too late, by what had become of the question by then. */
const REFUSALS = new Map([
  ["answered", "This was answered already, perhaps in another window."],
  ["allowed", "This was agreed to already, perhaps in another window."],
  ["denied", "This was declined already, perhaps in another window."],
  ["withdrawn", "This question was withdrawn: something else came in between."],
  ["expired", "The time to answer is over."],
]);

function signedOutWords() {
  if (!FACE.knowsPersons) return "You are not signed in: open the link that the server printed when it started.";
  if (FACE.signIn === "elsewhere") return "You are not signed in: open this page from where you sign in.";
  return "You are not signed in, or not any more.";
}

/** @param {import("./types.js").Link} link */
export function linkWords(link) {
  return LINKS.get(link) ?? link;
}

/**
 * Why an answer was not taken, by the outcome of what it answers or the code of the server's 409; undefined where
 * it was refused for another reason.
 *
 * @param {string | undefined} code
 */
export function refusal(code) {
  return code === undefined ? undefined : REFUSALS.get(code);
}
