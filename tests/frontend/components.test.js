import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const FRONTEND = new URL("../../frontend/", import.meta.url);
const folders = readdirSync(new URL("components/", FRONTEND), { withFileTypes: true }).filter((entry) => entry.isDirectory());
const names = folders.map((folder) => folder.name);
const defined = new Set();

globalThis.HTMLElement = class {};
globalThis.document = { documentElement: { dataset: {}, style: {} }, addEventListener() {} };
globalThis.localStorage = { getItem: () => null };
globalThis.customElements = { define: (name) => defined.add(name), get: () => undefined };

test("every component can be loaded, and defines the element that its folder is named after", async () => {
  await import(new URL("components/components.js", FRONTEND));
  for (const name of names) assert.ok(defined.has(name), `${name} is not defined`);
});

test("the page has the style of every component that has one, and each part of it is a component", () => {
  const page = readFileSync(new URL("index.html", FRONTEND), "utf8");
  for (const name of names) {
    const styled = readdirSync(new URL(`components/${name}/`, FRONTEND)).includes(`${name}.css`);
    const linked = page.includes(`/static/components/${name}/${name}.css"`);
    assert.equal(linked, styled, `${name}.css`);
  }
  const parts = [...page.matchAll(/<([a-z]+-[a-z]+) data-part/g)].map((match) => match[1]);
  assert.ok(parts.length > 5);
  for (const part of parts) assert.ok(names.includes(part), part);
});
