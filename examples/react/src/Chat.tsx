/** A conversation: messages as they are said, what was found, questions, and a field to say something at any moment. */

import { useDetour, type Detour } from "@detour/react";
import { Fragment, useState, type FormEvent } from "react";

import { Pending } from "./Pending";
import { Question } from "./Question";
import { ToolCalls } from "./ToolCalls";

export function Chat({ userId }: { userId: string }) {
  const detour = useDetour({ userId });
  const { messages, agents, results, questions, connection, error, isBusy, state, send, steer, resend, stop } = detour;
  const said = messages.filter(({ state }) => state !== "pending");
  const begins = (at: number) => said[at]?.task_id !== said[at - 1]?.task_id;
  return (
    <>
      <p role="status">{error ? error.message : connection}</p>
      <ol aria-label="Conversation">
        {said.map(({ id, task_id, role, text, state: sent, error: why }, at) => (
          <Fragment key={id}>
            <li className={role} data-state={sent}>
              {text}
              {sent === "unsent" && <button onClick={() => resend(id)}>Send again: {why}</button>}
            </li>
            {begins(at) && <Calls calls={state.tasks[task_id]?.toolCalls} />}
          </Fragment>
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
      <Pending detour={detour} />
      <Say send={send} steer={isBusy ? steer : null} />
      <button onClick={() => stop()} disabled={!isBusy}>
        Stop
      </button>
    </>
  );
}

/** What was done for a message stands below it. */
function Calls({ calls = [] }: { calls?: Detour["toolCalls"] }) {
  return calls.length > 0 && (
    <li className="calls">
      <ToolCalls calls={calls} />
    </li>
  );
}

/** Send interrupts what runs; Steer has it take the message in. */
function Say({ send, steer }: { send: Detour["send"]; steer: Detour["steer"] | null }) {
  const [text, setText] = useState("");
  const say = (by: Detour["send"]) => {
    if (!text.trim()) return;
    setText("");
    void by(text);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    say(send);
  };
  return (
    <form onSubmit={submit}>
      <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
      <button>Send</button>
      {steer && (
        <button type="button" onClick={() => say(steer)}>
          Steer
        </button>
      )}
    </form>
  );
}
