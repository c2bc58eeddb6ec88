// The commands that run in each pane, and the time by which its shell has drawn the prompt after the last one.
import type { FoundPane } from "../watch/pane_refs.ts";
import type { ProcessInspector } from "../process/process_inspector.ts";
import { findInnerShell } from "./prompt/inner_shell.ts";
import type { TrackedCommand } from "./tracked_command.ts";

/** Names the process of a pane: a respawned pane runs none of the commands that it ran before. */
type PaneKey = Pick<FoundPane, "serverKey" | "paneId" | "panePid">;

/** Longest time (ms) that a shell takes to draw its prompt after a command. */
export const PROMPT_MS = 5000;

/** Time (ms) after a command's end within which a caller that watches for it can't know of it. */
const JUST_ENDED_MS = 150;

interface DuePrompt {
  readonly after: TrackedCommand;
  /** Command that started the shell in which the pane's next command runs. */
  readonly outer: TrackedCommand | undefined;
  /** Time by which the prompt is drawn (`performance.now()`). */
  readonly by: number;
}

export class PaneCommands {
  /** Running commands of each pane. Each but the first runs in a shell that the one before it started. */
  readonly #running: Map<string, readonly TrackedCommand[]> = new Map();
  readonly #prompts: Map<string, DuePrompt> = new Map();

  running(pane: PaneKey): TrackedCommand | undefined {
    return this.#running.get(keyOf(pane))?.at(-1);
  }

  /** Returns the command that runs in a pane, or whose end nobody can have heard of yet. */
  latest(pane: PaneKey): TrackedCommand | undefined {
    const { after, by } = this.#prompts.get(keyOf(pane)) ?? { by: 0 };
    return this.running(pane) ?? (by - PROMPT_MS + JUST_ENDED_MS > performance.now() ? after : undefined);
  }

  /** Returns the time (`performance.now()`) until which a program may belong to the prompt (`git status`). */
  promptBy(pane: PaneKey): number {
    const prompt = this.#prompts.get(keyOf(pane));
    return prompt !== undefined && prompt.outer === this.running(pane) ? prompt.by : 0;
  }

  /**
   * Returns the shell that the pane's running command has brought to its prompt, and that command; an empty object if no
   * such shell is there. `named`: the shell as named by the caller.
   */
  async findInner(
    pane: FoundPane,
    inspector: ProcessInspector,
    named: string | undefined,
  ): Promise<{ outer?: TrackedCommand; inner?: string }> {
    for (;;) {
      const outer = this.running(pane);
      if (!outer) return {};
      const inner = await findInnerShell({ inspector, pane, outer, promptBy: this.promptBy(pane), named });
      if (inner !== undefined) return { outer, inner };
      // It may have ended meanwhile, while the command that had started its shell keeps running.
      if (this.running(pane) === outer) return {};
    }
  }

  add(pane: PaneKey, tracked: TrackedCommand): void {
    const key = keyOf(pane);
    this.#running.set(key, [...(this.#running.get(key) ?? []), tracked]);
    tracked.left.then(() => {
      const remaining = this.#running.get(key)!.filter((each) => each !== tracked);
      remaining.length > 0 ? this.#running.set(key, remaining) : this.#running.delete(key);
      if (tracked.begun) this.#notePrompt(key, { after: tracked, outer: remaining.at(-1) });
    });
  }

  #notePrompt(key: string, ended: Omit<DuePrompt, "by">): void {
    const now = performance.now();
    for (const [each, { by }] of this.#prompts) if (by < now) this.#prompts.delete(each);
    this.#prompts.set(key, { ...ended, by: now + PROMPT_MS });
  }
}

function keyOf({ serverKey, paneId, panePid }: PaneKey): string {
  return `${serverKey} ${paneId} ${panePid}`;
}
