// Reads the state of a pane from tmux and the kernel; a shell between two commands is given time to settle.
import type { ProcessInspector } from "../process/process_inspector.ts";
import type { ListeningPort } from "../process/listening.ts";
import { type PaneInspection, toReport } from "../process/probe.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { PromptSites } from "./prompt_sites.ts";
import { findPanes, type FoundPane } from "./pane_refs.ts";
import type { PaneState } from "./protocol.ts";
import { inspectSettledShell, isIdleShell, untilBegun } from "./settled_shell.ts";

/** Ports that a pane's programs listen on; absent if they weren't requested or are unknown. */
export interface Listening {
  /** Each address that a program of the pane listens on. */
  listening?: ListeningPort[];
}

export interface PaneActivity {
  state: PaneState & Listening;
  /** False if the pane is dead or its own shell is at the prompt, which takes some 20 reads of /proc to tell. */
  runsProgram(): boolean;
}

/** @throws {AppError} `not-found` */
export async function readActivity(
  tmux: Tmux,
  paneId: string,
  { ports = false, prompts = new PromptSites() } = {},
): Promise<PaneActivity> {
  const [pane] = await findPanes(tmux, [paneId]);
  const { inspector } = tmux.machine;
  const inspection = await inspectSettled(inspector, pane!);
  const facts = toReport(inspection);
  if (pane!.dead) return { state: { ...facts, isAlive: false, ...pane!.ending }, runsProgram: () => false };
  const listening = ports ? await inspector.listening?.(pane!) : undefined;
  return {
    state: { ...facts, ...(listening && { listening: [...listening] }) },
    runsProgram: () => facts.isAlive && !isIdleShell(inspection, inspector, prompts),
  };
}

/**
 * Returns what the kernel reports of a pane.
 * @throws {AppError} `not-found`
 */
export async function inspectPane(tmux: Tmux, paneId: string): Promise<PaneInspection> {
  const [pane] = await findPanes(tmux, [paneId]);
  return await inspectSettled(tmux.machine.inspector, pane!);
}

async function inspectSettled(inspector: ProcessInspector, pane: FoundPane): Promise<PaneInspection> {
  const inspect = () => inspectSettledShell(() => inspector.inspect(pane));
  const inspection = await inspect();
  // Before its process has a session of its own, the tmux server is in front.
  if (!inspection.foregroundCmd.includes("tmux")) return inspection;
  await untilBegun(inspector, pane);
  return await inspect();
}
