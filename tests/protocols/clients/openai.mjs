/** The `openai` package, unchanged: completions and responses, streamed, stopped and cancelled. */
import OpenAI from "openai";
import { serve } from "./harness.mjs";

const streams = new Map();

const client = ({ server, token }) => new OpenAI({ baseURL: `${server}/v1`, apiKey: token ?? "none", maxRetries: 0 });

const called = (error) => {
  if (!(error instanceof OpenAI.APIError)) throw error;
  return { name: error.constructor.name, status: error.status, code: error.code, param: error.param };
};

/** Reads a stream and tells each of its events; an abort ends it without an error. */
const read = async (name, stream, tell) => {
  streams.set(name, stream);
  for await (const event of stream) tell({ kind: name, event });
  tell({ kind: name, over: true });
};

serve({
  models: async (args) => (await client(args).models.list()).data,
  complete: async ({ body, ...args }) => client(args).chat.completions.create(body),
  respond: async ({ body, ...args }) => client(args).responses.create(body),
  retrieve: async ({ id, ...args }) => client(args).responses.retrieve(id),
  inputItems: async ({ id, ...args }) => {
    const items = [];
    for await (const each of client(args).responses.inputItems.list(id, { limit: 1 })) items.push(each);
    return items;
  },
  delete: async ({ id, ...args }) => client(args).responses.delete(id),
  failure: async ({ id, ...args }) => client(args).responses.retrieve(id).then(() => null, called),
  cancel: async ({ id, ...args }) => client(args).responses.cancel(id),
  refusal: async ({ call, body, ...args }) => {
    const api = client(args);
    const calls = { complete: api.chat.completions, respond: api.responses };
    return calls[call].create(body).then(() => null, called);
  },
  /** Begins a stream, whose events are news of the kind `name`. */
  stream: async ({ stream: name, call, body, ...args }, tell) => {
    const api = client(args);
    const made = call === "complete" ? api.chat.completions.create({ ...body, stream: true })
      : api.responses.create({ ...body, stream: true });
    void read(name, await made, tell);
  },
  /** The helper that adds a completion up. */
  added: async ({ body, ...args }) => client(args).chat.completions.stream(body).finalChatCompletion(),
  abort: async ({ stream: name }) => streams.get(name).controller.abort(),
});
