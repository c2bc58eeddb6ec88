// REPLs in panes: checks that a program takes input, and types it; one call at a time per pane.
import { type PaneInspection, readerOf, showsPromptLate } from "../process/probe.ts";
import { paneKey } from "../tmux/server_key.ts";
import type { TypeOptions } from "../tmux/objects/input.ts";
import type { ServerSnapshot } from "../tmux/server_snapshot.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { findPanes, type FoundPane, streamOf } from "../watch/pane_refs.ts";
import { compileRegex } from "../regex.ts";
import { inputSteps, type StepsAtPrompt } from "./input.ts";
import type { HandedOver, Handover, WaitingProgram } from "../watch/handed_over.ts";
import { isSamePrompt, lineAtCursor, readsAhead } from "../watch/prompt_line.ts";
import { readSite } from "../watch/prompt_sites.ts";
import { isPythonContinuation, wantsBlankLine } from "./blocks.ts";
import { LastPrompts } from "./last_prompts.ts";
import { asksAnother, isOtherReader, type PromptPattern } from "./input_done.ts";
import { alreadyRunning, atShell, checkAlone, gone, lost, takesNoInput } from "./refusals.ts";
import { ReplRun, type StepResult } from "./run.ts";
import type { Supervisor } from "../watch/supervisor.ts";
import { pollUntil } from "../timer.ts";

export interface ReplsOptions {
  supervisor: Supervisor;
}

export interface ReplRequest {
  paneId: string;
  input: string;
  promptPattern?: string | undefined;
  /** Seconds. */
  timeout: number;
  onInput: "return" | "wait" | "person";
  /** Has a person answer the question that the program waits on. */
  handOver(waiting: WaitingProgram, until: number): Promise<Handover>;
  /** Also type into a shell at its prompt. */
  allowShell: boolean;
  snapshot: ServerSnapshot;
  /** See `TypeOptions.mayType`. */
  mayType?: TypeOptions["mayType"];
  signal: AbortSignal;
}

export interface ReplResult {
  output: string;
  exited?: true;
  timedOut?: true;
  outputTruncated?: true;
  /** Prompt at which it waits, if it differs from the one before. */
  prompt?: string;
  /** Set if the program waits for something other than its next input. */
  status?: "waiting";
  waiting?: WaitingProgram;
  handedOver?: HandedOver[];
  hint?: string;
}

/** One call with its program. */
interface Conversation {
  tmux: Tmux;
  run: ReplRun;
  steps: readonly StepsAtPrompt[];
  results: StepResult[];
  /** The program before anything was typed. */
  before: PaneInspection;
  pattern: PromptPattern | undefined;
  deadline: number;
}

/** Time (ms) for a program that is about to wait, or to show its first prompt where it reads keys before. */
const PATIENCE_MS = 500;
/** Age (ms) until which a program may still be starting: ipython takes 2 s on a busy machine. */
const STARTING_MS = 5000;
const PAUSE_MS = 10;
/** Time (ms) that the control client is kept for the next input. */
const LINGER_MS = 5000;

export class Repls {
  readonly #options: ReplsOptions;
  readonly #busy: Set<string> = new Set();
  readonly #prompts = new LastPrompts();

  constructor(options: ReplsOptions) {
    this.#options = options;
  }

