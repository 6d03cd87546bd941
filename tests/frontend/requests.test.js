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
