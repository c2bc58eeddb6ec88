// Options that limit what tmux keeps, and how much it keeps now: what is over a new limit is deleted.
import type { TmuxGateway } from "../gateway.ts";
import { isAtLeast } from "../../tmux_exec/version.ts";

interface Limit {
  /** tmux's own value. */
  standard: number;
  /**
   * Counts what it limits, in the session `target` or the whole server; tmux deletes the rest at once, or when it
   * keeps the next one.
   */
  count(tmux: TmuxGateway, target: string | undefined): Promise<number>;
}

const LIMITS: Readonly<Record<string, Limit>> = {
  "buffer-limit": { standard: 50, count: countBuffers },
  "prompt-history-limit": { standard: 100, count: countPrompts },
  "history-limit": { standard: 2000, count: countLines },
};

export function findLimit(option: string): Limit | undefined {
  return Object.hasOwn(LIMITS, option) ? LIMITS[option] : undefined;
}

/** Buffers that tmux named itself; it deletes no others. */
async function countBuffers(tmux: TmuxGateway): Promise<number> {
  const names = await tmux.run([["list-buffers", "-F", "#{buffer_name}"]]);
  return [...names.matchAll(/^buffer\d+$/gm)].length;
}

async function countPrompts(tmux: TmuxGateway): Promise<number> {
  return largest(await tmux.run([["show-prompt-history"]]), /^(\d+): /gm);
}

/** Before 3.7, a limit on lines is only for new panes. */
async function countLines(tmux: TmuxGateway, target: string | undefined): Promise<number> {
  const version = await tmux.run([["display-message", "-p", "#{version}"]]);
  if (!isAtLeast(version, 3, 7)) return 0;
  const which = target === undefined ? ["-a"] : ["-s", "-t", target];
  return largest(await tmux.run([["list-panes", ...which, "-F", "#{history_size}"]]), /^(\d+)$/gm);
}

function largest(text: string, number: RegExp): number {
  return Math.max(0, ...[...text.matchAll(number)].map(([, digits]) => Number(digits)));
}
