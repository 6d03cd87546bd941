/** A conversation with assistant-ui's components: messages, what was found, a question, and a composer. */

import {
  AssistantRuntimeProvider,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  useAuiState,
} from "@assistant-ui/react";

import { Question } from "./Question";
import { ToolCall } from "./ToolCall";
import { useLangGraphThread, type Options } from "./useLangGraphThread";

export function Chat(options: Options) {
  const { runtime, stream, answer } = useLangGraphThread(options);
  const found = Object.entries(stream.values.partial_results ?? {});
  const { interrupt, error } = stream;
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.Root className="thread">
        <ThreadPrimitive.Viewport className="viewport" role="log" aria-label="Messages">
          <ThreadPrimitive.Empty>
            <p className="welcome">Say something. Say something else before the answer is there.</p>
          </ThreadPrimitive.Empty>
          <ThreadPrimitive.Messages components={{ Message: OneMessage }} />
          {found.length > 0 && (
            <ul className="found" aria-label="Found">
              {found.map(([agent, items]) => (
                <li key={agent}>
                  {agent}: {items.length} found
                </li>
              ))}
            </ul>
          )}
          {interrupt?.value && <Question key={interrupt.id} question={interrupt.value} answer={answer} />}
          {error != null && <p role="alert">{error instanceof Error ? error.message : String(error)}</p>}
        </ThreadPrimitive.Viewport>
        <ComposerPrimitive.Root className="composer">
          <ComposerPrimitive.Input aria-label="Message" placeholder="Message" rows={1} autoFocus />
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
          <ComposerPrimitive.Cancel>Stop</ComposerPrimitive.Cancel>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}

function OneMessage() {
  const role = useAuiState(({ message }) => message.role);
  const interruption = useAuiState(({ message }) => message.metadata.custom.interruption);
  return (
    <MessagePrimitive.Root className={interruption ? "marker" : role}>
      <MessagePrimitive.Parts components={{ tools: { Fallback: ToolCall } }} />
    </MessagePrimitive.Root>
  );
}
