/** What a server sends and answers; written by `scripts/write_types.py` from its OpenAPI document. */

/** An agent started, progressed or ended; an update without `request` leaves the request as it was. */
export interface AgentUpdate {
  seq: number;
  task_id: string;
  at: string;
  state: "waiting" | "working" | "input_required" | "done" | "interrupted" | "failed";
  detail: string;
  done: number;
  total: number;
  count: number;
  since: string | null;
  until: string | null;
  request?: Record<string, unknown>;
  type: "agent_update";
  agent: string;
}

/**
 * How far an agent is.
 *
 * `since` is when it began to work, null while it has not, or waits for its user; `until` when it ended.
 * `request` is what it was asked to find; a graph of your own has none.
 */
export interface AgentView {
  state: "waiting" | "working" | "input_required" | "done" | "interrupted" | "failed";
  detail: string;
  done: number;
  total: number;
  count: number;
  since: string | null;
  until: string | null;
  request?: Record<string, unknown>;
}

/** An accepted answer; the task resumes with it. */
export interface AnsweredAnswer {
  user_id: string;
  task_id: string;
  request_id: string;
  outcome: "answered" | "allowed" | "denied" | "withdrawn" | "expired";
  status: TaskStatus;
  seq: number;
  epoch: string;
}

/** A tool call that was made before a message was taken in; `state` is how it stood then. */
export interface CallBefore {
  call_id: string;
  tool: string;
  state: "waiting" | "running" | "ended" | "completed" | "not_started" | "cancelled" | "adopted" | "denied" | "completed_after_interrupt" | "failed" | "unknown";
}

/**
 * A tool call with its arguments and its result.
 *
 * `state` is its outcome once it has ended. `arguments` and `result` are JSON of any form; `result` is null
 * if there is none. `kind` is "step" for a step of the graph that outlived its task. `tool_call_id` is the
 * id that a language model gave the call, if one asked for it.
 */
export interface CallView {
  call_id: string;
  agent: string;
  tool: string;
  effect: "none" | "read" | "write";
  state: "waiting" | "running" | "ended" | "completed" | "not_started" | "cancelled" | "adopted" | "denied" | "completed_after_interrupt" | "failed" | "unknown";
  summary: string;
  arguments: Record<string, unknown>;
  result: unknown;
  started_at: string | null;
  ended_at: string | null;
  kind?: "step";
  tool_call_id?: string;
}

/** The tool calls of a task, in the order in which they were made. */
export interface CallsAnswer {
  user_id: string;
  task_id: string;
  calls: CallView[];
}

/**
 * An accepted message; `graph` is the name of the graph that answers it, of a server of several.
 *
 * Of a message that was sent with the policy `steer`, `steer` says what has become of it, and `message_id`
 * which message of the conversation it is; `policy` is another one if nothing could be steered.
 */
export interface ChatAnswer {
  task_id: string;
  user_id: string;
  status: TaskStatus;
  policy: "interrupt" | "enqueue" | "reject" | "steer";
  relation: string | null;
  interrupted_task_id: string | null;
  duplicate: boolean;
  graph?: string;
  message_id?: string;
  steer?: "pending" | "taken_in" | "merged" | "own_task" | "withdrawn";
  seq: number;
  epoch: string;
  websocket: string;
}

/** A step of a thread, by its id. */
export interface CheckpointView {
  checkpoint_id: string;
}

/** The task took something over from the one before it: `adopted` are ids of tool calls. */
export interface ContextTransfer {
  seq: number;
  task_id: string;
  at: string;
  type: "context_transfer";
  from_task_id: string;
  relation: string | null;
  carried: Record<string, unknown>;
  adopted: string[];
  dropped: string[];
}

/** Every error has this form. */
export interface ErrorAnswer {
  error: ErrorBody;
}

/** What went wrong. */
export interface ErrorBody {
  code: string;
  message: string;
  retryable: boolean;
  details?: unknown;
}

export type Frame = Hello | SnapshotFrame | Reset | StatusUpdate | AgentUpdate | PartialResult | TextDelta | ToolCallAsked | GraphMessage | MessageAdded | Steered | ToolUpdate | StateWritten | InputRequested | TaskResting | InputResolved | ContextTransfer | ResultsSorted | OffersPointedOut | OffersOrdered | ReceiptIssued;

