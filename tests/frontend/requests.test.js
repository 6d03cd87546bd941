import assert from "node:assert/strict";
import { test } from "node:test";

import { requestForm } from "../../frontend/requests.js";

/** As much of an element as a form needs; a control's value is text, as in a browser. */
class Node extends EventTarget {
  #value = "";
  children = [];
  required = false;

  constructor(tag) {
    super();
    this.tag = tag;
  }

  get value() {
    return this.#value;
  }

  set value(value) {
    this.#value = String(value);
  }

  get elements() {
    return Object.fromEntries(this.#all().map((node) => [node.name, node]));
  }

  append(...children) {
    this.children.push(...children);
  }

  #all() {
    return this.children.flatMap((child) => (child instanceof Node ? [child, ...child.#all()] : []));
  }
}

globalThis.document = { createElement: (tag) => new Node(tag) };

function form(properties, { defaults = {}, required = [] } = {}) {
  const answers = [];
  const request = { request_id: "r", kind: "question", prompt: "?", schema: { properties, required }, defaults };
  const node = requestForm(request, (body) => answers.push(body));
  const submit = () => {
    node.dispatchEvent(new Event("submit", { cancelable: true }));
    return answers.at(-1).answer;
  };
  return { controls: node.elements, submit };
}

test("a box that is not ticked is an answer, and so is one that is", () => {
  const { controls, submit } = form({ direct: { type: "boolean" } });
  assert.deepEqual(submit(), { direct: false });
  controls.direct.checked = true;
  assert.deepEqual(submit(), { direct: true });
});

test("a box is ticked by its default, and may be left empty though it has to be answered", () => {
  const { controls, submit } = form({ direct: { type: "boolean" } }, { defaults: { direct: true }, required: ["direct"] });
  assert.deepEqual(submit(), { direct: true });
  assert.equal(controls.direct.required, false);
  controls.direct.checked = false;
  assert.deepEqual(submit(), { direct: false });
});

test("a field that is left empty is not sent, and numbers are sent as numbers", () => {
  const properties = { city: { type: "string" }, nights: { type: "integer" }, note: { type: "string" } };
  const { controls, submit } = form(properties, { defaults: { city: "Rome" }, required: ["city"] });
  controls.nights.value = "3";
  assert.deepEqual(submit(), { city: "Rome", nights: 3 });
  assert.equal(controls.city.required, true);
});

function permission(more = {}, taken = true) {
  const answers = [];
  const answer = async (body) => {
    answers.push(body);
    return taken;
  };
  const request = { request_id: "r", kind: "permission", prompt: "Shall I book it?", facts: {}, ...more };
  const card = requestForm(request, answer);
  const buttons = Object.fromEntries(all(card, "button").map((node) => [node.children[0], node]));
  return { card, buttons, answers };
}

function all(node, tag) {
  const children = node.children.filter((child) => child instanceof Node);
  return [...(node.tag === tag ? [node] : []), ...children.flatMap((child) => all(child, tag))];
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a permission is asked for with each of its facts, in their order", () => {
  const { card } = permission({ facts: { What: "A flight", Total: "141.42 EUR", Refund: ["none", 1] } });
  const texts = (tag) => all(card, tag).map((node) => node.children[0]);
  assert.deepEqual(texts("dt"), ["What", "Total", "Refund"]);
  assert.deepEqual(texts("dd"), ["A flight", "141.42 EUR", '["none",1]']);
});

test("facts that try to be markup stay text", () => {
  const hostile = '<img src=x onerror="alert(1)">';
  const { card } = permission({ prompt: hostile, facts: { [hostile]: `</dd><script>${hostile}` } });
  const tags = ["div", "p", "dl", "dt", "dd", "button", "span"];
  const known = tags.flatMap((tag) => all(card, tag)).length;
  const every = (node) => [node, ...node.children.filter((child) => child instanceof Node).flatMap(every)];
  assert.equal(every(card).length, known);
  assert.equal(all(card, "dt")[0].children[0], hostile);
  for (const node of every(card)) assert.equal("innerHTML" in node, false);
});

test("each button sends its decision, once", async () => {
  const { buttons, answers } = permission();
  const sent = buttons.Allow.onclick();
  assert.deepEqual([buttons.Allow.disabled, buttons.Deny.disabled], [true, true]);
  await sent;
  assert.deepEqual([buttons.Allow.disabled, buttons.Deny.disabled], [true, true]);
  assert.deepEqual(answers, [{ request_id: "r", decision: "allow" }]);
  const other = permission();
  await other.buttons.Deny.onclick();
  assert.deepEqual(other.answers, [{ request_id: "r", decision: "deny" }]);
});

test("a decision that is not taken may be made again", async () => {
  const { buttons } = permission({}, false);
  buttons.Deny.onclick();
  await settled();
  assert.deepEqual([buttons.Allow.disabled, buttons.Deny.disabled], [false, false]);
});

test("a permission tells until when it is open, if it says so", () => {
  const until = (more) => all(permission(more).card, "span")[0].children[0] ?? "";
  assert.match(until({ expires_at: "2026-11-20T18:45:00Z" }), /^open until .*:45/);
  assert.equal(until({ expires_at: "no time" }), "");
  assert.equal(until({}), "");
});
