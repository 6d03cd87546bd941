/**
 * How long the page's reducer takes for a log of events, beside parsing them: `node reduce_events.js LOG ROUNDS`.
 *
 * LOG holds a frame in each line. Prints `{"parse": [ms...], "reduce": [ms...]}`, a sample for each round.
 */

import { readFileSync } from "node:fs";

import { initialState, reduce } from "../frontend/lib/reduce.js";

const [, , log, rounds] = process.argv;
const lines = readFileSync(log, "utf-8").trimEnd().split("\n");
const samples = { parse: [], reduce: [] };
for (let round = 0; round < Number(rounds); round += 1) {
  const began = performance.now();
  const frames = lines.map((line) => JSON.parse(line));
  const parsed = performance.now();
  const before = { ...initialState("ada"), synced: true, seq: frames[0].seq - 1 };
  const state = frames.reduce(reduce, before);
  const reduced = performance.now();
  if (state.seq !== frames.at(-1).seq) throw new Error(`The reducer stopped at event ${state.seq}.`);
  samples.parse.push(parsed - began);
  samples.reduce.push(reduced - parsed);
}
process.stdout.write(JSON.stringify(samples));
