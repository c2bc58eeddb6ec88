// The settings that a server reads only once it starts.
import type { Options } from "../config.ts";
import { environmentNameOf } from "../config/option_row.ts";
import { ROWS } from "../config/table.ts";
import { loadMasks, maskedVariables } from "../masking/masks.ts";
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

/** Keys of the settings that say what a server may do, reach and keep. */
const LIMITS =
  /^(?:audit|security)\.|^server\.(?:instance|safety|scope|socket)$|^ssh\.remote$|^durable\.(?:enabled|path)$/;

/** Names of the variables without which a server would be limited less: settings, their file, and secrets to mask. */
export function limitingVariables({ config, variable }: Invocation): string[] {
  const settings = ROWS.filter(([, row]) => LIMITS.test(row.key)).map(([, row]) => environmentNameOf(row));
  const own = ["TMUX_MCP_CONFIG", ...settings].filter((name) => variable(name) !== undefined);
  return [...new Set([...own, ...maskedVariables(config.options.mask)])];
}
