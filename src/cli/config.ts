// `tmux-mcp config`: prints the current options with their origin, or the JSON Schema of the file.
import { configSchema, describeConfig } from "../config.ts";
import type { Invocation } from "./invocation.ts";

export function runConfig({ config, print }: Invocation, { schema }: { schema: boolean }): number {
  print(schema ? JSON.stringify(configSchema(), null, 2) : describeConfig(config));
  return 0;
}
