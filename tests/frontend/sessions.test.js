import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { browserName, leaveSession, listOwnTrips, signIn } from "../../frontend/lib/sign-in.js";
import { draftOf, forgetSession, keepDraft } from "../../frontend/lib/storage.js";
import { FACE } from "../../frontend/lib/face.js";
import { beginSignIn, isOwnSignIn, personIn } from "../../frontend/lib/link-token.js";
import { initialState } from "../../frontend/lib/reduce.js";
import { keepOverReload, stateAfterReload } from "../../frontend/lib/reload.js";
import { allTrips, currentTrip, nameTrip } from "../../frontend/lib/trips.js";
import { settled } from "./opened-page.js";

class FakeStorage {
  getItem(key) {
    return Object.hasOwn(this, key) ? this[key] : null;
  }

  setItem(key, value) {
    this[key] = String(value);
  }

  removeItem(key) {
    delete this[key];
  }
}

let asked;
let answers;
let gone;

beforeEach(() => {
  [asked, answers, gone] = [[], [], []];
  FACE.knowsPersons = false;
  forgetSession();
  globalThis.sessionStorage = new FakeStorage();
  globalThis.localStorage = new FakeStorage();
  globalThis.history = { replaceState: (_state, _title, address) => goTo(address) };
  globalThis.fetch = async (path, { method = "GET" } = {}) => {
    asked.push(`${method} ${path}`);
    const answer = answers.shift() ?? new Response(null, { status: 204 });
    if (answer instanceof Error) throw answer;
    return answer;
  };
  goTo("/?trip=ann");
});

function goTo(address) {
  const { href } = new URL(address, "http://127.0.0.1:8000");
  globalThis.location = Object.assign(new URL(href), { assign: (to) => gone.push(to) });
}

const stored = () => [{ ...localStorage }, { ...sessionStorage }];
const token = (claims) => `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`;

function use() {
  nameTrip(currentTrip(), "Rome in May");
  keepDraft("message", "and a hotel");
  keepOverReload({ ...initialState("ann"), synced: true, notice: "", history: [{ text: "Rome" }] });
}

test("browser stores nothing of a told-apart person, and the page forgets it with the session", () => {
  FACE.knowsPersons = true;
  use();
  assert.deepEqual(stored(), [{}, {}]);
  assert.deepEqual([draftOf("message"), allTrips().length], ["and a hotel", 1]);
  forgetSession();
  assert.deepEqual([draftOf("message"), allTrips()], ["", []]);
  assert.deepEqual(stateAfterReload("ann"), initialState("ann"));
});

test("leftovers of an earlier server go with the session", () => {
  use();
  localStorage.setItem("detour.scheme", "dark");
  localStorage.setItem("another", "page's");
  FACE.knowsPersons = true;
  forgetSession();
  assert.deepEqual(stored(), [{ "detour.scheme": "dark", another: "page's" }, {}]);
});

test("holders of the shared token keep their trip list, but no message", () => {
  use();
  forgetSession();
  assert.deepEqual(Object.keys(sessionStorage), []);
  assert.deepEqual(allTrips().map(({ name }) => name), ["Rome in May"]);
});

test("session is forgotten even without storage", () => {
  delete globalThis.sessionStorage;
  delete globalThis.localStorage;
  forgetSession();
});

test("sign-out is told to the server until it knows, and by the page that comes next", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  use();
  answers = [new TypeError("fetch failed"), new Response(null, { status: 503 })];
  const told = [];
  const leaving = leaveSession((text) => told.push(text));
  await settled();
  assert.deepEqual([asked.length, draftOf("message"), gone], [1, "", []]);
  assert.match(told[0], /^You are signed out here. The server will be told as soon as it answers/);
  // The page is closed, and another one opened.
  answers = [new TypeError("fetch failed")];
  const arriving = signIn((text) => told.push(text));
  await settled();
  t.mock.timers.tick(2000);
  await Promise.all([leaving, arriving]);
  assert.deepEqual(gone, ["/"]);
  assert.ok(asked.every((call) => call === "DELETE /session"));
  assert.equal(told.length, 2);
  asked = [];
  await signIn(assert.fail);
  assert.deepEqual(asked, []);
});

