/**
 * Lets a test drive a client in this process: commands come as lines of JSON, and so go results and what the
 * client says meanwhile. `commands` are async functions of (arguments, tell); `tell(news)` may be called at
 * any time.
 */
import readline from "node:readline";

const write = (line) => process.stdout.write(JSON.stringify(line) + "\n");

export const tell = (news) => write({ news });

export function serve(commands) {
  const fail = (error) => tell({ kind: "unhandled", error: String(error?.stack ?? error) });
  process.on("unhandledRejection", fail);
  process.on("uncaughtException", fail);
  readline.createInterface({ input: process.stdin }).on("line", async (line) => {
    const { id, name, args } = JSON.parse(line);
    try {
      write({ id, result: (await commands[name](args, tell)) ?? null });
    } catch (error) {
      write({ id, error: String(error?.message ?? error), kind: error?.name ?? "", status: error?.status ?? null });
    }
  }).on("close", () => process.exit(0));
  write({ ready: true });
}
