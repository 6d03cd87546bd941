/** Tool calls, a line each, which opens to what a call was given and what it came to. */

import { type Detour } from "@detour/react";

import { Value } from "./Value";

type Call = Detour["toolCalls"][number];

const STATES: Partial<Record<Call["state"], string>> = {
  asking: "preparing",
  completed: "done",
  completed_after_interrupt: "done, after you interrupted",
  not_started: "not started",
  denied: "not allowed",
  adopted: "continues for your next message",
  unknown: "not known yet",
};

export function ToolCalls({ calls }: { calls: Call[] }) {
  return calls.map((call) => (
    <details key={call.id} className="call" data-state={call.state}>
      <summary>
        <strong>{call.name.replaceAll("_", " ")}</strong> {STATES[call.state] ?? call.state}
      </summary>
      <h3>Arguments</h3>
      <Value value={call.arguments ?? call.argumentsText} />
      {call.result !== undefined && (
        <>
          <h3>Result</h3>
          <Value value={readable(call.result)} />
        </>
      )}
    </details>
  ));
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
