/** A conversation: messages as they are said, what was found, questions, and a field to say something at any moment. */

import { useDetour, type Detour } from "@detour/react";
import { useState, type FormEvent } from "react";

import { Question } from "./Question";

export function Chat({ userId }: { userId: string }) {
  const detour = useDetour({ userId });
  const { messages, agents, results, questions, connection, error, isBusy, send, resend, stop } = detour;
  return (
    <>
      <p role="status">{error ? error.message : connection}</p>
      <ol aria-label="Conversation">
        {messages.map(({ id, role, text, state, error: why }) => (
          <li key={id} className={role} data-state={state}>
            {text}
            {state === "unsent" && <button onClick={() => resend(id)}>Send again: {why}</button>}
          </li>
        ))}
      </ol>
      <ul aria-label="Agents">
        {[...new Set([...Object.keys(agents), ...Object.keys(results)])].map((name) => (
          <li key={name}>
            {name}: {agents[name]?.state} {agents[name]?.detail} ({results[name]?.length ?? 0} found)
          </li>
        ))}
      </ul>
      {questions.map((question) => (
        <Question key={question.request_id} question={question} detour={detour} />
      ))}
      <Say send={send} />
      <button onClick={() => stop()} disabled={!isBusy}>
        Stop
      </button>
    </>
  );
}

function Say({ send }: Pick<Detour, "send">) {
  const [text, setText] = useState("");
  const say = (event: FormEvent) => {
    event.preventDefault();
    if (!text.trim()) return;
    setText("");
    void send(text);
  };
  return (
    <form onSubmit={say}>
      <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
      <button>Send</button>
    </form>
  );
}
