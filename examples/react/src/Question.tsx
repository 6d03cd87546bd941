/** A question as a form of its fields, or a permission with what it would allow. */

import { type Detour } from "@detour/react";
import { useState, type FormEvent } from "react";

type Asked = Detour["questions"][number];

export function Question({ question, detour }: { question: Asked; detour: Detour }) {
  const { request_id, kind, prompt, schema, defaults, facts } = question;
  const [refusal, setRefusal] = useState("");
  const tried = (sending: Promise<unknown>) => sending.catch((error: Error) => setRefusal(error.message));
  if (kind === "permission") {
    return (
      <fieldset>
        <legend>{prompt}</legend>
        <pre>{JSON.stringify(facts, null, 2)}</pre>
        <button onClick={() => tried(detour.decide(request_id, "allow"))}>Allow</button>
        <button onClick={() => tried(detour.decide(request_id, "deny"))}>Deny</button>
        <p role="alert">{refusal}</p>
      </fieldset>
    );
  }
  const fields = Object.entries((schema.properties ?? {}) as Record<string, { title?: string }>);
  const answer = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = [...new FormData(event.currentTarget)].filter(([, value]) => value !== "");
    void tried(detour.answer(request_id, Object.fromEntries(given)));
  };
  return (
    <form onSubmit={answer} aria-label={prompt}>
      <p>{prompt}</p>
      {fields.map(([name, { title = name }]) => (
        <label key={name}>
          {title} <input name={name} defaultValue={String(defaults[name] ?? "")} />
        </label>
      ))}
      <button>Answer</button>
      <p role="alert">{refusal}</p>
    </form>
  );
}
