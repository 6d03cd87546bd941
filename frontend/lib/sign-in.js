/** Signing in and out, and whose trips the list shows then. */

import { askConversations, askSessions, signInFromLink, signOut } from "./api.js";
import { element } from "./dom.js";
import { FACE } from "./face.js";
import { isOwnSignIn, personIn } from "./link-token.js";
import { forgetSession } from "./storage.js";
import { currentTrip, forgetTrip, keepOwnTrips, openTrip } from "./trips.js";

/** There while the server has not been told yet of a sign-out. */
const LEAVING = "detour.leaving";
const AGAIN_MS = 2000;

/**
 * Sign in where the address says with what, after a sign-out that the server has not been told of.
 *
 * @param {(text: string) => void} tell takes why that failed
 * @returns {Promise<boolean>} whether it was so
 */
export async function signIn(tell) {
  if (isLeaving()) await toldOfSignOut(tell);
  try {
    return await signInFromLink(mayTake);
  } catch (error) {
    tell(/** @type {Error} */ (error).message);
    return false;
  }
}

/** Whether a token may be taken: one that the page did not ask for, only if somebody says so. @param {string} token @param {string | null} state */
async function mayTake(token, state) {
  const person = personIn(token);
  if (isOwnSignIn(state) || person === null) return true;
  return ask({
    title: `Sign in as ${person}?`,
    text:
      "This link would sign you in. Continue only if this is you: what you write from then on belongs to this person," +
      " who can read it.",
    yes: "Sign in",
    no: "Do not sign in",
  });
}

/**
 * Have the list of trips be that of the person who is signed in, where the server tells people apart.
 *
 * @param {boolean} isUnaddressed whether the address has named no trip
 * @returns {Promise<string | null>} the trip to open then: the newest, as where the browser itself keeps the list
 */
export async function listOwnTrips(isUnaddressed) {
  if (!FACE.knowsPersons) return null;
  try {
    const { conversations } = await askConversations();
    const newest = isUnaddressed ? conversations.find(({ title }) => title) : undefined;
    if (newest) {
      forgetTrip(currentTrip()); // which was made up for the address alone
      openTrip(newest.user_id, { inPlace: true });
    }
    keepOwnTrips(conversations);
    return newest?.user_id ?? null;
  } catch {
    return null; // Not signed in, or the server is away: the connection tells that.
  }
}

/**
 * End the session: this browser forgets it at once, whether or not the server can be reached.
 *
 * @param {(text: string) => void} tell takes what stands in the way
 */
export async function leaveSession(tell) {
  forgetSession();
  mark(true);
  await toldOfSignOut(tell);
  location.assign(location.pathname);
}

/** Show the tools of sessions where somebody is signed in by one. */
export async function offerSessions() {
  try {
    const { sessions } = await askSessions();
    if (sessions.some(({ current }) => current)) Object.assign(document.querySelector("session-tools") ?? {}, { data: true });
  } catch {
    // Nobody is signed in, or the server is away, which the page tells.
  }
}

/** Leave nothing of a session that is over in this window. */
export function dropSession() {
  forgetSession();
  location.reload();
}

/** Tell the server of a sign-out, again and again until it knows. @param {(text: string) => void} tell */
async function toldOfSignOut(tell) {
  let isTold = false;
  while (!isTold) {
    try {
      await signOut();
      isTold = true;
    } catch (error) {
      tell(`You are signed out here. The server will be told as soon as it answers. ${/** @type {Error} */ (error).message}`);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
  mark(false);
}

function isLeaving() {
  try {
    return localStorage.getItem(LEAVING) !== null;
  } catch {
    return false;
  }
}

/** @param {boolean} leaving */
function mark(leaving) {
  try {
    if (leaving) localStorage.setItem(LEAVING, "yes");
    else localStorage.removeItem(LEAVING);
  } catch {
    // Then the server is told while this page is open.
  }
}

// --- Names of browsers, for the list of sessions

/** The first that fits counts: most name others as well. @type {[RegExp, string][]} */
const BROWSERS = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

/** @type {[RegExp, string][]} */
const SYSTEMS = [
  [/\bAndroid\b/, "Android"],
  [/\b(?:iPhone|iPod)\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "Mac"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/** "Firefox on Linux"; of what is not known, how it begins. @param {string} agent the header `User-Agent` */
export function browserName(agent) {
  const browser = found(BROWSERS, agent);
  const system = found(SYSTEMS, agent);
  if (browser) return system ? `${browser} on ${system}` : browser;
  return agent.split(/[\s/(]/, 1)[0] || "An unknown program";
}

/** @param {[RegExp, string][]} table @param {string} agent */
function found(table, agent) {
  return table.find(([sign]) => sign.test(agent))?.[1];
}

// --- A question of the page, answered by yes or no

/**
 * @param {{title: string, text: string, yes: string, no: string}} question
 * @returns {Promise<boolean>} whether it was answered by yes
 */
export async function ask({ title, text, yes, no }) {
  const heading = element("h2", { id: "asked-title", dir: "auto" }, title);
  const row = element(
    "form",
    { method: "dialog", className: "row" },
    element("button", { value: "no", autofocus: true }, no),
    element("button", { value: "yes", className: "primary" }, yes),
  );
  const dialog = element("dialog", { className: "asked" }, heading, element("p", {}, text), row);
  dialog.setAttribute("aria-labelledby", heading.id);
  document.body.append(dialog);
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  dialog.remove();
  return dialog.returnValue === "yes";
}
