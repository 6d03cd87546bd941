/** What can go wrong with a call. */

/** A refusal, or no answer: `status` is the HTTP status, 0 where none came. The message is a sentence for a person. */
export class DetourError extends Error {
  /**
   * @param {string} message
   * @param {{status?: number, code?: string, details?: unknown, retryAfterMs?: number}} [more]
   */
  constructor(message, { status = 0, code = "", details, retryAfterMs = 0 } = {}) {
    super(message);
    this.name = "DetourError";
    this.status = status;
    this.code = code;
    this.details = details;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the server was not reached, or takes nothing just now: the same call may succeed later. */
  get isTemporary() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/**
 * The error that an HTTP answer tells; a proxy in between may answer in words of its own.
 *
 * @param {Response} answer
 */
export async function errorOf(answer) {
  const body = await answer.json().catch(() => null);
  const { code = "", message = `The server answered ${answer.status}.`, details } = body?.error ?? {};
  const seconds = Number(answer.headers.get("retry-after"));
  return new DetourError(message, {
    status: answer.status,
    code,
    details,
    retryAfterMs: seconds > 0 ? seconds * 1000 : 0,
  });
}
