// One call of run-in-repl: types the input, and collects output until the program waits again.
import { AppError } from "../errors.ts";
import { type PaneInspection, readerOf } from "../process/probe.ts";
import type { ProcessInspector } from "../process/process_inspector.ts";
import { drawFollowedScreen, type FollowedScreen } from "../watch/followed_screen.ts";
import type { FoundPane } from "../watch/pane_refs.ts";
import { type ReplAnswer, ReplOutput, type WaitEnd } from "./output.ts";
import { type PromptPattern, quietNeeded } from "./input_done.ts";
import type { FollowHandle, FollowHandlers } from "../watch/follow.ts";
import { bestEffort } from "../promises.ts";
import { ended, inputBegun } from "./refusals.ts";
import type { TypeOptions } from "../tmux/objects/input.ts";
import { looksLikePrompt } from "../watch/prompt_line.ts";
import { watchWaking } from "../watch/waking.ts";

export interface ReplRunOptions {
  pane: FoundPane;
  inspector: ProcessInspector;
  /** Inspection that found the program waiting, from before anything is typed. */
  before: PaneInspection;
  startTime: string | undefined;
  /** Time at which the call gives up (`performance.now()`). */
  deadline: number;
  signal: AbortSignal;
  /** See `Signs.returnsOnInput`. */
  returnsOnInput: boolean;
  /** Last prompt of that program in an earlier call. */
  lastPrompt?: string | undefined;
  /** Called before each piece is typed; throws if its program may not get it any more. */
  mayType?: TypeOptions["mayType"];
}

/** One piece of input. */
export interface ReplStep {
  /** Lines that will be echoed. */
  typed: readonly string[];
  type(): Promise<void>;
  /** Pattern of the prompt after this step; without it, the kernel's report decides. */
  pattern?: PromptPattern | undefined;
}

export interface StepResult extends ReplAnswer {
  end: WaitEnd;
  /** Prompt at which the program waited before. */
  asked: string;
  inspection: PaneInspection;
  /** Set if its input was not typed, because the program had ended. */
  untyped?: true;
}

/** Interval between inspections, and delay of one after output (ms). */
const POLL_MS = 10;
const AFTER_OUTPUT_MS = 1;
/** Longest time (ms) that the shell takes to draw its prompt after the program has ended. */
const SHELL_MS = 300;

export class ReplRun {
  readonly #options: ReplRunOptions;
  #handle: FollowHandle | undefined;
  #output: ReplOutput | undefined;
  #firstPrompt: string | undefined;
  /** Lines typed since then. */
  readonly #typed: string[] = [];
  /** Number of lines that the current step types. */
  #typing = 0;
  readonly #prompts: string[] = [];
  #pattern: PromptPattern | undefined;
  #failure: AppError | undefined;
  #paneEnded = false;
  #lastChange = 0;
  #seenAtWork = false;
  #last: PaneInspection;
  /** Set while input of this call is awaited. */
  #hasWoken: (() => Promise<boolean>) | undefined;
  #wake: () => void = () => {};

  constructor(options: ReplRunOptions) {
    this.#options = options;
    this.#last = options.before;
  }

