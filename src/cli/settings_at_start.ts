// Checks the settings that a server reads only once it starts.
import type { Options } from "../config.ts";
import { loadMasks } from "../masking/masks.ts";
import { parseSshWords } from "../tmux/ssh/words.ts";
import type { Invocation } from "./invocation.ts";

/**
 * Checks that a server starts with these masks and machines.
 * @throws {AppError} `invalid-argument`
 */
export async function checkStart({ config, variable }: Invocation): Promise<void> {
  const { mask, ssh, hosts }: Options = config.options;
  await loadMasks(mask, variable);
  for (const host of Object.values(hosts)) parseSshWords(host.ssh);
  if (ssh !== undefined) parseSshWords(ssh);
}
