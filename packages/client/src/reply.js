/** Which frames belong to a message that was sent: those of its task, or of the task that has it in its run. */

const ACTIVE = new Set(["queued", "running", "input_required", "cancelling"]);

/** What follows on one message. One that steers has no task of its own at first: its `steer` events say which has it. */
export class Reply {
  #taskId;
  #messageId;
  #waits;
  /** Whether no further frame is its own. */
  hasEnded = false;

  /** @param {import("../types.js").ChatAnswer} accepted how the message was taken */
  constructor({ task_id, message_id, steer }) {
    this.#taskId = task_id;
    this.#messageId = message_id ?? "";
    // Of a withdrawn one, that was sent again: the event that says so is still to be heard.
    this.#waits = steer === "pending" || steer === "withdrawn";
  }

  /**
   * Take a frame, and return whether it belongs to the message.
   *
   * @param {import("../types.js").Frame} frame
   */
  hear(frame) {
    if (frame.type === "hello" || frame.type === "reset") return false;
    if (frame.type === "snapshot") {
      this.#takeFrom(frame);
      return true;
    }
    if (frame.type === "steer" && frame.message_id === this.#messageId) {
      this.#taskId = frame.task_id;
      this.#waits = frame.steer === "pending";
      this.hasEnded = frame.steer === "withdrawn";
      return true;
    }
    // Until it is answered no step follows that could take the message in.
    if (this.#waits) return frame.type === "input_request";
    if (frame.task_id !== this.#taskId) return false;
    this.hasEnded = endsTask(frame);
    return true;
  }

  /** @param {import("../types.js").SnapshotFrame} snapshot */
  #takeFrom({ status, history }) {
    /** @param {{message_id: string}} each */
    const isIt = ({ message_id }) => message_id === this.#messageId;
    if (this.#waits) {
      if (status?.pending?.some(isIt)) return;
      // In a history that does not go back so far its place is not told; its own task is the best guess.
      const own = this.#messageId.slice(0, this.#messageId.lastIndexOf("."));
      this.#taskId = history.find(isIt)?.task_id ?? own;
      this.#waits = false;
    }
    this.hasEnded = !isActiveIn(status, this.#taskId);
  }
}

/**
 * Whether an event is the last one of its task: an interrupted task still gets its receipt.
 *
 * @param {import("../index.js").Event} event
 */
function endsTask(event) {
  if (event.type === "status_update") return event.status === "completed" || event.status === "failed";
  return event.type === "receipt";
}

/** @param {import("../types.js").StatusAnswer | null} status @param {string} taskId */
function isActiveIn(status, taskId) {
  if (!status) return false;
  return status.queued.includes(taskId) || (status.task_id === taskId && ACTIVE.has(status.status));
}
