// `tmux-mcp config`: prints the options in force with their origin, or the schema of the file.
import { configSchema, describeConfig } from "../config.ts";
import type { Invocation } from "./invocation.ts";

export function runConfig({ config, print }: Invocation, { schema }: { schema: boolean }): number {
  print(schema ? JSON.stringify(configSchema(), null, 2) : describeConfig(config));
  return 0;
}
