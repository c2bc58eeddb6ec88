// Ends an abandoned loader: one whose server was killed while it typed.
import type { Dialect } from "../../shell/dialect.ts";
import { DIALECTS } from "../../shell/dialects.ts";
import { stty } from "../../shell/posix.ts";
import { ifTrue } from "../../tmux/conditions.ts";
import type { Command } from "../../tmux_exec/exec.ts";
import type { Tmux } from "../../tmux/tmux.ts";
import { pollUntil } from "../../timer.ts";

/** Restores what a loader changes in a shell without a line editor. It is typed blind: line mode and echo are off. */
const TERMINAL_BACK = ` (${stty("echo icanon")})`;

/** Time (ms) to wait for the prompt: fish took 300 ms and more to draw it after Ctrl-C. */
const PATIENCE_MS = 2000;
const PAUSE_MS = 20;

/**
 * Ends the loader that a pane shows last, if any and as long as a format is true of the pane; no part of its payload
 * runs.
 */
export async function endAbandonedLoader(tmux: Tmux, paneId: string, condition = "1"): Promise<void> {
  const dialect = await findLoader(tmux, paneId);
  if (!dialect) return;
  await tmux.run([ifTrue(paneId, condition, { then: endOf(paneId, dialect) })]);
  const isEnded = async (): Promise<boolean> => !await hasAbandonedLoader(tmux, paneId);
  await pollUntil(isEnded, { ms: PATIENCE_MS, pauseMs: PAUSE_MS });
}

/** True if the last thing a pane shows is a loader. */
export async function hasAbandonedLoader(tmux: Tmux, paneId: string): Promise<boolean> {
  return await findLoader(tmux, paneId) !== undefined;
}

async function findLoader(tmux: Tmux, paneId: string): Promise<Dialect | undefined> {
  const screen = (await tmux.capture.text(paneId)).replaceAll("\n", "").trimEnd();
  const loaders = ({ loader, byLine }: Dialect): string[] => [loader, ...byLine ? [byLine.loader] : []];
  return DIALECTS.find((dialect) => loaders(dialect).some((loader) => screen.endsWith(loader.trim())));
}

function endOf(paneId: string, { setsTerminal }: Dialect): Command[] {
  const interrupt = ["send-keys", "-t", paneId, "C-c"];
  if (!setsTerminal) return [interrupt];
  return [
    interrupt,
    ["send-keys", "-l", "-t", paneId, "--", TERMINAL_BACK],
    ["send-keys", "-t", paneId, "Enter"],
  ];
}
