import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { initialState, reduce } from "../../frontend/lib/reduce.js";
import { titleWords } from "../../frontend/lib/progress.js";
import { linkWords, refusal } from "../../frontend/lib/words.js";

test("connection states and question outcomes each have their own words", () => {
  const links = ["connecting", "live", "reconnecting", "offline", "signed_out", "refused"].map(linkWords);
  const ends = ["answered", "allowed", "denied", "withdrawn", "expired"].map(refusal);
  for (const told of [links, ends]) {
    assert.equal(new Set(told).size, told.length);
    for (const line of told) assert.match(line, /^[A-Z][^_]+$/);
  }
});

/** The code of the page of the travel assistant: a module, and all that it imports. */
function codeOf(url, seen = new Map()) {
  if (seen.has(url.pathname)) return seen;
  const code = readFileSync(url, "utf8");
  seen.set(url.pathname, code);
  for (const [, path] of code.matchAll(/^(?:import|\} from) ?(?:.*from )?"(\..+)";$/gm)) codeOf(new URL(path, url), seen);
  return seen;
}

test("page says nothing to travellers in the words of the server", () => {
  const modules = codeOf(new URL("../../frontend/travel.js", import.meta.url));
  assert.ok(modules.size > 80, `${modules.size} modules`);
  const said = [...modules.values()].flatMap((code) => code.replaceAll(/\/\*\*[^]*?\*\/|\/\/ .*$/gm, "").match(/"[^"\n]*"|`[^`]*`/g) ?? []);
  assert.ok(said.some((words) => words.includes("search goes on")));
  const sentences = said.map((words) => words.replaceAll(/\$\{[^}]*\}/g, "")).filter((words) => /\w \w/.test(words));
  const ofServer = sentences.filter((words) => /\b(sources?|receipts?|taken over|adopted|confirmed|allowed)\b/i.test(words));
  assert.deepEqual(ofServer, []);
});

test("unknown states are shown as they are, and other refusals are not shown here", () => {
  for (const odd of ["constructor", "__proto__", "new_one"]) assert.equal(linkWords(odd), odd);
  assert.deepEqual([refusal("bad_input"), refusal(undefined), refusal("toString")], [undefined, undefined, undefined]);
});

test("title of a window tells what there is to do, then what is being done, then which trip it is", () => {
  const trips = { type: "page_trips", trips: [{ userId: "ann", name: "Rome" }, { userId: "bob", name: "Oslo" }] };
  const status = (name) => ({ seq: 1, type: "status_update", task_id: "t", status: name, at: "" });
  const asked = { seq: 2, type: "input_request", task_id: "t", request_id: "r", kind: "question" };
  const title = (...events) => titleWords(events.reduce(reduce, initialState("ann")));
  assert.equal(title(), "Detour");
  assert.equal(title(trips), "Rome – Detour");
  assert.equal(title(trips, status("running")), "Searching – Detour");
  assert.equal(title(trips, status("queued")), "Waiting – Detour");
  assert.equal(title(trips, status("cancelling")), "Stopping – Detour");
  assert.equal(title(trips, status("running"), { type: "page_stopping", task_id: "t" }), "Stopping – Detour");
  assert.equal(title(trips, status("input_required"), asked), "Needs you – Detour");
  assert.equal(title(trips, status("running"), { type: "page_connection", connection: "offline" }), "Offline – Detour");
  assert.equal(title(trips, status("completed")), "Rome – Detour");
});
