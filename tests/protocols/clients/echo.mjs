/** A client of nothing: for the tests of the harness itself. */
import { serve } from "./harness.mjs";

if (process.argv[2] === "broken") throw new Error("broken from the start");

serve({
  echo: async ({ value }) => value,
  nothing: async () => undefined,
  say: async ({ times }, tell) => {
    for (let number = 1; number <= times; number += 1) tell({ kind: "said", number });
  },
  chatter: async () => {
    console.log("a word that is no JSON");
    console.timeStamp("nor is this");
    return "silent";
  },
  fail: async () => {
    throw Object.assign(new TypeError("no such thing"), { status: 404 });
  },
  forget: async () => {
    Promise.reject(new Error("nobody awaits this"));
  },
  vanish: async () => {
    console.error("farewell");
    process.exit(3);
  },
});
