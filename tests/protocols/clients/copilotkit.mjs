/** CopilotKit's core against its runtime's HTTP: each page of the test is a core of its own. */
import { CopilotKitCore } from "@copilotkit/core";
import { z } from "zod";

import { serve, until } from "./harness.mjs";

globalThis.window ??= globalThis; // the core connects in a page only
const pages = new Map();

serve({
  open: async ({ who, agentId, threadId, ...config }, tell) => {
    const core = new CopilotKitCore(config);
    let failure = null;
    core.subscribe({ onError: ({ code, error }) => {
      failure = error;
      tell({ kind: "error", who, code, error: String(error) });
    } });
    const agent = await until(() => failure || core.getAgent(agentId));
    if (failure) throw failure;
    agent.threadId = threadId;
    agent.subscribe({
      onEvent: ({ event }) => tell({ kind: "event", who, event }),
      onRunFinishedEvent: ({ outcome }) => tell({ kind: "finished", who, outcome }),
    });
    pages.set(who, { core, agent });
    return Object.keys(core.agents);
  },
  // Adds a tool to the page, whose handler returns what the test has it return; without one it has no handler.
  offer: async ({ who, tool: name, returns, ...more }, tell) => {
    const handler = (args) => {
      tell({ kind: "executed", who, name, args });
      return returns;
    };
    const parameters = z.object({ what: z.string() });
    pages.get(who).core.addTool({ name, parameters, ...more, ...(returns === undefined ? {} : { handler }) });
  },
  tell: async ({ who, description, value }) => pages.get(who).core.addContext({ description, value }),
  connect: async ({ who }) => {
    const { core, agent } = pages.get(who);
    await core.connectAgent({ agent });
  },
  // Adds the message and runs in one go, as a page does: what is added while a run streams, the run's next
  // event takes away again.
  say: async ({ who, id, text, ...parameters }) => {
    const { core, agent } = pages.get(who);
    agent.addMessage({ id, role: "user", content: text });
    return core.runAgent({ agent, ...parameters });
  },
  run: async ({ who, ...parameters }) => {
    const { core, agent } = pages.get(who);
    return core.runAgent({ agent, ...parameters });
  },
  stop: async ({ who }) => {
    const { core, agent } = pages.get(who);
    core.stopAgent({ agent });
  },
  leave: async ({ who }) => pages.get(who).agent.detachActiveRun(),
  look: async ({ who }) => {
    const { messages, state, pendingInterrupts, isRunning } = pages.get(who).agent;
    return { messages, state, pendingInterrupts, isRunning };
  },
});