  /**
   * Types into a pane's program and returns what it printed.
   * @throws {AppError} `busy`, `gone`, `not-found`, `unsupported`, `invalid-argument`
   */
  async run(tmux: Tmux, request: ReplRequest): Promise<ReplResult> {
    const { paneId, snapshot } = request;
    const key = paneKey(snapshot.serverKey, paneId);
    checkAlone(tmux.input.alsoTyped(snapshot, paneId), paneId);
    if (this.#busy.has(key)) throw alreadyRunning(paneId);
    this.#busy.add(key);
    try {
      return await this.#run(tmux, request, key);
    } finally {
      this.#busy.delete(key);
    }
  }

  /** `key` names the pane. */
  async #run(tmux: Tmux, request: ReplRequest, key: string): Promise<ReplResult> {
    const { paneId, input, timeout, snapshot, signal, promptPattern, mayType } = request;
    const { supervisor } = this.#options;
    const { inspector } = tmux.machine;
    const pattern = promptPattern === undefined ? undefined : await compilePattern(promptPattern);
    const [pane] = await findPanes(tmux, [paneId]);
    const before = await this.#untilWaiting(pane!, { tmux, pattern, timeout, signal, key });
    if (before.shell !== undefined && readSite(before, inspector)?.asks !== true && !request.allowShell) {
      throw atShell(paneId, before);
    }
    const steps = await inputSteps(input, { tmux, paneId, before, pattern, snapshot, signal });
    const deadline = performance.now() + timeout * 1000;
    const startTime = await inspector.startTime(before.foregroundPid);
    const returnsOnInput = request.onInput !== "wait";
    const program = { pid: before.foregroundPid, startTime };
    const run = new ReplRun({
      ...{ pane: pane!, inspector, before, startTime, deadline, signal, returnsOnInput },
      lastPrompt: this.#prompts.find(key, program),
      mayType,
    });
    try {
      await run.begin((handlers) =>
        supervisor.follow(streamOf(tmux, pane!, LINGER_MS), handlers, { isWatch: false })
      );
      const conversation = { tmux, run, steps, results: [], before, pattern, deadline };
      return await this.#converse(request, conversation).catch((error) => Promise.reject(lost(error, tmux)));
    } finally {
      this.#prompts.note(key, program, run.prompts);
      run.end();
    }
  }

  /** Types the steps while the program takes input, then has a person answer its questions. */
  async #converse(request: ReplRequest, conversation: Conversation): Promise<ReplResult> {
    const { paneId, input, onInput, snapshot, signal } = request;
    const { tmux, run, steps, results, before, pattern } = conversation;
    // The input is for the program that it was given to, and no password.
    const takesInput = (result: StepResult) => result.end === "waits" && !waitingOf(result, { before });
    let left = steps.length;
    for (const stepsAt of steps) {
      const rest = [...stepsAt(results.at(-1))];
      do results.push(await run.step(rest.shift()!)); while (rest.length > 0 && takesInput(results.at(-1)!));
      if (rest.length === 0 && !results.at(-1)!.untyped) left--;
      if (!takesInput(results.at(-1)!)) break;
    }
    if (wantsBlankLine(results.at(-1)!, { input, asked: results[0]!.asked })) {
      const enter = () => tmux.input.type(paneId, { text: "" }, { snapshot, enter: true, signal });
      results.push(await run.step({ typed: [""], type: async () => void await enter(), pattern }));
    }
    const asks = onInput === "person" && left === 0;
    const handovers = asks ? await this.#askPerson(request, conversation) : {};
    return { ...resultOf(results, { untyped: left, before, pattern }), ...handovers };
  }

  /** Has a person answer one question after another; the resulting output is added to `results`. */
  async #askPerson(
    { handOver }: ReplRequest,
    { run, results, before, pattern, deadline }: Conversation,
  ): Promise<Pick<ReplResult, "handedOver" | "hint">> {
    const handedOver: HandedOver[] = [];
    const { asked } = results[0]!;
    for (;;) {
      const last = results.at(-1)!;
      const waiting = waitingOf(last, { before, pattern, asked });
      if (!waiting) return handedOver.length > 0 ? { handedOver } : {};
      let handover: Handover | undefined;
      const ask = async () => void (handover = await handOver(waiting, deadline));
      // No output is read while a program owns the screen.
      if (last.fullScreen) await ask();
      results.push(await run.step({ typed: [], type: handover ? () => Promise.resolve() : ask, pattern }));
      if (handover?.handedOver) handedOver.push(handover.handedOver);
      if (handover?.gone || handover?.over || handover?.handedOver?.outcome === "answered") continue;
      const { hint } = handover!;
      return { ...(handedOver.length > 0 && { handedOver }), ...(hint !== undefined && { hint }) };
    }
  }

  /** Returns the first inspection that finds the program waiting, or at which the pattern matches. */
  async #untilWaiting(pane: FoundPane, { tmux, pattern, timeout, signal, key }: {
    tmux: Tmux;
    pattern: PromptPattern | undefined;
    timeout: number;
    signal: AbortSignal;
    key: string;
  }): Promise<PaneInspection> {
    const { inspector } = tmux.machine;
    const began = performance.now();
    let inspection!: PaneInspection;
    let waitsSince = Infinity;
    const isStarting = (): Promise<boolean> => this.#isStarting(inspection, { tmux, key });
    const line = async (): Promise<string> => await lineAtCursor(tmux, pane.paneId) ?? "";
    const showsPrompt = async (): Promise<boolean> => pattern?.matches(await line()) === true;
    const isWaiting = await pollUntil(async () => {
      inspection = await inspector.inspect(pane);
      if (pane.dead || !inspection.isAlive) throw gone(pane.paneId);
      const now = performance.now();
      if (!inspection.waitingForInput) {
        if (now - began <= PATIENCE_MS) return false;
        return now - began > timeout * 1000 || await showsPrompt() || !await isStarting();
      }
      waitsSince = Math.min(waitsSince, now);
      const isLate = readsAhead(inspection) || showsPromptLate(inspection);
      return !isLate || now - waitsSince > PATIENCE_MS || !await isStarting() || await line() !== "";
    }, { ms: STARTING_MS, pauseMs: PAUSE_MS, signal }) && inspection.waitingForInput;
    if (isWaiting || await showsPrompt()) return inspection;
    throw takesNoInput(pane.paneId, inspection, pattern !== undefined);
  }

  /** True if a program is so young that it may not have shown its first prompt. */
  async #isStarting(
    { foregroundPid: pid }: PaneInspection,
    { tmux: { machine: { inspector } }, key }: { tmux: Tmux; key: string },
  ): Promise<boolean> {
    if ((await inspector.ageMs(pid) ?? Infinity) > STARTING_MS) return false;
    return this.#prompts.find(key, { pid, startTime: await inspector.startTime(pid) }) === undefined;
  }
}

