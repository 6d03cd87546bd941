/**
 * What a user can do with the page, as the events that components send up.
 *
 * @typedef {object} Actions
 * @property {{text: string}} send send a message; whatever runs is interrupted by it
 * @property {{clientId: string}} resend try again to send a message that did not reach the server
 * @property {{taskId: string, agent?: string}} stop stop a task, or one agent of it
 * @property {{requestId: string, answer?: Object<string, unknown>, decision?: "allow" | "deny"}} answer answer a
 *   question or decide a permission
 * @property {{taskId: string}} explain fetch the receipt of a task
 * @property {{userId: string}} travel go to another trip
 * @property {{userId: string}} forget delete a trip and all the server knows of it
 */

export {};