/**
 * A message entered the state of the graph: the result of a tool call, or a model's.
 *
 * A result has the `tool_call_id` that it answers and its `status`. A model's is told if it is new or no
 * part of the reply; `text` is left out if `text_delta` events of the same `message_id` had all of it. With
 * `cut` it is only the beginning of a long text.
 */
export interface GraphMessage {
  seq: number;
  task_id: string;
  at: string;
  type: "graph_message";
  message_id: string;
  role: "assistant" | "tool";
  node: string;
  text?: string;
  cut?: boolean;
  tool_call_id?: string;
  tool?: string;
  status?: "success" | "error";
  namespace?: string;
}

/** One graph; `input` and `context` are JSON Schemas of what a message may bring in these fields. */
export interface GraphView {
  name: string;
  description: string;
  input: Record<string, unknown>;
  context: Record<string, unknown>;
}

/** The graphs of a server; `graph` is the one that the user's next message goes to if it names none. */
export interface GraphsAnswer {
  graphs: GraphView[];
  default: string;
  graph: string;
}

/**
 * The first frame. `seq` is the last number of the log, not the position of this client.
 *
 * `graphs` are the names of the graphs, of a server of several. `policy` is what messages do that do not say
 * it, unless they interrupt.
 */
export interface Hello {
  type: "hello";
  user_id: string;
  epoch: string;
  seq: number;
  at: string;
  heartbeat_s: number;
  graphs?: string[];
  policy?: "interrupt" | "enqueue" | "reject" | "steer";
}

/** A conversation, oldest message first. */
export interface HistoryAnswer {
  user_id: string;
  messages: MessageView[];
  seq: number;
  epoch: string;
}

/**
 * An open question: `schema` is a JSON Schema, `defaults` fill its form.
 *
 * A permission request names the `tool` of its call, and has `facts`: what the call would do, under titles.
 * A question about an action has both as well, if it has them. `value` is what a graph handed to
 * `interrupt()`, if that says more.
 */
export interface InputRequestView {
  request_id: string;
  kind: "question" | "permission";
  agent: string;
  prompt: string;
  schema: Record<string, unknown>;
  defaults: Record<string, unknown>;
  expires_at: string;
  call_id?: string;
  tool?: string;
  facts?: Record<string, unknown>;
  value?: unknown;
}

/** A task asks its user a question, or for a permission. */
export interface InputRequested {
  seq: number;
  task_id: string;
  at: string;
  request_id: string;
  kind: "question" | "permission";
  agent: string;
  prompt: string;
  schema: Record<string, unknown>;
  defaults: Record<string, unknown>;
  expires_at: string;
  call_id?: string;
  tool?: string;
  facts?: Record<string, unknown>;
  value?: unknown;
  type: "input_request";
}

/** A question or a permission is no longer open. */
export interface InputResolved {
  seq: number;
  task_id: string;
  at: string;
  type: "input_resolved";
  request_id: string;
  outcome: "answered" | "allowed" | "denied" | "withdrawn" | "expired";
}

/** Why a task was interrupted. The first reason given stays. */
export type InterruptReason = "superseded" | "stopped" | "timed_out" | "shutdown" | "lost";

/** What an interrupted task left behind. */
export interface InterruptedView {
  task_id: string;
  message: string;
  reason: InterruptReason;
  at: string;
  partial_results: Record<string, unknown[]>;
  text: string;
  asked: string[];
}

/**
 * A message entered the history; `client_id` is the one it was sent with, if any.
 *
 * `suggestions` are messages that a user may want to send next; left out if there are none. `steer` is what
 * became of a message that was to steer a task. `content` are the blocks of one that is more than text. With
 * `unsaid` the user did not say it: a client has had the thread go on from its state.
 */
export interface MessageAdded {
  seq: number;
  task_id: string;
  at: string;
  type: "message";
  message_id: string;
  role: "user" | "assistant" | "system";
  text: string;
  interrupted: boolean;
  client_id: string | null;
  suggestions?: string[];
  steer?: "pending" | "taken_in" | "merged" | "own_task" | "withdrawn";
  content?: (Record<string, unknown>)[];
  unsaid?: boolean;
}

