/**
 * What a user can do with the page, as the events that components send up.
 *
 * @typedef {object} Actions
 * @property {{text: string, policy?: import("./policies.js").Policy}} send send a message; without a policy it does to what
 *   runs what the server does by itself
 * @property {{policy: import("./policies.js").Policy}} choosePolicy choose what Enter does while something runs
 * @property {{messageId: string, how: "withdraw" | "now" | "later"}} settle withdraw a message that waits to be taken in,
 *   interrupt what runs with it, or leave it for the end of that
 * @property {{messageId: string, text: string, revision: number}} revise replace its text; `revision` is the one that was seen
 * @property {{clientId: string}} resend try again to send a message that did not reach the server
 * @property {{clientId: string}} withdraw take back a message that waits for the server
 * @property {{taskId: string, agent?: string, withdraws?: boolean}} stop stop a task, or one agent of it; where it
 *   `withdraws`, with all that waits to be taken in
 * @property {{requestId: string, answer?: Object<string, unknown>, decision?: "allow" | "deny"}} answer answer a
 *   question or decide a permission
 * @property {{taskId: string}} explain fetch the receipt of a task
 * @property {{taskId: string}} trace fetch what the tool calls of a task were given, and what they came to
 * @property {{userId: string}} travel go to another trip
 * @property {{userId: string, name: string}} rename name a trip
 * @property {{}} signOut end the session, and leave nothing of it in this browser
 * @property {{userId: string}} forget delete a trip and all the server knows of it
 * @property {{view: string}} look look at a part of the page where there is room for one: chat, trip, flights, hotels,
 *   plans, results or bookings
 * @property {{text: string}} tell say a sentence above the message box
 * @property {{}} dismiss take the notice away
 * @property {{}} askBookings fetch what was booked, again
 * @property {{}} askKept fetch which requests there are offers of, again
 * @property {{taskId: string}} askKeptOffers fetch the offers of one of these requests, once
 * @property {{query: Object<string, string | number>}} askFares fetch the cheapest total of each day around a date;
 *   they stand in `state.fares` under `fareKey(query)`
 * @property {{codes: string[]}} askAirports fetch airports, those that are not known yet
 * @property {{}} askLand fetch where the world's airports are, once
 */

export {};
