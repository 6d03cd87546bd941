/** assistant-ui's own runtime over LangGraph's API, as its documentation sets it up. */

import { useMemo, useState } from "react";
import { Client, type Message } from "@langchain/langgraph-sdk";
import { SimpleImageAttachmentAdapter, type RemoteThreadListAdapter } from "@assistant-ui/react";
import {
  unstable_createLangGraphStream,
  useLangGraphRuntime,
  type LangChainMessage,
} from "@assistant-ui/react-langgraph";

type Values = { messages?: Message[] };

/** Threads are those of the server; the address of the page names the one that is shown. */
function threadsOf(client: Client): RemoteThreadListAdapter {
  const known = (id: string) => ({ status: "regular" as const, remoteId: id, externalId: id });
  return {
    list: async () => ({ threads: (await client.threads.search()).map((each) => known(each.thread_id)) }),
    fetch: async (id) => known((await client.threads.get(id)).thread_id),
    initialize: async () => {
      const { thread_id } = await client.threads.create();
      return { remoteId: thread_id, externalId: thread_id };
    },
    delete: (id) => client.threads.delete(id),
    rename: async () => {},
    archive: async () => {},
    unarchive: async () => {},
    generateTitle: async () => new ReadableStream({ start: (controller) => controller.close() }) as never,
  };
}

/** The checkpoint after exactly these messages. */
async function checkpointAfter(client: Client, thread: string, messages: LangChainMessage[]) {
  const states = await client.threads.getHistory<Values>(thread);
  const ids = messages.map((each) => each.id).join();
  const found = states.find(({ values }) => (values.messages ?? []).map((each) => each.id).join() === ids);
  return found?.checkpoint.checkpoint_id ?? null;
}

export function useThread(server: string, first: string | null) {
  const [thread, setThread] = useState(first ?? undefined);
  const [client, threads, stream] = useMemo(() => {
    const client = new Client({ apiUrl: server });
    return [client, threadsOf(client), unstable_createLangGraphStream({ client, assistantId: "agent" })];
  }, [server]);
  return useLangGraphRuntime({
    stream,
    unstable_threadListAdapter: threads,
    unstable_allowCancellation: true,
    adapters: { attachments: new SimpleImageAttachmentAdapter() },
    eventHandlers: { onCustomEvent: () => {} },
    threadId: thread,
    onThreadIdChange: (id) => {
      if (!id) return;
      history.replaceState(null, "", `?server=${encodeURIComponent(server)}&thread=${id}`);
      setThread(id);
    },
    load: async (id) => {
      const { values, tasks } = await client.threads.getState<Values>(id);
      return {
        messages: (values.messages ?? []) as LangChainMessage[],
        interrupts: tasks[0]?.interrupts as { value?: unknown }[] | undefined,
      };
    },
    getCheckpointId: (id, messages) => checkpointAfter(client, id, messages),
  });
}
