// `tmux-mcp config`: prints the current options with their origin, or the JSON Schema of the file.
import { configSchema, describeConfig } from "../config.ts";
import type { Invocation } from "./invocation.ts";
import { checkStart } from "./settings_at_start.ts";

/** @throws {AppError} if a server would not start with these options */
export async function runConfig(invocation: Invocation, { schema }: { schema: boolean }): Promise<number> {
  if (!schema) await checkStart(invocation);
  invocation.print(schema ? JSON.stringify(configSchema(), null, 2) : describeConfig(invocation.config));
  return 0;
}