/** Returns a pattern that matches a line as it is, or without trailing blanks. */
async function compilePattern(source: string): Promise<PromptPattern> {
  const pattern = await compileRegex(source);
  return { matches: (line) => pattern.test(line) || pattern.test(line.trimEnd()) };
}

function resultOf(results: readonly StepResult[], { untyped, before, pattern }: {
  untyped: number;
  before: PaneInspection;
  pattern: PromptPattern | undefined;
}): ReplResult {
  const last = results.at(-1)!;
  const asked = results[0]!.asked;
  const waiting = waitingOf(last, { before, pattern, asked });
  const hint = hintOf(last, { before, untyped });
  return {
    output: results.flatMap((result) => result.lines).join("\n"),
    ...(last.end === "gone" ? { exited: true } : {}),
    ...(last.end === "time" ? { timedOut: true } : {}),
    ...(results.some(({ truncated }) => truncated) ? { outputTruncated: true } : {}),
    ...(last.prompt.trim() === "" || isSamePrompt(last.prompt, asked) ? {} : { prompt: last.prompt }),
    ...(waiting && { status: "waiting", waiting }),
    ...(hint === undefined ? {} : { hint }),
  };
}

/** Returns the program's question, unless it is the same program's usual prompt. */
function waitingOf(
  { end, inspection, prompt, fullScreen }: StepResult,
  { before, pattern, asked }: { before: PaneInspection; pattern?: PromptPattern | undefined; asked?: string },
): WaitingProgram | undefined {
  const { inputKind } = inspection;
  if (end !== "waits" || inputKind === "none") return undefined;
  const isAsking = fullScreen || asksAnother(inspection, before) ||
    (pattern !== undefined && !pattern.matches(prompt) && !isPythonContinuation(prompt, inspection, asked));
  return isAsking ? { inputKind, foregroundCmd: readerOf(inspection).name, prompt } : undefined;
}

function hintOf(
  { end, inspection, fullScreen }: StepResult,
  { before, untyped }: { before: PaneInspection; untyped: number },
): string | undefined {
  if (untyped > 0) return `The last ${untyped} lines of the input were not typed`;
  // The program may have been run by another one (a debugger).
  const isLeft = end === "gone" && inspection.waitingForInput && inspection.shell === undefined;
  if (isLeft) return `${readerOf(inspection).name} waits for input now`;
  if (end !== "waits") return undefined;
  if (fullScreen) {
    return "A full-screen program took over; press its keys with send-keys (a pager ends with q)";
  }
  if (inspection.inputKind === "password") return "It asks for a password, which a person should type";
  return isOtherReader(inspection, before) ? `${readerOf(inspection).name} waits for input now` : undefined;
}
