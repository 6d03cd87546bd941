import assert from "node:assert/strict";
import { test } from "node:test";

import { serverNow, setClock } from "../../frontend/lib/expiry.js";

const AT = "2026-11-20T12:00:00.000Z";

test("server time is used, be this machine a day ahead or behind", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 0 });
  for (const wrong of [-86_400_000, 86_400_000]) {
    t.mock.timers.setTime(Date.parse(AT) + wrong);
    setClock(AT);
    assert.equal(serverNow(), Date.parse(AT));
    t.mock.timers.tick(5000);
    assert.equal(serverNow(), Date.parse(AT) + 5000);
  }
});

test("invalid time changes nothing", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 0 });
  setClock(AT);
  for (const at of [undefined, "", "soon"]) setClock(at);
  assert.equal(serverNow(), Date.parse(AT));
});