/**
 * One message of a conversation; `client_id` is the one it was sent with, if it was sent with any.
 *
 * `suggestions` are messages that a user may want to send next; left out if there are none. `steer` is what
 * became of a message that was to steer a task, left out for all others. `task_id` is the task in whose run
 * the message is; `taken_in_at` is when that took it in, left out if it did not.
 */
export interface MessageView {
  message_id: string;
  role: "user" | "assistant" | "system";
  text: string;
  task_id: string;
  at: string;
  interrupted: boolean;
  client_id: string | null;
  suggestions?: string[];
  steer?: "pending" | "taken_in" | "merged" | "own_task" | "withdrawn";
  taken_in_at?: string;
}

/** The user asked for an agent's offers in another order: by a fact of theirs, least or earliest first. */
export interface OffersOrdered {
  seq: number;
  task_id: string;
  at: string;
  type: "offers_ordered";
  agent: string;
  by: string;
  descending: boolean;
}

/** The task's reply speaks of these offers of an agent. */
export interface OffersPointedOut {
  seq: number;
  task_id: string;
  at: string;
  type: "offers_pointed_out";
  agent: string;
  offer_ids: string[];
}

/** An agent found `items`, which are new; `count` is how many it has found in all. */
export interface PartialResult {
  seq: number;
  task_id: string;
  at: string;
  type: "partial_result";
  agent: string;
  items: unknown[];
  count: number;
  source: string | null;
}

/** What was found so far; `results_sorted` is there if its task began with results of another one. */
export interface PartialResultsAnswer {
  user_id: string;
  task_id: string;
  status: TaskStatus;
  partial_results: Record<string, unknown[]>;
  text: string;
  interrupted: InterruptedView[];
  still_running: StillRunningView[];
  seq: number;
  epoch: string;
  results_sorted?: SortedView;
}

/** The fate of a message that was pending; `task_id` is the task in whose run it is, or is to be. */
export interface PendingAnswer {
  user_id: string;
  message_id: string;
  task_id: string;
  steer: "pending" | "taken_in" | "merged" | "own_task" | "withdrawn";
  text: string;
  revision: number;
  interrupted_task_id?: string | null;
}

/** The messages that wait for the running task to take them in, in order. */
export interface PendingListAnswer {
  user_id: string;
  pending: PendingView[];
  seq: number;
  epoch: string;
}

/** A message that waits to be taken in; `revision` counts its edits. */
export interface PendingView {
  message_id: string;
  text: string;
  revision: number;
  at: string;
}

/**
 * The true account of how a task ended.
 *
 * An outcome that becomes known later amends it: `amendments` counts how often, `amended_at` is the last
 * time. `set_aside` says what of a graph's stored state did not fit the graph any more, if anything.
 * `stopped_by` says who stopped the task, if not its user.
 * `sorted_results` counts what the message that interrupted the task makes of its results, where it does.
 */
export interface ReceiptAnswer {
  task_id: string;
  reason: InterruptReason | null;
  at: string;
  requested_at: string | null;
  settled_at: string;
  text_kept: number;
  partial_results: Record<string, number>;
  input_request: string | null;
  tool_calls: ToolCallView[];
  adopted_by: string | null;
  usage: UsageView;
  stopped_by?: "operator";
  set_aside?: string[];
  sorted_results?: Record<string, SortedCounts>;
  amended_at?: string;
  amendments?: number;
}

/** An interruption has settled, or its receipt is amended. */
export interface ReceiptIssued {
  seq: number;
  task_id: string;
  at: string;
  type: "receipt";
  receipt: ReceiptAnswer;
}

/** The position of this client is no longer valid: a snapshot follows, and replaces its state. */
export interface Reset {
  type: "reset";
  reason: string;
}

/** What the task's request makes of the results of an earlier task, by agent. */
export interface ResultsSorted {
  seq: number;
  task_id: string;
  at: string;
  type: "results_sorted";
  from_task_id: string;
  results: Record<string, SortedResults>;
}

