/** CopilotKit's core against its runtime's HTTP: each page of the test is a core of its own. */
import { CopilotKitCore } from "@copilotkit/core";

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
