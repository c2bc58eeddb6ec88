// Spawning tmux: one-shot clients and long-lived ones. The only file that starts a process.

import { AppError } from "../errors.ts";
import { joinCommands } from "./argv.ts";
import { DEFAULT_DEADLINE_MS, type Exec, type ExecOptions, type Reply } from "./exec.ts";

/** The tmux that clients are started from, and the server they talk to. */
export interface ProcessTarget {
  /** tmux itself, by name or path. */
  bin: string;
  /** `["-S", path]`, `["-L", name]` or none for the default server. */
  socketArgs: readonly string[];
  /** The whole environment of the client: nothing else is inherited. */
  env: Readonly<Record<string, string>>;
  /** Where new sessions start by default; this process's folder when left out. */
  cwd?: string;
}

/** A program to run, without tmux's own arguments (ssh is run this way too). */
export interface Program {
  bin: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd?: string;
}

/** A long-lived child with its input and output open. */
export interface ChildClient {
  readonly pid: number;
  readonly stdin: WritableStreamDefaultWriter<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** The first 16 KiB of what it wrote to its standard error, once that is closed. */
  readonly stderr: Promise<string>;
  readonly status: Promise<Deno.CommandStatus>;
  /** Sends SIGTERM, then SIGKILL after a second; settles when the child is gone, or 2 s later. */
  end(): Promise<void>;
}

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const MAX_STDERR_BYTES = 16 * 1024;
const REAP_MS = 1000;

/** Runs each batch in a spawned `tmux -u` client; a command that may start a server does. */
export function createProcessExec(target: ProcessTarget): Exec {
  return (commands, options) => runProgram(tmuxProgram(target, joinCommands(commands)), options);
}

/** Starts a tmux client that stays, for example `["-C", "attach-session"]`; arguments are passed as they are. */
export function spawnClient(target: ProcessTarget, argv: readonly string[]): ChildClient {
  return spawnProgram(tmuxProgram(target, argv));
}

function tmuxProgram({ socketArgs, ...rest }: ProcessTarget, argv: readonly string[]): Program {
  return { ...rest, args: ["-u", ...socketArgs, ...argv] };
}

/**
 * Runs a program to its end.
 * @throws {AppError} `timeout`, `tmux-unavailable` (no such program), `tmux-error` (more than 64 MiB printed)
 */
export async function runProgram(program: Program, options: ExecOptions = {}): Promise<Reply> {
  const { stdin, signal, deadlineMs = DEFAULT_DEADLINE_MS } = options;
  signal?.throwIfAborted();
  const child = startChild(program, stdin === undefined ? "null" : "piped");
  const stdout = new Collector(child.stdout, MAX_OUTPUT_BYTES);
  const stderr = new Collector(child.stderr, MAX_OUTPUT_BYTES);
  const stop = Promise.withResolvers<never>();
  const timer = setTimeout(() => stop.reject(tooSlow(program, deadlineMs)), deadlineMs);
  const abort = (): void => stop.reject(signal?.reason);
  signal?.addEventListener("abort", abort);
  const fed = stdin === undefined ? undefined : feed(child.stdin, stdin);
  try {
    const done = Promise.all([child.status, stdout.bytes, stderr.bytes, fed]);
    const [status, out, err] = await Promise.race([done, stop.promise]);
    return { code: status.code, stdout: out, stderr: new TextDecoder().decode(err) };
  } catch (error) {
    await killChild(child);
    await Promise.allSettled([stdout.cancel(), stderr.cancel(), fed]);
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/** Starts a program that stays, with its input and output open. */
export function spawnProgram(program: Program): ChildClient {
  const child = startChild(program, "piped");
  const stderr = new Collector(child.stderr, MAX_STDERR_BYTES, "drop");
  return {
    pid: child.pid,
    stdin: child.stdin.getWriter(),
    stdout: child.stdout,
    stderr: stderr.bytes.then((bytes) => new TextDecoder().decode(bytes)),
    status: child.status,
    async end(): Promise<void> {
      kill(child, "SIGTERM");
      if (!await settledWithin(child.status, REAP_MS)) await killChild(child);
      await stderr.cancel();
    },
  };
}

function startChild({ bin, args, env, cwd }: Program, stdin: "null" | "piped"): Deno.ChildProcess {
  try {
    return new Deno.Command(bin, {
      args: [...args],
      env: loadable(env),
      clearEnv: true,
      stdin,
      stdout: "piped",
      stderr: "piped",
      ...(cwd === undefined ? {} : { cwd }),
    }).spawn();
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotFound)) throw cause;
    throw new AppError("tmux-unavailable", `Cannot start "${bin}": no such program`, {
      hint: `Install ${bin}, or name it by its path in the configuration`,
      cause,
    });
  }
}

/** Under a scoped --allow-run Deno refuses to start a child that is given a loader variable. */
function loadable(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(LD|DYLD)_/.test(name)));
}

async function feed(stream: WritableStream<Uint8Array>, bytes: Uint8Array): Promise<void> {
  const writer = stream.getWriter();
  // A client that fails early closes its input: its exit code tells more than the broken pipe.
  await writer.write(bytes).catch(() => {});
  await writer.close().catch(() => {});
}

/** Gathers a stream's bytes up to a limit; past it fails, or goes on reading and drops them. */
class Collector {
  readonly bytes: Promise<Uint8Array>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(stream: ReadableStream<Uint8Array>, limit: number, beyond: "fail" | "drop" = "fail") {
    this.#reader = stream.getReader();
    this.bytes = this.#collect(limit, beyond);
    this.bytes.catch(() => {});
  }

  async #collect(limit: number, beyond: "fail" | "drop"): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (let read = await this.#reader.read(); !read.done; read = await this.#reader.read()) {
      if (size + read.value.length > limit && beyond === "fail") throw tooMuch(limit);
      if (size < limit) chunks.push(read.value.subarray(0, limit - size));
      size += read.value.length;
    }
    return concatBytes(chunks);
  }

  cancel(): Promise<void> {
    return this.#reader.cancel().catch(() => {});
  }
}

function concatBytes(chunks: readonly Uint8Array[]): Uint8Array {
  if (chunks.length === 1 && chunks[0] !== undefined) return chunks[0];
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

async function killChild(child: Deno.ChildProcess): Promise<void> {
  kill(child, "SIGKILL");
  await settledWithin(child.status, REAP_MS);
}

function kill(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // It has ended.
  }
}

async function settledWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), ms);
  try {
    return await Promise.race([promise.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function tooSlow({ bin }: Program, ms: number): AppError {
  return new AppError("timeout", `No answer from ${bin} in ${ms} ms`, {
    hint: "Call again; if it keeps failing, the tmux server may be stopped or hung",
  });
}

function tooMuch(limit: number): AppError {
  return new AppError("tmux-error", `The output is larger than ${limit / 1024 / 1024} MiB`, {
    hint: "Ask for fewer lines",
  });
}