/** All that a client needs to begin with; of a user who never wrote, `status` is null. */
export interface SnapshotFrame {
  type: "snapshot";
  seq: number;
  epoch: string;
  status: StatusAnswer | null;
  partial_results: PartialResultsAnswer | null;
  history: MessageView[];
}

/** How many of an agent's results have which validity. */
export interface SortedCounts {
  stays: number;
  waits: number;
  goes: number;
}

/** Positions of an agent's results by their validity, among all that it found, counted from 0. */
export interface SortedResults {
  stays: number[];
  waits: number[];
  goes: number[];
}

/** Validity of the results of the task `from_task_id` for a task's request, by agent. */
export interface SortedView {
  from_task_id: string;
  results: Record<string, SortedResults>;
}

/** The steps of a thread, newest first; both branches where a message has begun from an earlier step. */
export interface StateHistoryAnswer {
  user_id: string;
  states: StateView[];
}

/**
 * How a step came about: `source` is `input` for a message and `loop` for a step of the graph.
 *
 * `step` counts the steps of its branch as LangGraph does; null if unreadable. `turn` is that of the task.
 * The LangGraph API leaves it out; while served, it answers at `GET /threads/{user_id}/state`.
 */
export interface StateMetadataView {
  source: string | null;
  step: number | null;
  turn?: number;
}

/**
 * The state of a graph after one step, shaped as LangGraph's `StateSnapshot`.
 *
 * `next` are the nodes that would run next. `lost` lists the parts that are no longer readable, if any.
 */
export interface StateView {
  values: unknown;
  next: string[];
  checkpoint: CheckpointView;
  parent_checkpoint: CheckpointView | null;
  metadata: StateMetadataView;
  created_at: string | null;
  lost?: string[];
}

/**
 * A client wrote to the state of a graph's thread, as its node `as_node`: a task that never ran.
 *
 * `checkpoint_id` is the step that it made, from the step `parent`. `messages` are those that it added to
 * the graph's conversation, or changed, as LangChain writes them, and `removed` the ids of those that it
 * took out, `__remove_all__` for all of them. `channels` are all parts of the state that it changed.
 */
export interface StateWritten {
  seq: number;
  task_id: string;
  at: string;
  type: "state_written";
  checkpoint_id: string;
  parent: string | null;
  as_node: string | null;
  channels: string[];
  messages: (Record<string, unknown>)[];
  removed: string[];
  graph?: string;
}

/**
 * The status of a user's latest task; `graph` is the name of its graph, of a server of several.
 *
 * `pending` are messages that the task will take in, if any. `set_aside` lists the parts of its graph's
 * stored state that no longer fit the graph, if any.
 */
export interface StatusAnswer {
  user_id: string;
  task_id: string;
  status: TaskStatus;
  reason: InterruptReason | null;
  message: string;
  policy: "interrupt" | "enqueue" | "reject" | "steer";
  current_agent: string | null;
  agents: Record<string, AgentView>;
  input_request: InputRequestView | null;
  input_requests: InputRequestView[];
  queued: string[];
  pending?: PendingView[];
  still_running: StillRunningView[];
  previous_task_id: string | null;
  graph?: string;
  created_at: string;
  updated_at: string;
  seq: number;
  epoch: string;
  set_aside?: string[];
}

/**
 * A task changed its status; `partial_results` are all its results so far, by agent.
 *
 * `graph` names the task's graph, of a server of several. `usage` comes with the final status.
 */
export interface StatusUpdate {
  seq: number;
  task_id: string;
  at: string;
  type: "status_update";
  status: TaskStatus;
  reason: InterruptReason | null;
  message: string;
  graph?: string;
  current_agent: string | null;
  partial_results: Record<string, unknown[]>;
  usage?: UsageView;
}

/**
 * What became of a message that was to steer a task, or that it was edited while it is `pending`.
 *
 * `task_id` is the task in whose run it is, or is to be.
 */
export interface Steered {
  seq: number;
  task_id: string;
  at: string;
  type: "steer";
  message_id: string;
  steer: "pending" | "taken_in" | "merged" | "own_task" | "withdrawn";
  text: string;
  revision: number;
  after?: TakenInAfter;
}

