// End of the command that started the shell in which another command runs: the shell has ended too.
import { beforeDone } from "../shell/marks.ts";
import type { CommandEvent } from "./command_state.ts";
import type { TrackedCommand } from "./tracked_command.ts";

/** Most bytes to hold: many prompts. */
const MAX_HELD = 1 << 16;

export interface OuterEndOptions {
  tracked: TrackedCommand;
  /** Secret of the command's marks. */
  secret: string;
  /** Command in whose shell it runs. */
  outer: TrackedCommand | undefined;
  /** Called when the outer command is over, with the reason why this one is lost. */
  gone(reason: string): void;
}

/** Writes a command's output. What follows an outer command's mark is held: it may be that shell's prompt. */
export class OuterEnd {
  readonly #tracked: TrackedCommand;
  readonly #outers: TrackedCommand["marked"];
  /** Reason for which a command is lost with its shell. */
  readonly #shellGone: string;
  #held: Uint8Array[] = [];

  constructor({ tracked, secret, outer, gone }: OuterEndOptions) {
    this.#tracked = tracked;
    this.#shellGone = `Command ${outer?.commandId}, which started its shell, ended, and the shell with it`;
    this.#outers = outer?.marked ?? [];
    tracked.marked = [{ tracked, secret }, ...this.#outers];
    const released = this.#outers.map(({ tracked: each }) =>
      each.whenLeft(() => each.state === "stopped" && this.release())
    );
    const withdrawals = [...released, outer?.whenOver(() => gone(this.#shellGone))];
    // Thousands of commands can run in the shell of one that keeps running.
    void tracked.over.then(() => withdrawals.forEach((withdraw) => withdraw?.()));
  }

  push(bytes: Uint8Array): void {
    if (this.#held.length > 0) return this.#hold(bytes);
    // A stopped command's shell prints its mark too, but the command may be continued.
    const ending = this.#outers.filter(({ tracked }) => tracked.state !== "stopped");
    const last = ending.length === 0 ? undefined : beforeDone(bytes, ending.map(({ secret }) => secret));
    this.#tracked.output.push(last ?? bytes);
    if (last) this.#hold(bytes.subarray(last.length));
  }

  /** Adds the held bytes to the output, because the shell still runs; drops them if the command has ended. */
  release(): void {
    const held = this.#held.splice(0);
    if (this.#tracked.endedAt !== undefined) return;
    for (const bytes of held) this.#tracked.output.push(bytes);
  }

  gap(): void {
    this.release();
    this.#tracked.output.gap();
  }

  /** Adds what the screen shows beyond the output so far, and returns the added bytes; undefined if that is unknown. */
  complete(screen: readonly string[]): Promise<Uint8Array | undefined> {
    this.release();
    return this.#tracked.output.complete(screen);
  }

  /** Called before the event is applied. */
  leave(event: CommandEvent): void {
    if (event.kind !== "failed" || event.reason !== this.#shellGone) this.release();
  }

  #hold(bytes: Uint8Array): void {
    this.#held.push(bytes);
    if (this.#held.reduce((sum, { length }) => sum + length, 0) > MAX_HELD) this.release();
  }
}
