/** `useDetour`: a user's conversation in a React component. */

import type { Client, Session, ShownMessage, State, Task } from "@detour/client";

export interface DetourOptions {
  /** Where the server is; "" for the page's own origin. */
  url?: string;
  userId: string;
  /** The server's token, if it asks for one. */
  token?: string;
  /** A session that several components share, in place of one made of the other options. */
  session?: Session;
}

export interface Detour {
  /** The conversation with what is being said and what was just sent; a message's `id` is a key. */
  messages: ShownMessage[];
  /** The messages that wait for the running task to take them in; in `messages` their `state` is `pending`. */
  pending: State["pending"];
  /** The task to show, with its agents and results; null before the first one. */
  task: Task | null;
  /** Whether any task has not ended. */
  isBusy: boolean;
  /** The reply of the task to show, so far; "" once it is a message. */
  text: string;
  /** What the task to show has found, by agent. */
  results: Task["results"];
  agents: Task["agents"];
  /** The tool calls of the task to show, in order; those of earlier tasks are in `state.tasks`. */
  toolCalls: Task["toolCalls"];
  /** The open questions and permissions, oldest first. */
  questions: State["requests"];
  receipts: State["receipts"];
  connection: State["connection"];
  error: State["error"];
  state: State;
  /**
   * Send a message, which is shown at once; with a `policy` it does not interrupt the running task. Resolves to null where it
   * could not be sent: its `error` says why.
   */
  send: Session["send"];
  /** Send a message that the running task takes in: `send` with the policy `steer`. */
  steer: Session["send"];
  /** Send again what could not be sent, by the `id` of the shown message. */
  resend: Session["resend"];
  /** Replace the text of a pending message; `revision` is the one that its user has seen. */
  edit: Client["edit"];
  /** Withdraw a pending message. */
  withdraw: Client["withdraw"];
  /** Interrupt the running task with a pending message. */
  now: Client["now"];
  /** Leave a pending message for the end of the running task. */
  later: Client["later"];
  stop: Client["stop"];
  answer: Client["answer"];
  decide: Client["decide"];
}

/** The conversation of one user, up to date while the component is mounted. */
export declare function useDetour(options: DetourOptions): Detour;
