/** A tool call as a line, which opens to what it was given and what it came to. */

import type { ToolCallMessagePartProps } from "@assistant-ui/react";

export function ToolCall({ toolName, args, result, isError }: ToolCallMessagePartProps) {
  const ended = isError ? "not completed" : "done";
  return (
    <details className="call">
      <summary>
        <strong>{toolName.replaceAll("_", " ")}</strong> {result === undefined ? "running" : ended}
      </summary>
      <h3>Arguments</h3>
      <Value value={args} />
      {result !== undefined && (
        <>
          <h3>Result</h3>
          <Value value={readable(result)} />
        </>
      )}
    </details>
  );
}

/** Text, names with their values, or a list. The server sends a long result in part. */
function Value({ value }: { value: unknown }) {
  if (typeof value !== "object" || value === null) return <p className="value">{String(value ?? "none")}</p>;
  const parts = Object.entries(value);
  if (!parts.length) return <p className="value">none</p>;
  if (Array.isArray(value)) {
    return (
      <ul>
        {value.map((each, at) => (
          <li key={at}>
            <Value value={each} />
          </li>
        ))}
      </ul>
    );
  }
  return (
    <dl>
      {parts.map(([name, each]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Value value={each} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Text that holds JSON as what it holds. */
function readable(result: unknown): unknown {
  if (typeof result !== "string" || !/^\s*[[{]/.test(result)) return result;
  try {
    return JSON.parse(result);
  } catch {
    return result;
  }
}