  /** Settles when no later byte can be missed. */
  async begin(follow: (handlers: FollowHandlers) => FollowHandle): Promise<void> {
    this.#handle = follow({
      bytes: ({ bytes }) => this.#changed(() => this.#output?.push(bytes)),
      sized: ({ columns, rows }) => this.#output?.resize(columns, rows),
      gap: () => this.#output?.lose(),
      ended: () => this.#changed(() => this.#paneEnded = true),
      failed: (error) => this.#changed(() => this.#failure = error),
    });
    await this.#handle.ready;
  }

  end(): void {
    this.#handle?.stop({ atOnce: this.#options.signal.aborted });
  }

  /** Prompts at which the program waited, in their order. */
  get prompts(): readonly string[] {
    return this.#prompts;
  }

  /** @throws {AppError} `gone` if the program has ended before anything was typed, because a shell would run that */
  async step({ typed, type, pattern }: ReplStep): Promise<StepResult> {
    // A person may have typed already.
    const isOurs = typed.length > 0;
    const waking = isOurs ? watchWaking(this.#options.inspector, this.#last) : undefined;
    const [output, hasWoken] = await Promise.all([this.#start(), waking]);
    this.#hasWoken = hasWoken;
    if (isOurs) {
      this.#refuseTyped(output.prompt);
      if (await this.#isOver()) return this.#untyped(output.prompt);
    }
    this.#pattern = pattern;
    this.#typing = typed.length;
    await type();
    this.#lastChange = performance.now();
    const { end, inspection } = await this.#settled();
    const answer = await output.answer(typed, end, this.#typed);
    this.#typed.push(...typed);
    this.#prompts.push(output.prompt, answer.prompt);
    return { ...answer, end, asked: output.prompt, inspection };
  }

  #untyped(asked: string): StepResult {
    const { pane: { paneId }, before } = this.#options;
    if (this.#prompts.length === 0) throw ended(paneId, before);
    const nothing = { lines: [], prompt: "", truncated: false, fullScreen: false };
    return { ...nothing, end: "gone", asked, inspection: this.#last, untyped: true };
  }

  /** True if the program has ended or left the terminal to a shell; rejects if it may not get the input any more. */
  async #isOver(): Promise<boolean> {
    const { pane: { paneId }, before, inspector, mayType } = this.#options;
    await mayType?.([paneId]);
    const inspection = await inspector.inspect(this.#options.pane);
    const isShell = inspection.isPrompt === true && before.shell === undefined;
    return isShell || await this.#isGone(inspection);
  }

  /** @throws {AppError} `busy` if a person has typed text after the last prompt, which Enter would send too */
  #refuseTyped(shown: string): void {
    const { pane: { paneId }, lastPrompt = "" } = this.#options;
    const prompt = this.#prompts.at(-1) ?? lastPrompt;
    const typed = shown.startsWith(prompt) ? shown.slice(prompt.length).trim() : "";
    if (looksLikePrompt(prompt) && typed !== "") throw inputBegun(paneId);
  }

  /** Reads the prompt as it is now. */
  async #start(): Promise<ReplOutput> {
    const { pane: { paneId }, before } = this.#options;
    await drawFollowedScreen(this.#handle!, paneId, (screen) => this.#begin(screen));
    const output = this.#output;
    if (!output) throw fullScreen(paneId, before);
    this.#seenAtWork = false;
    this.#firstPrompt ??= output.prompt;
    return output;
  }

  /** Begins the output with the prompt on the screen. */
  #begin(screen: FollowedScreen): void {
    this.#output = screen.alternateOn
      ? undefined
      : new ReplOutput(screen, { first: this.#firstPrompt, last: this.#options.lastPrompt });
  }

  async #settled(): Promise<{ end: WaitEnd; inspection: PaneInspection }> {
    const { signal, deadline } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      if (this.#failure) throw this.#failure;
      const inspection = await this.#inspect();
      if (await this.#isGone(inspection)) return { end: "gone", inspection: await this.#afterEnd() };
      if (await this.#isDone(inspection) && await this.#isStillDone()) return { end: "waits", inspection };
      if (performance.now() >= deadline) return { end: "time", inspection };
      await this.#next();
    }
  }

  /** Checks once more, after all output that was printed before the program waited. */
  async #isStillDone(): Promise<boolean> {
    const [hasWoken] = await Promise.all([this.#hasWoken?.(), bestEffort(this.#handle!.report())]);
    if (hasWoken === false) return false;
    const inspection = await this.#inspect();
    return !await this.#isGone(inspection) && await this.#isDone(inspection);
  }

  async #isDone(inspection: PaneInspection): Promise<boolean> {
    const { before, returnsOnInput } = this.#options;
    const pattern = this.#pattern;
    const output = this.#output!;
    const pending = await output.pending();
    const taken = this.#seenAtWork || output.moved;
    const signs = {
      inspection,
      before,
      pending,
      prompt: output.prompt,
      asked: this.#firstPrompt!,
      taken,
      entering: !output.moved && pending.length > output.prompt.length,
      answered: output.rows > this.#typing,
      returnsOnInput,
      ...(pattern && { pattern }),
    };
    return performance.now() - this.#lastChange >= quietNeeded(signs);
  }

  /** Waits for the shell's prompt, so that none of the program's final output is missed. */
  async #afterEnd(): Promise<PaneInspection> {
    const until = performance.now() + SHELL_MS;
    for (;;) {
      const inspection = await this.#inspect();
      if (this.#paneEnded || inspection.waitingForInput || performance.now() > until) {
        await bestEffort(this.#handle!.report());
        return inspection;
      }
      await this.#next();
    }
  }

  async #inspect(): Promise<PaneInspection> {
    const inspection = this.#last = await this.#options.inspector.inspect(this.#options.pane);
    if (!inspection.waitingForInput && this.#options.before.waitingForInput) {
      this.#seenAtWork = true;
      this.#lastChange = performance.now();
    }
    return inspection;
  }

  async #isGone(inspection: PaneInspection): Promise<boolean> {
    const { inspector, before, startTime } = this.#options;
    return this.#paneEnded || !inspection.isAlive || this.#isShellBack(inspection) ||
      await inspector.startTime(before.foregroundPid) !== startTime;
  }

  /** True if the shell is at its prompt again, which asked itself (`read`) or for a program of its group (`x=$(…)`). */
  #isShellBack({ foregroundPid, isPrompt }: PaneInspection): boolean {
    const { before } = this.#options;
    return before.isPrompt === false && isPrompt === true && foregroundPid === before.foregroundPid;
  }

  #changed(change: () => void): void {
    change();
    this.#lastChange = performance.now();
    this.#wake();
  }

  /** Waits until the next inspection is due. */
  async #next(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, POLL_MS);
    this.#wake = () => setTimeout(resolve, AFTER_OUTPUT_MS);
    await promise;
    clearTimeout(timer);
    this.#wake = () => {};
  }
}

function fullScreen(paneId: string, before: PaneInspection): AppError {
  const what = `Cannot use pane "${paneId}" as a REPL: ${readerOf(before).name} is using the whole screen`;
  return new AppError("busy", what, {
    hint: "Use send-keys for its keys, and capture-pane or screenshot-pane to see it",
  });
}
