/** What the page is: for trips, or for any other graph; how it is called, and what it offers to ask. Pure. */

/**
 * @typedef {object} Face
 * @property {boolean} isGraph whether a graph of others is served, of which the page knows nothing
 * @property {string} title
 * @property {string[]} examples messages that an empty page offers
 * @property {string} thing what a conversation is called: "trip"
 * @property {string} key under which the address names it: "trip"
 * @property {string} placeholder of the message box
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
  return { isGraph, title: content("application-name") ?? "Detour", examples, ...(isGraph ? CHATS : TRIPS) };
}