/** A tool call, or a step of the graph, that still runs though its task has ended. */
export interface StillRunningView {
  task_id: string;
  call_id: string;
  kind: "tool" | "step";
  name: string;
}

/** An agent after a stop request, with the outcomes of its tool calls. */
export interface StoppedAgentAnswer {
  state: "waiting" | "working" | "input_required" | "done" | "interrupted" | "failed";
  detail: string;
  done: number;
  total: number;
  count: number;
  since: string | null;
  until: string | null;
  request?: Record<string, unknown>;
  user_id: string;
  task_id: string;
  agent: string;
  tool_calls: ToolCallView[];
}

/** A task, or one agent of it, is being stopped; a side effect that had started still finishes. */
export interface StoppingAnswer {
  user_id: string;
  status: "cancelling";
}

/** Where a message stands: after a step of these nodes, and these calls of the task, the last ones. */
export interface TakenInAfter {
  nodes: string[];
  calls: CallBefore[];
}

/** A task only waits for its user from now on: nothing of it runs until a question is resolved. */
export interface TaskResting {
  seq: number;
  task_id: string;
  at: string;
  type: "task_resting";
}

/** A task's status, as users see it. */
export type TaskStatus = "queued" | "running" | "input_required" | "cancelling" | "completed" | "failed" | "interrupted";

/**
 * A piece of the reply; `offset` is the number of characters (code points) before it.
 *
 * Of a language model in a graph, `node` and `message_id` say whose text it is, and `namespace` in which
 * graph within. With `reply` false it is no part of the reply, and `offset` counts within its own message.
 */
export interface TextDelta {
  seq: number;
  task_id: string;
  at: string;
  type: "text_delta";
  text: string;
  offset: number;
  node?: string;
  message_id?: string;
  reply?: boolean;
  namespace?: string;
}

/**
 * A piece of a tool call that a message of a language model asks for; `whole` with its last piece.
 *
 * `arguments` is text of a JSON object, `offset` the number of its characters before this piece. The call
 * itself is told by `tool_update` events with the same `tool_call_id`, once the graph makes it. With `cut`
 * some of the arguments are left out: the task has shown as much as it may. One `for_page` is executed by
 * the page that has sent the message.
 */
export interface ToolCallAsked {
  seq: number;
  task_id: string;
  at: string;
  type: "tool_call";
  tool_call_id: string;
  tool: string;
  arguments: string;
  offset: number;
  whole: boolean;
  cut?: boolean;
  for_page?: boolean;
  message_id: string;
  node: string;
  namespace?: string;
}

/** What became of one tool call, or of a step of the graph that outlived its task (`kind` "step"). */
export interface ToolCallView {
  call_id: string;
  tool: string;
  effect: "none" | "read" | "write";
  outcome: "completed" | "not_started" | "cancelled" | "adopted" | "denied" | "completed_after_interrupt" | "failed" | "unknown";
  summary: string;
  kind?: "step";
}

/**
 * A tool call changed its state; once it has ended, `state` is its outcome.
 *
 * `kind` is "step" for a step of the graph that outlived its task; a tool call has no `kind`. `arguments`
 * come when it begins and `result` when it has ended, unless their JSON is longer than 16 KiB.
 * `tool_call_id` is the id that a language model gave the call, if one asked for it.
 */
export interface ToolUpdate {
  seq: number;
  task_id: string;
  at: string;
  type: "tool_update";
  call_id: string;
  tool: string;
  state: "waiting" | "running" | "ended" | "completed" | "not_started" | "cancelled" | "adopted" | "denied" | "completed_after_interrupt" | "failed" | "unknown";
  effect: "none" | "read" | "write";
  summary: string;
  kind?: "step";
  tool_call_id?: string;
  arguments?: Record<string, unknown>;
  result?: unknown;
}

/**
 * What language models have used for a task; `estimated` if a service did not report all of it.
 *
 * Where a service reported them: of the input tokens those that it read from its cache and wrote to it, of
 * the output tokens those of reasoning.
 */
export interface UsageView {
  input_tokens: number;
  output_tokens: number;
  model_calls: number;
  estimated: boolean;
  cache_read_tokens?: number;
  cache_creation_tokens?: number;
  reasoning_tokens?: number;
}
