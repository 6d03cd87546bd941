import { beforeEach } from "node:test";

export let sockets;
export let calls;
export let stored;
export let entries;
let pages = 0;

class Socket extends EventTarget {
  closed = false;

  constructor(url) {
    super();
    this.url = new URL(url);
    this.user = decodeURIComponent(this.url.pathname.slice("/ws/".length));
    sockets.push(this);
  }

  says(...frames) {
    for (const frame of frames) this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(frame) }));
  }

  send() {}

  close() {
    this.closed = true;
  }
}

/** A call that the test answers when it likes. */
function fakeFetch(path, { method = "GET", body } = {}) {
  return new Promise((resolve, reject) => {
    const answers = (status, answer) => {
      resolve(new Response(answer === undefined ? null : JSON.stringify(answer), { status }));
      return settled();
    };
    const fails = () => (reject(new TypeError("fetch failed")), settled());
    calls.push({ path, method, body: body && JSON.parse(body), answers, fails });
  });
}

export function goTo(address) {
  globalThis.location = new URL(address, "http://127.0.0.1:8000");
}

const history = {
  pushState: (_state, _title, address) => (entries.push(address), goTo(address)),
  replaceState: (_state, _title, address) => goTo(address),
};
export const settled = () => new Promise((resolve) => setImmediate(resolve));

beforeEach((t) => {
  [sockets, calls, entries, stored] = [[], [], [], {}];
  const localStorage = { getItem: (key) => stored[key] ?? null, setItem: (key, value) => (stored[key] = value) };
  Object.assign(globalThis, { WebSocket: Socket, fetch: fakeFetch, history, localStorage, window: new EventTarget() });
  goTo("/?trip=ann");
});

/** Open the page without its components: one part that is given the state stands for them all. What is drawn is in `part.data` after `drawn()`. */
export async function opened(t) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const part = {};
  const document = Object.assign(new EventTarget(), { title: "", querySelectorAll: () => [part], hidden: false });
  globalThis.document = document;
  pages += 1;
  await import(`../../frontend/app.js?page=${pages}`);
  const act = async (name, detail) => {
    document.dispatchEvent(new CustomEvent(name, { detail }));
    await settled();
  };
  const drawn = () => {
    t.mock.timers.tick(16);
    return part.data;
  };
  return { act, drawn, document };
}

export const hello = (more) => ({ type: "hello", epoch: "e", seq: 0, heartbeat_s: 20, ...more });
export const nothing = { type: "snapshot", seq: 0, epoch: "e", status: null, partial_results: null, history: [] };
export const running = { seq: 1, type: "status_update", task_id: "t1", status: "running", at: "", message: "hi" };
export const asked = { seq: 2, type: "input_request", task_id: "t1", request_id: "r1", kind: "question" };
