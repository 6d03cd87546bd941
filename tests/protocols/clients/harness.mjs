/**
 * Lets a test drive a client in this process: commands come as lines of JSON, and so go results and what the
 * client says meanwhile. `commands` are async functions of (arguments, tell); `tell(news)` may be called at
 * any time. What the client writes to the console goes to standard error, so it cannot break a line.
 *
 * An error that nobody catches is told as news of kind "unhandled".
 */
import { Console } from "node:console";

// In place, since clients also call what a new console does not have, as `timeStamp`.
const toStandardError = new Console(process.stderr, process.stderr);
for (const name of Object.keys(console)) {
  if (typeof toStandardError[name] === "function") console[name] = toStandardError[name];
}

const plain = (_key, value) => {
  if (typeof value === "bigint") return Number(value);
  return value instanceof Error ? { name: value.name, message: value.message } : value;
};

const write = (line) => process.stdout.write(JSON.stringify(line, plain) + "\n");

export const tell = (news) => write({ news });

const failure = (error) => ({
  error: String(error?.message ?? error),
  kind: String(error?.name ?? typeof error),
  status: typeof error?.status === "number" ? error.status : null,
});

export function serve(commands) {
  const unhandled = (error) => tell({ kind: "unhandled", error: String(error?.stack ?? error) });
  process.on("unhandledRejection", unhandled);
  process.on("uncaughtException", unhandled);
  const take = async (line) => {
    const { id, name, args } = JSON.parse(line);
    try {
      if (!Object.hasOwn(commands, name)) throw new Error(`there is no command ${name}`);
      write({ id, result: (await commands[name](args, tell)) ?? null });
    } catch (error) {
      write({ id, ...failure(error) });
    }
  };
  // Not `node:readline`, which also ends lines at U+2028, and so inside a string of JSON.
  let rest = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (piece) => {
    const lines = (rest + piece).split("\n");
    rest = lines.pop();
    lines.forEach(take);
  });
  process.stdin.on("end", () => process.exit(0));
  write({ ready: true });
}

/** Returns what `look` finds once it finds anything; looks again every few milliseconds. */
export async function until(look, { boundMs = 20_000, what = String(look) } = {}) {
  const bound = performance.now() + boundMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > bound) throw new Error(`it did not happen within ${boundMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
