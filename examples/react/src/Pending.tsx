/** What waits for the running task to take it in: each message can be edited, withdrawn, sent now or left for the end. */

import { type Detour } from "@detour/react";
import { useState, type FormEvent } from "react";

export function Pending({ detour }: { detour: Detour }) {
  if (!detour.pending.length) return null;
  return (
    <ul aria-label="Pending">
      {detour.pending.map((message) => (
        <Waiting key={message.message_id} message={message} detour={detour} />
      ))}
    </ul>
  );
}

function Waiting({ message, detour }: { message: Detour["pending"][number]; detour: Detour }) {
  const { message_id, text, revision } = message;
  // The revision that the user saw as the edit began: an edit of another window is not overwritten.
  const [edited, setEdited] = useState<{ text: string; revision: number } | null>(null);
  const [refusal, setRefusal] = useState("");
  const tried = (call: Promise<unknown>) => call.catch((error: Error) => setRefusal(error.message));
  const edit = (event: FormEvent) => {
    event.preventDefault();
    if (!edited?.text.trim()) return;
    setEdited(null);
    void tried(detour.edit(message_id, edited.text, edited.revision));
  };
  return (
    <li>
      {edited ? (
        <form onSubmit={edit}>
          <input
            aria-label="Edited message"
            value={edited.text}
            onChange={(event) => setEdited({ ...edited, text: event.target.value })}
          />
          <button>Save</button>
        </form>
      ) : (
        <span>{text}</span>
      )}
      <button onClick={() => setEdited({ text, revision })}>Edit</button>
      <button onClick={() => tried(detour.withdraw(message_id))}>Withdraw</button>
      <button onClick={() => tried(detour.now(message_id))}>Now</button>
      <button onClick={() => tried(detour.later(message_id))}>Later</button>
      <p role="alert">{refusal}</p>
    </li>
  );
}
