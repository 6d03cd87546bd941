/** A client of Detour for browsers and Node 20: calls, events that survive a broken line, the state they add up to. */

import type {
  AgentUpdate,
  AgentView,
  AnsweredAnswer,
  CallsAnswer,
  CallView,
  ChatAnswer,
  ContextTransfer,
  Frame,
  Hello,
  HistoryAnswer,
  InputRequestView,
  InterruptedView,
  InterruptReason,
  MessageView,
  PartialResultsAnswer,
  PendingAnswer,
  PendingListAnswer,
  PendingView,
  ReceiptAnswer,
  Reset,
  SnapshotFrame,
  StateHistoryAnswer,
  StateView,
  StatusAnswer,
  StoppedAgentAnswer,
  StoppingAnswer,
  TaskStatus,
  ToolUpdate,
} from "./types.js";

export type * from "./types.js";

/** An event of the log: a frame with a number and a task. */
export type Event = Exclude<Frame, Hello | SnapshotFrame | Reset>;

/** Whether events arrive just now. */
export interface ConnectionFrame {
  type: "connection";
  state: "live" | "reconnecting";
}

/** An event's number and the epoch of its log; `{seq: 0, epoch: ""}` comes before the first event of any log. */
export interface Position {
  seq: number;
  epoch: string;
}

export interface ClientOptions {
  /** Where the server is; "" for the page's own origin. */
  url?: string;
  userId: string;
  /** The server's token, if it asks for one. */
  token?: string;
  /** How long a call may take; 20 s unless said. */
  timeoutMs?: number;
  fetch?: typeof globalThis.fetch;
}

/** A message of a running task is to interrupt it, to be taken in by it, to wait for its end, or to be refused. */
export type Policy = "interrupt" | "steer" | "enqueue" | "reject";

/** What may go with a message; the last five are for a graph of your own. */
export interface SendOptions {
  /** Makes it safe to send the message again; made up unless given. */
  clientId?: string;
  /** `interrupt` unless said. */
  policy?: Policy;
  /** With `steer`: the task that is meant. If another one runs, the message is refused. */
  taskId?: string;
  priority?: number;
  graph?: string;
  input?: Record<string, unknown>;
  context?: Record<string, unknown>;
  configurable?: Record<string, unknown>;
  checkpointId?: string;
}

/** A refusal, or no answer: `status` is the HTTP status, 0 where none came. */
export declare class DetourError extends Error {
  constructor(
    message: string,
    more?: { status?: number; code?: string; details?: unknown; retryAfterMs?: number },
  );
  status: number;
  code: string;
  details: unknown;
  retryAfterMs: number;
  /** Whether the same call may succeed later. */
  readonly isTemporary: boolean;
}

/** The calls of one user. All but `events` and `stream` reject with a `DetourError`; these two throw it. */
export interface Client {
  /**
   * Send a message, which by default interrupts the active task. Sent again while the server cannot be reached. Of one
   * that steers, the answer has the `message_id`, and `steer` says what has become of it.
   */
  send(message: string, options?: SendOptions): Promise<ChatAnswer>;
  /**
   * Send a message and yield the events of its task until it has ended: an interrupted one with its receipt, any
   * other with its final status. If the server no longer keeps the events since the message, a snapshot is yielded.
   *
   * Of a message that steers these are its `steer` events, and questions that are asked while it is pending; then the
   * events of the task that has it. So it has the reply to this message, and no other one.
   */
  stream(
    message: string,
    options?: SendOptions & { signal?: AbortSignal },
  ): AsyncGenerator<Event | SnapshotFrame, void, void>;
  /**
   * Yield every frame of the user and each change of the connection, until `signal` is aborted. Begins with a
   * snapshot, or after `position`. After a break it resumes where it was: no event is missing, none comes twice.
   */
  events(options?: {
    position?: Position | null;
    signal?: AbortSignal;
  }): AsyncGenerator<Frame | ConnectionFrame, void, void>;
  /**
   * Stop a task, by default the active one, or one agent of it. Pending messages begin a task then; with
   * `pending: "withdraw"` they are withdrawn.
   */
  stop(what?: {
    taskId?: string;
    agent?: string;
    pending?: "keep" | "withdraw";
  }): Promise<ReceiptAnswer | StoppedAgentAnswer | StoppingAnswer>;
  /** The messages that wait for the running task to take them in. */
  pending(): Promise<PendingListAnswer>;
  /**
   * Replace the text of a pending message; `revision` is the one that its user has seen. Rejects with the code
   * `stale_revision` if it was edited since, and as the next three with `not_pending` if it is no longer pending.
   */
  edit(messageId: string, text: string, revision: number): Promise<PendingAnswer>;
  /** Withdraw a pending message. */
  withdraw(messageId: string): Promise<PendingAnswer>;
  /** Interrupt the running task with a pending message. */
  now(messageId: string): Promise<PendingAnswer>;
  /** Leave a pending message for the end of the running task. */
  later(messageId: string): Promise<PendingAnswer>;
  /** Answer a question with the values of its fields. */
  answer(requestId: string, values: unknown): Promise<AnsweredAnswer>;
  /** Allow or deny what a task asks permission for. */
  decide(requestId: string, decision: "allow" | "deny", note?: string): Promise<AnsweredAnswer>;
  status(): Promise<StatusAnswer>;
  partialResults(): Promise<PartialResultsAnswer>;
  history(page?: { limit?: number; before?: string }): Promise<HistoryAnswer>;
  receipt(taskId: string): Promise<ReceiptAnswer>;
  /** The tool calls of a task, with what each was given and what it came to. */
  calls(taskId: string): Promise<CallsAnswer>;
  /** The newest state of a graph of your own. */
  state(of?: { graph?: string }): Promise<StateView>;
  states(page?: { limit?: number; before?: string; graph?: string }): Promise<StateHistoryAnswer>;
  /** Interrupt the user's tasks and delete all that the server stores of the user. */
  forget(): Promise<void>;
}

