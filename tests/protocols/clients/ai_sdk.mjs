/** Pages that use `useChat` of `@ai-sdk/react`, unchanged, in jsdom; each page is one mounted hook. */
import { JSDOM } from "jsdom";

const { window } = new JSDOM("<!doctype html><body></body>", { url: "http://page.test/" });
for (const name of ["document", "HTMLElement", "Node"]) globalThis[name] = window[name];
globalThis.window = window;
globalThis.navigator ??= window.navigator;

const React = (await import("react")).default;
const { createRoot } = await import("react-dom/client");
const { useChat } = await import("@ai-sdk/react");
const { DefaultChatTransport, lastAssistantMessageIsCompleteWithToolCalls, validateUIMessages } = await import("ai");
const { serve, until } = await import("./harness.mjs");

const pages = new Map();

const page = (name) => {
  const found = pages.get(name);
  if (!found) throw new Error(`there is no page ${name}`);
  return found;
};

/** What somebody who looks at the page sees. */
const look = ({ hook, finishes, errors, data, called }) => ({
  status: hook.status,
  error: hook.error?.message ?? null,
  messages: hook.messages,
  texts: hook.messages.map(({ role, parts }) =>
    `${role}: ${parts.filter((part) => part.type === "text").map((part) => part.text).join("|")}`),
  queued: hook.experimental_queuedMessages.length,
  finishes, errors, data, called,
});

const signed = (token) => (token ? { Authorization: `Bearer ${token}` } : {});

const transport = ({ server, token, prepared, tools }) =>
  new DefaultChatTransport({
    api: `${server}/ai-sdk/chat`,
    headers: signed(token),
    ...(tools && { body: { tools } }),
    // The guide on resumable streams sends the last message alone.
    ...(prepared && { prepareSendMessagesRequest: ({ id, messages }) => ({ body: { id, message: messages.at(-1) } }) }),
  });

function Chat({ self, options }) {
  self.hook = useChat(options);
  return React.createElement("main", null, self.hook.status);
}

const send = ({ hook }, { text, id, messageId, body }) =>
  hook.sendMessage(id ? { id, parts: [{ type: "text", text }] } : { text, messageId }, body && { body });

const read = async (stream) => {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
};

serve({
  open: async ({ page: name, chat, server, token, prepared, tools, ...options }) => {
    const self = { hook: null, finishes: [], errors: [], data: [], called: [], server, token, chat };
    const root = createRoot(document.body.appendChild(document.createElement("div")));
    self.close = () => root.unmount();
    pages.set(name, self);
    root.render(React.createElement(Chat, {
      self,
      options: {
        id: chat,
        transport: transport({ server, token, prepared, tools }),
        onToolCall: ({ toolCall }) => void self.called.push(toolCall),
        onFinish: ({ message, messages, ...rest }) => self.finishes.push({ id: message.id, ...rest }),
        onError: (error) => self.errors.push(error.message),
        onData: (part) => self.data.push(part.type),
        sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
        ...options,
      },
    }));
    await until(() => self.hook, { what: "the hook is mounted" });
  },
  /** Closes the page; the hook closes its line. */
  close: async ({ page: name }) => {
    page(name).close();
    pages.delete(name);
  },
  look: async ({ page: name }) => look(page(name)),
  /** Begins to send, and waits for nothing. */
  send: async ({ page: name, ...message }) => void send(page(name), message),
  /** Sends, and waits until the hook says that it has an answer. */
  ask: async ({ page: name, ...message }) => {
    const self = page(name);
    await send(self, message);
    const over = ({ status, messages }) => status === "error" ||
      (status === "ready" && messages.at(-1)?.role === "assistant");
    await until(() => over(self.hook), { what: "an answer" });
    return look(self);
  },
  /** Tells what a tool of the page came to. */
  tell: async ({ page: name, ...output }) => page(name).hook.addToolOutput(output),
  regenerate: async ({ page: name }) => void page(name).hook.regenerate(),
  /** Regenerates, and returns once there is an answer. */
  again: async ({ page: name }) => page(name).hook.regenerate(),
  rejoin: async ({ page: name }) => void page(name).hook.resumeStream(),
  /** Resumes, and returns once the stream has ended. */
  resume: async ({ page: name }) => page(name).hook.resumeStream(),
  setMessages: async ({ page: name, messages }) => page(name).hook.setMessages(messages),
  /** The hook's own stop: it leaves. */
  leave: async ({ page: name }) => page(name).hook.stop(),
  /** The stop button of the guide on resumable streams. */
  stop: async ({ page: name }) => {
    const { hook, server, token, chat } = page(name);
    const last = hook.messages.at(-1);
    const stopped = fetch(`${server}/ai-sdk/chat/${encodeURIComponent(chat)}/stop`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...signed(token) },
      body: JSON.stringify(last?.role === "assistant" ? { assistantMessage: last } : {}),
    });
    const { status } = await stopped;
    return status;
  },
  /** Waits until the page is in that state, with so many messages, and the last one has that text or part. */
  until: async ({ page: name, status, text, part, count }) => {
    const self = page(name);
    const shows = () => {
      const last = self.hook.messages.at(-1);
      const said = look(self).texts.at(-1) ?? "";
      return (!status || status === self.hook.status) && (!text || said.includes(text)) &&
        (!count || self.hook.messages.length === count) && (!part || last?.parts.some(({ type }) => type === part));
    };
    await until(shows, { what: JSON.stringify({ status, text, part, count }) }).catch((error) => {
      throw new Error(`${error.message}; it shows ${JSON.stringify(look(self)).slice(-3000)}`);
    });
    return look(self);
  },
  /** What the transport alone makes of a stream: its chunks, each held to the schema. */
  read: async ({ server, token, chat, messages }) =>
    read(await transport({ server, token }).sendMessages({
      chatId: chat, messages, trigger: "submit-message", messageId: undefined, abortSignal: undefined,
    })),
  reread: async ({ server, token, chat }) => {
    const stream = await transport({ server, token }).reconnectToStream({ chatId: chat });
    return stream && read(stream);
  },
  /** Messages of the server, as a loader of a page would check them. */
  load: async ({ server, chat, token }) => {
    const response = await fetch(`${server}/ai-sdk/chat/${encodeURIComponent(chat)}/messages`, { headers: signed(token) });
    const messages = await response.json();
    return messages.length ? validateUIMessages({ messages }) : messages;
  },
});