test("link of a stranger's does not sign in unasked, and one that the page asked for does", async (t) => {
  const dialogs = [];
  class Node extends EventTarget {
    append(...children) {
      this.children = children;
    }
    setAttribute() {}
    remove() {}
    showModal() {
      dialogs.push(this);
      this.returnValue = "no";
      queueMicrotask(() => this.dispatchEvent(new Event("close")));
    }
  }
  globalThis.document = { createElement: () => new Node(), body: new Node() };
  t.after(() => delete globalThis.document);
  goTo(`/#token=${token({ sub: "eve" })}`);
  assert.equal(await signIn(assert.fail), false);
  assert.deepEqual([asked, dialogs.length, location.hash], [[], 1, ""]);
  assert.equal(dialogs[0].children[0].children[0], "Sign in as eve?");
  const state = new URL(beginSignIn("https://id.example/in")).searchParams.get("state");
  goTo(`/#token=${token({ sub: "ann" })}&state=${state}`);
  assert.equal(await signIn(assert.fail), true);
  goTo(`/#token=${token({ sub: "eve" })}&state=${state}`);
  assert.equal(await signIn(assert.fail), false);
  goTo("/#token=the-one-token-of-a-server");
  assert.equal(await signIn(assert.fail), true);
  assert.deepEqual([asked, dialogs.length], [["POST /session", "POST /session"], 2]);
});

test("word of a sign-in that was begun here has 128 random bits, and counts once", () => {
  const address = beginSignIn("https://id.example/in?client=trips");
  const word = new URL(address).searchParams.get("state");
  assert.match(word, /^[0-9a-f]{32}$/);
  assert.match(address, /^https:\/\/id\.example\/in\?client=trips&state=/);
  assert.deepEqual([isOwnSignIn(word), isOwnSignIn(word), isOwnSignIn(null)], [true, false, false]);
  beginSignIn("https://id.example/in");
  assert.deepEqual([isOwnSignIn(word), isOwnSignIn("")], [false, false]);
  delete globalThis.sessionStorage;
  assert.deepEqual([beginSignIn("https://id.example/in"), isOwnSignIn(word)], ["https://id.example/in", false]);
});

test("token names its person, also one that is called otherwise", () => {
  assert.equal(personIn(token({ sub: "ann" })), "ann");
  assert.equal(personIn(token({ sub: "auth0|7", email: "zoë@example.org" })), "zoë@example.org (auth0|7)");
  assert.equal(personIn(token({ sub: "7", preferred_username: "ann" })), "ann (7)");
  for (const odd of [token({}), "..", "a.!.c", "a.bnVsbA.c"]) assert.equal(personIn(odd), "somebody unknown");
  for (const opaque of ["s3cret", "a.b"]) assert.equal(personIn(opaque), null);
});

test("visitor without a trip continues the newest one with messages", async () => {
  FACE.knowsPersons = true;
  goTo("/");
  currentTrip();
  const conversations = [{ user_id: "new", title: "" }, { user_id: "rome", title: "Rome" }, { user_id: "oslo", title: "Oslo" }];
  answers = [Response.json({ conversations })];
  assert.equal(await listOwnTrips(true), "rome");
  assert.equal(location.search, "?trip=rome");
  assert.deepEqual(allTrips().map(({ userId }) => userId), ["rome", "oslo"]);
});

test("browsers are called by their names", () => {
  const named = {
    "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0": "Firefox on Linux",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Safari/537.36 Edg/142.0": "Edge on Windows",
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Mobile Safari/537.36": "Chrome on Android",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/604.1": "Safari on iPhone",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15": "Safari on Mac",
    "curl/8.5.0": "curl",
    "": "An unknown program",
  };
  for (const [agent, name] of Object.entries(named)) assert.equal(browserName(agent), name);
});

test("page knows from its head whether the server tells people apart", async (t) => {
  t.after(() => delete globalThis.document);
  const told = { "": false, token: false, proxy: true, elsewhere: true, "https://id.example/in": true };
  for (const [content, knowsPersons] of Object.entries(told)) {
    const querySelector = (name) => (name.includes("sign-in") ? { getAttribute: () => content } : null);
    globalThis.document = { documentElement: { dataset: {} }, querySelector };
    const { FACE: face } = await import(`../../frontend/lib/face.js?${content}`);
    assert.equal(face.knowsPersons, knowsPersons, content);
  }
});
