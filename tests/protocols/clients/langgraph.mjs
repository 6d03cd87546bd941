/**
 * LangGraph's `Client`, the hook `useStream` and the newer one of that name, for a test to drive. A hook lives in a page of its own:
 * several may be open at once, and a page that is opened again with the storage of another is a reload.
 */
import { JSDOM } from "jsdom";
import { serve } from "./harness.mjs";

const { window } = new JSDOM("<!doctype html><main></main>", { url: "http://pages.example/" });
Object.assign(globalThis, { window, document: window.document, IS_REACT_ACT_ENVIRONMENT: false });
const { createElement, useState } = await import("react");
const { createRoot } = await import("react-dom/client");
const { Client } = await import("@langchain/langgraph-sdk");
const { useStream } = await import("@langchain/langgraph-sdk/react");
const { useStream: useThreadStream } = await import("@langchain/react");

const pages = new Map();
const storages = new Map();
const aborts = new Map();

const client = ({ url, key, headers }) =>
  new Client({ apiUrl: url, apiKey: key ?? null, defaultHeaders: headers, callerOptions: { maxRetries: 0 } });

const storage = (name) => {
  if (!storages.has(name)) storages.set(name, new Map());
  const kept = storages.get(name);
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, value),
    removeItem: (key) => kept.delete(key),
  };
};

/** What a page shows of a hook. */
const shown = (hook) => ({
  loading: hook.isLoading,
  error: hook.error == null ? null : String(hook.error?.message ?? hook.error),
  interrupt: hook.interrupt ?? null,
  messages: hook.messages.map(({ id, type, content, additional_kwargs }) => ({ id, type, content, additional_kwargs })),
  values: hook.values,
});

function Page({ name, options, tell }) {
  const [threadId, setThreadId] = useState(options.threadId ?? null);
  const hook = useStream({
    ...options,
    threadId,
    reconnectOnMount: options.storage ? () => storage(options.storage) : undefined,
    onThreadId: (made) => {
      setThreadId(made);
      tell({ page: name, threadId: made });
    },
    onCreated: (run) => tell({ page: name, created: run }),
    onError: (error) => tell({ page: name, failed: String(error?.message ?? error) }),
    onFinish: options.finish ? (state, run) => tell({ page: name, finished: state ?? null, run }) : undefined,
    onCustomEvent: options.custom ? (event) => tell({ page: name, custom: event }) : undefined,
  });
  pages.get(name).hook = hook;
  const now = JSON.stringify(shown(hook));
  if (pages.get(name).last !== now) {
    pages.get(name).last = now;
    tell({ page: name, shown: JSON.parse(now) });
  }
  return null;
}

/** The newer hook, which speaks the thread protocol. */
function ThreadPage({ name, options, tell }) {
  const [threadId, setThreadId] = useState(options.threadId ?? null);
  const hook = useThreadStream({
    ...options,
    threadId,
    onThreadId: (made) => {
      setThreadId(made);
      tell({ page: name, threadId: made });
    },
  });
  pages.get(name).hook = hook;
  const now = JSON.stringify(shown(hook));
  if (pages.get(name).last !== now) {
    pages.get(name).last = now;
    tell({ page: name, shown: JSON.parse(now) });
  }
  return null;
}

const parts = async (stream, name, tell) => {
  const found = [];
  for await (const { id, event, data } of stream) {
    found.push({ id, event, data });
    if (name) tell({ stream: name, id, event, data });
  }
  return found;
};

serve({
  async call({ url, key, headers, of, method, args }) {
    return await client({ url, key, headers })[of][method](...args);
  },
  async stream({ url, key, label: name, args: [threadId, assistantId, payload] }, tell) {
    const abort = new AbortController();
    aborts.set(name, abort);
    const onRunCreated = (run) => tell({ stream: name, created: run });
    const stream = client({ url, key }).runs.stream(threadId, assistantId, { ...payload, onRunCreated, signal: abort.signal });
    return await parts(stream, name, tell).catch((error) => {
      if (abort.signal.aborted) return null;
      throw error;
    });
  },
  async join({ url, key, label: name, args: [threadId, runId, options] }, tell) {
    return await parts(client({ url, key }).runs.joinStream(threadId, runId, options), name, tell);
  },
  async leave({ label: name }) {
    aborts.get(name).abort();
  },
  async open({ page: name, options }, tell) {
    const place = document.body.appendChild(document.createElement("div"));
    const root = createRoot(place);
    pages.set(name, { root, place });
    root.render(createElement(options.newer ? ThreadPage : Page, { name, options, tell }));
  },
  async submit({ page: name, values, options }) {
    void pages.get(name).hook.submit(values, options);
  },
  async respond({ page: name, response, options }) {
    await pages.get(name).hook.respond(response, options);
  },
  async stop({ page: name }) {
    await pages.get(name).hook.stop();
  },
  async look({ page: name }) {
    return shown(pages.get(name).hook);
  },
  async history({ page: name }) {
    return pages.get(name).hook.history.map(({ checkpoint, parent_checkpoint, values }) => ({ checkpoint, parent_checkpoint, values }));
  },
  async metadata({ page: name, index }) {
    const { hook } = pages.get(name);
    const { firstSeenState, branch, branchOptions } = hook.getMessagesMetadata(hook.messages[index], index) ?? {};
    return { parent: firstSeenState?.parent_checkpoint ?? null, branch: branch ?? null, branchOptions: branchOptions ?? null };
  },
  async close({ page: name }) {
    const { root, place } = pages.get(name);
    root.unmount();
    place.remove();
  },
});
