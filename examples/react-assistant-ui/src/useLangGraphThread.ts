/** A thread of a LangGraph server as a runtime of assistant-ui: LangChain's `useStream` is its store. */

import {
  useExternalMessageConverter,
  useExternalStoreRuntime,
  type AppendMessage,
  type ThreadMessage,
} from "@assistant-ui/react";
import type { Message } from "@langchain/langgraph-sdk";
import { useStream } from "@langchain/langgraph-sdk/react";

import type { Question } from "./Question";

export type State = {
  messages: Message[];
  partial_results?: Record<string, unknown[]>;
};

type Found = { type: string; agent: string; items: unknown[] };

export type Options = { apiUrl: string; threadId: string | null; onThreadId: (id: string) => void };

export function useLangGraphThread({ apiUrl, threadId, onThreadId }: Options) {
  const stream = useStream<State, { InterruptType: Question; CustomEventType: Found }>({
    apiUrl,
    assistantId: "agent",
    threadId,
    onThreadId,
    // Keeps the run's id in the tab's storage, and joins that run again after a reload.
    reconnectOnMount: true,
    // Values come when an agent has ended; what it finds until then comes in these.
    onCustomEvent: ({ type, agent, items }, { mutate }) => {
      if (type !== "partial_result") return;
      mutate(({ partial_results: found = {} }) => ({
        partial_results: { ...found, [agent]: [...(found[agent] ?? []), ...items] },
      }));
    },
  });

  const send = async (message: AppendMessage) => {
    const sent: Message = { type: "human", id: crypto.randomUUID(), content: textOf(message.content) };
    await stream.submit(
      { messages: [sent] },
      {
        // Without it, the hook would queue the message in the page until the run that is active has ended.
        multitaskStrategy: "interrupt",
        optimisticValues: (values) => ({ ...values, messages: [...(values.messages ?? []), sent] }),
      },
    );
  };

  const messages = useExternalMessageConverter({
    callback: convertMessage,
    messages: stream.messages,
    isRunning: stream.isLoading,
    // A result still joins the call that it answers.
    joinStrategy: "none",
  });

  const runtime = useExternalStoreRuntime<ThreadMessage>({
    messages,
    isRunning: stream.isLoading,
    isLoading: stream.isThreadLoading,
    onNew: send,
    onCancel: async () => stream.stop(),
    // assistant-ui takes messages during a run only if there is a queue. This one holds nothing: it sends.
    queue: {
      items: [],
      steerItems: [],
      enqueue: (message) => void send(message),
      steer: (message) => void send(message),
      move: () => {},
      edit: () => {},
      remove: () => {},
    },
  });

  const answer = (value: unknown) => stream.submit(undefined, { command: { resume: value } });
  return { runtime, stream, answer };
}

function convertMessage(message: Message): useExternalMessageConverter.Message {
  const { id, type, content, additional_kwargs } = message;
  const text = textOf(content);
  const metadata = { custom: { interruption: additional_kwargs?.detour } };
  if (type === "human") return { id, role: "user", content: text, metadata };
  if (type === "tool") {
    return { role: "tool", toolCallId: message.tool_call_id, result: text, isError: message.status === "error" };
  }
  const calls = type === "ai" ? (message.tool_calls ?? []) : [];
  const asked = calls.map(({ id: toolCallId = "", name: toolName, args }) => {
    return { type: "tool-call" as const, toolCallId, toolName, args, argsText: JSON.stringify(args) };
  });
  return { id, role: "assistant", content: [...(text ? [{ type: "text" as const, text }] : []), ...asked], metadata };
}

function textOf(content: string | readonly { type: string; text?: unknown }[]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? String(part.text) : "")).join("");
}
