/** A question that the graph has asked: a form of its fields, or a permission with what it would allow. */

import { useState, type FormEvent } from "react";

export type Question = {
  prompt: string;
  kind: string;
  schema: { properties?: Record<string, { title?: string }> };
  defaults: Record<string, unknown>;
  facts?: unknown;
};

type Props = { question: Question; answer: (value: unknown) => Promise<void> };

export function Question({ question: { prompt, kind, schema, defaults, facts }, answer }: Props) {
  const [isSent, setSent] = useState(false);
  const give = (value: unknown) => {
    setSent(true);
    void answer(value).finally(() => setSent(false));
  };
  if (kind === "permission") {
    return (
      <fieldset disabled={isSent} aria-label={prompt}>
        <p>{prompt}</p>
        <pre>{JSON.stringify(facts, null, 2)}</pre>
        <button onClick={() => give("allow")}>Allow</button>
        <button onClick={() => give("deny")}>Deny</button>
      </fieldset>
    );
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = [...new FormData(event.currentTarget)].filter(([, value]) => value !== "");
    give(Object.fromEntries(given));
  };
  return (
    <form onSubmit={submit} aria-label={prompt}>
      <fieldset disabled={isSent}>
        <p>{prompt}</p>
        {Object.entries(schema.properties ?? {}).map(([name, { title = name }]) => (
          <label key={name}>
            {title} <input name={name} defaultValue={String(defaults[name] ?? "")} />
          </label>
        ))}
        <button>Answer</button>
      </fieldset>
    </form>
  );
}