export declare class DetourClient {
  constructor(options: ClientOptions);
}
export interface DetourClient extends Client {}

/** One attempt at one message. */
export interface Task {
  task_id: string;
  status: TaskStatus;
  reason: InterruptReason | null;
  message: string;
  agents: Record<string, AgentView>;
  /** What each agent has found. */
  results: Record<string, unknown[]>;
  /** What its models ask of tools and what its nodes do with them, in order. */
  toolCalls: ToolCall[];
  /** What it took over of the task before it. */
  transfer: Pick<ContextTransfer, "from_task_id" | "relation" | "carried" | "adopted" | "dropped"> | null;
  /** Whether it only waits for its user: nothing of it runs until a question is resolved. */
  isResting: boolean;
  /** The reply so far; "" once it is a message. */
  text: string;
  /** How long that is, in code points. */
  textLength: number;
}

/** A tool call: a line of a page, the same from the first piece that a model asks for to its outcome. */
export interface ToolCall {
  /** A key among the calls of its task. */
  id: string;
  /** The server's id; "" until the call is made. */
  call_id: string;
  /** The id that a language model gave it, if one asked for it. */
  tool_call_id?: string;
  name: string;
  /**
   * `asking` while a model writes the arguments, `waiting` until it is made, `running`, and then its outcome: `not_started`
   * if its task ended before it was made.
   */
  state: "asking" | ToolUpdate["state"];
  /** null while a model writes them, and where they are too long for an event: `calls()` has these. */
  arguments: Record<string, unknown> | null;
  /** The arguments as JSON, as far as they are written. */
  argumentsText: string;
  /** What it came to; left out until then, and where it is too long for an event. */
  result?: unknown;
  /** The same in a few words; "" for none. */
  summary: string;
  /** What it does outside; left out until it is made. */
  effect?: ToolUpdate["effect"];
  /** `step` for a step of the graph that outlived its task. */
  kind?: "step";
}

/** A message that was sent from here and that the server has not listed yet. */
export interface Outgoing {
  client_id: string;
  text: string;
  state: "sending" | "accepted" | "unsent";
  /** Why it could not be sent, as a sentence. */
  error: string;
}

/** What a user's frames add up to. */
export interface State {
  connection: "connecting" | "live" | "reconnecting" | "refused";
  /** Why the server refuses the connection. */
  error: { code: string; message: string } | null;
  epoch: string | null;
  seq: number;
  /** Whether it holds what the server knew at `seq`. */
  synced: boolean;
  messages: MessageView[];
  /** The messages that wait for the running task to take them in. */
  pending: PendingView[];
  outbox: Outgoing[];
  tasks: Record<string, Task>;
  /** The tasks that wait for their turn, the next one first. */
  queued: string[];
  /** The open questions and permissions, oldest first. */
  requests: (InputRequestView & { task_id: string })[];
  receipts: Record<string, ReceiptAnswer>;
  /** What the last interrupted tasks have left, oldest first. */
  interrupted: InterruptedView[];
}

/** What `fold` takes: frames, the connection, and what a session does. */
export type Foldable =
  | Frame
  | ConnectionFrame
  | { type: "refused"; error: { code: string; message: string } }
  | { type: "sending"; client_id: string; text: string }
  | { type: "accepted"; client_id: string; seq: number }
  | { type: "unsent"; client_id: string; error: string }
  | { type: "calls"; task_id: string; calls: CallView[] };

/** A message as it is to be shown; `streamed` while its task still says it, `pending` while it waits to be taken in. */
export interface ShownMessage extends Pick<MessageView, "role" | "text" | "interrupted" | "task_id" | "steer"> {
  id: string;
  state: "listed" | "streamed" | "pending" | Outgoing["state"];
  error: string;
  client_id?: string | null;
  message_id?: string;
  at?: string;
}

export declare function initialState(): State;
export declare function fold(state: State, frame: Foldable): State;
/** The history, what tasks have said of their replies, and what was just sent. */
export declare function conversation(state: State): ShownMessage[];
/** Whether a task has not ended. */
export declare function isActive(task: Pick<Task, "status"> | null | undefined): boolean;
/** Whether a tool call has not ended. */
export declare function isOpenCall(call: Pick<ToolCall, "state">): boolean;
/** The newest active task that searches, else the last that ended with something to show. */
export declare function taskToShow(tasks: State["tasks"]): Task | null;

/** The state of one user, kept up to date while anybody is subscribed, with what was sent from here in it at once. */
export declare class Session {
  constructor(client: Client);
  readonly client: Client;
  getState: () => State;
  /** Call a function after each change; the line is closed once nobody is subscribed. */
  subscribe: (listener: () => void) => () => void;
  /** Send a message, which is shown at once. Resolves to null where it could not be sent; the state says why. */
  send: (text: string, options?: SendOptions) => Promise<ChatAnswer | null>;
  /** Send again what could not be sent, with the policy that it was sent with unless another one is given. */
  resend: (clientId: string, options?: SendOptions) => Promise<ChatAnswer | null>;
}
