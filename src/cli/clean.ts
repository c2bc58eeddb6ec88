// `tmux-mcp clean`: removes the records on disk.
import { Engine } from "../engine.ts";
import { formatSize } from "./checks/records.ts";
import type { Invocation } from "./invocation.ts";

export async function runClean({ config, environment, print, complain }: Invocation): Promise<number> {
  const engine = new Engine({ options: config.options, env: environment, complain, push: () => {} });
  try {
    const { records } = engine;
    if (!records) {
      print("No records are kept on disk");
      return 0;
    }
    const removed = await records.clean();
    print(`Removed ${formatSize(removed)} from ${records.root}`);
    return 0;
  } finally {
    await engine.close();
  }
}
