// Reads calls from standard input, [["leaveOn", ["2026-12-10"]], ...], and prints what each of them says, as JSON.
import { readFileSync } from "node:fs";
import * as phrases from "../../frontend/lib/phrases.js";

const calls = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(calls.map(([name, given]) => phrases[name](...given))));
