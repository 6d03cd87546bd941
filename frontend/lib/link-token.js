/**
 * The token that a link brings in its fragment, and whether the page may take it without asking.
 *
 * Anybody can send somebody a link with a token of their own: who signs in by it writes into a stranger's account. So the
 * page asks, unless it has begun the sign-in itself, with a random word that comes back. A server's one token names no
 * person: all who have it are one party already, and the printed link stays one click.
 */

import { randomId } from "./storage.js";

const KEY = "detour.sign-in";
const UNKNOWN = "somebody unknown";

/**
 * The address of where one signs in, with a word that it is to send back beside the token as `state`.
 *
 * @param {string} address
 */
export function beginSignIn(address) {
  const word = randomId();
  try {
    sessionStorage.setItem(KEY, word);
  } catch {
    return address; // Then the page asks when somebody comes back.
  }
  const url = new URL(address);
  url.searchParams.set("state", word);
  return url.href;
}

/** Whether that is the word of a sign-in that this tab has begun; it counts once. @param {string | null} word */
export function isOwnSignIn(word) {
  try {
    const begun = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    return begun !== null && begun === word;
  } catch {
    return false;
  }
}

/**
 * Whom a token names, in words; null for one that is of no form to name anybody. It is not checked, which is the server's
 * to do.
 *
 * @param {string} token
 */
export function personIn(token) {
  const [, body, signature] = token.split(".");
  if (body === undefined || signature === undefined) return null;
  try {
    const bytes = Uint8Array.from(atob(body.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
    const { sub, email, preferred_username: name } = JSON.parse(new TextDecoder().decode(bytes));
    const known = [email, name].find((each) => typeof each === "string" && each !== "" && each !== sub);
    return known ? `${known} (${sub})` : String(sub ?? UNKNOWN);
  } catch {
    return UNKNOWN;
  }
}
