// `tmux-mcp clean`: removes the records on disk.
import { Engine } from "../engine.ts";
import { AppError, messageOf } from "../errors.ts";
import { formatSize, keeping } from "./checks/records.ts";
import type { Invocation } from "./invocation.ts";

export async function runClean({ config, environment, print, complain }: Invocation): Promise<number> {
  const engine = new Engine({ options: keeping(config.options), env: environment, complain });
  try {
    const { records } = engine;
    // The engine has said why.
    if (!records) return 0;
    await checkReadable(records.root);
    const removed = await records.clean();
    print(`Removed ${formatSize(removed)} from ${records.root}`);
    return 0;
  } finally {
    await engine.close();
  }
}

/** @throws {AppError} if something is there that can't be read as a folder */
async function checkReadable(path: string): Promise<void> {
  try {
    await Array.fromAsync(Deno.readDir(path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw new AppError("unsupported", `Cannot read "${path}": ${messageOf(error)}`, {
      hint: "Give the folder of the records with --durable-path",
    });
  }
}
