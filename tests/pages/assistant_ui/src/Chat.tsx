/** A conversation with assistant-ui's primitives: text, images, tool calls, an approval or a question, editing. */

import {
  ActionBarPrimitive,
  AssistantRuntimeProvider,
  AttachmentPrimitive,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  type ToolCallMessagePartProps,
} from "@assistant-ui/react";
import { useLangGraphInterruptState, useLangGraphSendCommand } from "@assistant-ui/react-langgraph";

import { useThread } from "./useThread";

export function Chat({ server, thread }: { server: string; thread: string | null }) {
  return (
    <AssistantRuntimeProvider runtime={useThread(server, thread)}>
      <ThreadPrimitive.Root>
        <div role="log" aria-label="Messages">
          <ThreadPrimitive.Messages components={{ UserMessage, AssistantMessage, UserEditComposer }} />
        </div>
        <Interrupt />
        <ComposerPrimitive.Root className="composer">
          <ComposerPrimitive.Attachments components={{ Attachment: () => <AttachmentPrimitive.Name /> }} />
          <ComposerPrimitive.AddAttachment>Attach</ComposerPrimitive.AddAttachment>
          <ComposerPrimitive.Input aria-label="Message" rows={1} autoFocus />
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
          <ComposerPrimitive.Cancel>Stop</ComposerPrimitive.Cancel>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}

function UserMessage() {
  return (
    <MessagePrimitive.Root className="user" role="article" aria-label="You">
      <div className="text">
        <MessagePrimitive.Parts components={{ Image: ({ image }) => <img src={image} alt="" /> }} />
      </div>
      <ActionBarPrimitive.Root className="bar">
        <ActionBarPrimitive.Edit>Edit</ActionBarPrimitive.Edit>
      </ActionBarPrimitive.Root>
    </MessagePrimitive.Root>
  );
}

function AssistantMessage() {
  return (
    <MessagePrimitive.Root className="assistant" role="article" aria-label="Assistant">
      <MessagePrimitive.Parts components={{ tools: { Fallback: ToolCall } }} />
      <ActionBarPrimitive.Root className="bar">
        <ActionBarPrimitive.Reload>Again</ActionBarPrimitive.Reload>
      </ActionBarPrimitive.Root>
    </MessagePrimitive.Root>
  );
}

function ToolCall({ toolName, argsText, result, status }: ToolCallMessagePartProps) {
  return (
    <div className="tool" role="group" aria-label={`Call of ${toolName}`}>
      <b>{toolName}</b> <code>{argsText}</code> <i>{status.type}</i>
      {result !== undefined && <pre>{String(result)}</pre>}
    </div>
  );
}

function UserEditComposer() {
  return (
    <ComposerPrimitive.Root className="composer">
      <ComposerPrimitive.Input aria-label="Edited message" />
      <ComposerPrimitive.Send>Save</ComposerPrimitive.Send>
      <ComposerPrimitive.Cancel>Discard</ComposerPrimitive.Cancel>
    </ComposerPrimitive.Root>
  );
}

type Asked = { action_requests?: { name: string; description?: string }[]; prompt?: string };

function Interrupt() {
  const asked = useLangGraphInterruptState()?.value as Asked | string | undefined;
  const sendCommand = useLangGraphSendCommand();
  if (asked === undefined) return null;
  const resume = (value: unknown) => void sendCommand({ resume: value as string });
  if (typeof asked === "string" || !asked.action_requests) {
    const prompt = typeof asked === "string" ? asked : asked.prompt;
    return (
      <form aria-label={prompt} action={(given) => resume(given.get("answer"))}>
        <fieldset>
          <p>{prompt}</p>
          <input name="answer" aria-label="Answer" /> <button>Answer</button>
        </fieldset>
      </form>
    );
  }
  const decide = (decision: object) => resume({ decisions: asked.action_requests?.map(() => decision) });
  return (
    <fieldset aria-label="Approval">
      {asked.action_requests.map((each) => (
        <pre key={each.name}>{each.description ?? each.name}</pre>
      ))}
      <button onClick={() => decide({ type: "approve" })}>Approve</button>
      <button onClick={() => decide({ type: "reject", message: "not now" })}>Refuse</button>
    </fieldset>
  );
}
