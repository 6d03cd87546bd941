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

/** Each page, with the module that names its components. */
const PAGES = { "index.html": "components.js", "graph.html": "graph-components.js", "operate.html": "operate-components.js" };
const imported = {};
for (const [page, module] of Object.entries(PAGES)) {
  const code = readFileSync(new URL(`components/${module}`, FRONTEND), "utf8");
  imported[page] = [...code.matchAll(/^import "\.\/([a-z-]+)\/\1\.js";$/gm)].map((match) => match[1]);
}

test("components are all in a page, load, and define the element of their folder", async () => {
  for (const module of Object.values(PAGES)) await import(new URL(`components/${module}`, FRONTEND));
  for (const name of names) assert.ok(defined.has(name), `${name} is not defined`);
  assert.deepEqual(new Set(Object.values(imported).flat()), new Set(names));
});

for (const page of Object.keys(PAGES)) {
  test(`${page} has the style of every component of it, and each part of it is one`, () => {
    const text = readFileSync(new URL(page, FRONTEND), "utf8");
    for (const name of imported[page]) {
      const styled = readdirSync(new URL(`components/${name}/`, FRONTEND)).includes(`${name}.css`);
      const linked = text.includes(`/static/components/${name}/${name}.css"`);
      assert.equal(linked, styled, `${name}.css`);
    }
    const parts = [...text.matchAll(/<([a-z]+-[a-z]+) data-part/g)].map((match) => match[1]);
    assert.ok(parts.length > 2);
    for (const part of parts) assert.ok(imported[page].includes(part), part);
  });
}
