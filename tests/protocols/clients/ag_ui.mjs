/** `HttpAgent` of @ag-ui/client 1.0.0 and of 0.0.59: agents by a name of the test's, their events as news. */
import * as old from "@ag-ui/client-0.0.59";
import * as current from "@ag-ui/client";

import { serve } from "./harness.mjs";

const versions = { "1.0.0": current, "0.0.59": old };
const agents = new Map();

serve({
  open: async ({ who, version, ...config }, tell) => {
    const agent = new versions[version].HttpAgent(config);
    agents.set(who, agent);
    agent.subscribe({
      onEvent: ({ event }) => tell({ kind: "event", who, event }),
      onRunFinishedEvent: ({ outcome, interrupts }) => tell({ kind: "finished", who, outcome, interrupts }),
      onRunFailed: ({ error }) => tell({ kind: "failed", who, error: String(error?.message ?? error) }),
    });
  },
  say: async ({ who, id, text, ...parameters }) => {
    agents.get(who).addMessage({ id, role: "user", content: text });
    return agents.get(who).runAgent(parameters);
  },
  run: async ({ who, ...parameters }) => agents.get(who).runAgent(parameters),
  add: async ({ who, message }) => agents.get(who).addMessage(message),
  keep: async ({ who, role }) => {
    const agent = agents.get(who);
    agent.setMessages(agent.messages.filter((message) => message.role === role));
  },
  abort: async ({ who }) => agents.get(who).abortRun(),
  look: async ({ who }) => {
    const { messages, state, pendingInterrupts, isRunning } = agents.get(who);
    return { messages, state, pendingInterrupts, isRunning };
  },
});
