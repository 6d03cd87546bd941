/** What the page is: for trips, or for any other graph; how it is called, and what it offers to ask. Pure. */

/**
 * @typedef {object} Face
 * @property {boolean} isGraph whether a graph of others is served, of which the page knows nothing
 * @property {string} title
 * @property {string[]} examples messages that an empty page offers
 * @property {string} thing what a conversation is called: "trip"
 * @property {string} key under which the address names it: "trip"
 * @property {string} placeholder of the message box
 * @property {string} signIn how people sign in: "" where they need not, "proxy" where one does it, "token",
 *   "elsewhere", or the address where they do
 * @property {boolean} steers whether what is served can take messages in while it runs
 * @property {boolean} knowsPersons whether the server tells people apart, and so which conversations are whose
 */

const TRIPS = { thing: "trip", key: "trip", placeholder: "Where to?" };
const CHATS = { thing: "conversation", key: "chat", placeholder: "Write a message" };

/** As the server has written it into the page. */
export const FACE = faceIn(typeof document === "undefined" ? null : document);

/** @param {Pick<Document, "documentElement" | "querySelector"> | null} page @returns {Face} */
function faceIn(page) {
  const isGraph = page?.documentElement?.dataset.face === "graph";
  const content = (/** @type {string} */ name) => page?.querySelector?.(`meta[name="${name}"]`)?.getAttribute("content");
  const examples = JSON.parse(content("examples") ?? "[]");
  const signIn = content("sign-in") ?? "";
  const knowsPersons = signIn !== "" && signIn !== "token";
  const title = content("application-name") ?? "Detour";
  const steers = content("steers") === "yes";
  return { isGraph, title, examples, signIn, steers, knowsPersons, ...(isGraph ? CHATS : TRIPS) };
}
