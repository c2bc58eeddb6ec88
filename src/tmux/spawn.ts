// Spawns tmux: one-shot clients and long-lived ones. No other file starts a process.

import { AppError, lacksDescriptor, noDescriptor } from "../errors.ts";
import { shellWord } from "../shell/quoting.ts";
import { stat } from "../stat.ts";
import { configurationLine, joinCommands } from "../tmux_exec/argv.ts";
import { DEFAULT_TIMEOUT_MS, type Exec, type ExecOptions, noAnswer, type Reply } from "../tmux_exec/exec.ts";
import { isNoServer } from "./failures.ts";
import { unframe } from "./printing_hooks.ts";
import { remoteCommand, type Via } from "./ssh/command.ts";
import { bytesAfter, textAfter } from "./ssh/start_mark.ts";
import { BoundedOutput } from "../tmux_exec/bounded_output.ts";
import type { ControlChannel } from "../tmux_exec/control_channel.ts";
import { within } from "../timer.ts";
import { bestEffort, handledLater } from "../promises.ts";

/** The tmux program that clients run, and the server that they talk to. */
export interface ProcessTarget {
  /** Name or path of tmux. */
  bin: string;
  /** `["-S", path]`, `["-L", name]`, or empty for the default server. */
  socketArgs: readonly string[];
  /** Complete environment of the client: nothing else is inherited. */
  env: Readonly<Record<string, string>>;
  /** Folder in which new sessions start by default; if left out, that of this process. */
  cwd?: string;
  /** Version of tmux, if it is known before any server has replied. */
  version?: string;
  /** Set for a program on another machine: `bin` is looked up there, `env` is added to ssh's own, `cwd` is ignored. */
  via?: Via;
}

/** A program to run, without tmux's own arguments (also used for ssh). */
export interface Program {
  bin: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd?: string;
  /** Line that its shell prints to both outputs right before it; what stands before that is not the program's. */
  mark?: string;
}

/** A long-lived child process with open input and output. */
export interface ChildClient {
  readonly pid: number;
  readonly stdin: WritableStreamDefaultWriter<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Standard error of the child, once that is closed; cut at about 16,000 characters. */
  readonly stderr: Promise<string>;
  readonly status: Promise<Deno.CommandStatus>;
  /** Sends SIGTERM, then SIGKILL after a second; settles when the child is gone, or 2 s later. */
  end(): Promise<void>;
}

const MAX_STDERR_CHARS = 16 * 1024;
const REAP_MS = 1000;

/** Returns an exec that runs each batch in a spawned `tmux -u` client, which starts a server if the command may. */
export function createProcessExec(target: ProcessTarget): Exec {
  return async (commands, options = {}) => {
    const { frameTag, stdin } = options;
    if (frameTag === undefined && stdin === undefined && commands.some(([name]) => name === "new-session")) {
      // From 3.4 on, a file that a running server reads acts on the session used last before it.
      const { stderr } = await runProgram(tmuxProgram(target, ["-N", "start-server"]), options);
      if (isNoServer(stderr)) {
        const stdin = new TextEncoder().encode(configurationLine(commands));
        return await runProgram(tmuxProgram(target, START), { ...options, stdin });
      }
    }
    if (frameTag === undefined) return await runProgram(tmuxProgram(target, joinCommands(commands)), options);
    const framed = tmuxProgram(target, ["-C", ...joinCommands(commands)]);
    return unframe(await runProgram(framed, options), frameTag);
  };
}

/**
 * Arguments of a client that may start a server. A tmux server keeps the command line of the client that started it
 * for its whole life, readable for every user. So the variables and programs of its first session are passed through
 * the client's input.
 */
const START = ["start-server", ";", "source-file", "-"];

/** Starts a tmux client that stays, for example `["save-buffer", "-"]`; arguments are passed as they are. */
export function spawnClient(target: ProcessTarget, argv: readonly string[]): ChildClient {
  return spawnProgram(tmuxProgram(target, argv));
}

/**
 * Starts a control client (`["attach-session"]`) as a separate process. If the target is on another machine, the
 * process is ssh, and its first line is `%client-pid PID`, the pid by which tmux knows the client.
 */
export function spawnChannel(target: ProcessTarget, argv: readonly string[]): ControlChannel {
  // Without -N, attach-session would start a missing server, and run the user's configuration.
  const child = spawnProgram(tmuxProgram(target, ["-N", "-C", ...argv], 'echo "%client-pid $$";'));
  return {
    handle: { kind: "process", pid: child.pid },
    // A client that no longer reads is about to end.
    write: (bytes) => void bestEffort(child.stdin.write(bytes)),
    async read(take) {
      for await (const bytes of child.stdout) take(bytes);
      await child.status;
      await bestEffort(child.stdin.close());
    },
    end: () => child.end(),
  };
}

function tmuxProgram(
  { socketArgs, via, ...rest }: ProcessTarget,
  argv: readonly string[],
  before = "",
): Program {
  const args = ["-u", ...socketArgs, ...argv];
  const env = withoutOwnPane(rest.env);
  if (via === undefined) return { ...rest, env, args };
  const set = Object.entries(env).map(([name, value]) => `export ${name}=${shellWord(value)};`).join("");
  const mark = crypto.randomUUID();
  const marks = `echo ${mark};echo ${mark} >&2;`;
  const script = `${set}${marks}${before}exec ${[rest.bin, ...args].map(shellWord).join(" ")}`;
  return { bin: via.bin, args: [...via.args, remoteCommand(script)], env: via.env, mark };
}

/**
 * Runs a program until it ends.
 * @throws {AppError} `timeout`, `tmux-unavailable` (no such program), `tmux-error` (more than 64 MiB printed)
 */
export async function runProgram(program: Program, options: ExecOptions = {}): Promise<Reply> {
  const { stdin, frameTag, signal, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  signal?.throwIfAborted();
  // A control client leaves when its input ends, before its batch has run, so the input is kept open.
  const keepsInputOpen = frameTag !== undefined;
  const child = startChild(program, stdin === undefined && !keepsInputOpen ? "null" : "piped");
  const [out, err] = [new BoundedOutput(), new BoundedOutput()];
  const readings = [
    readStream(outputOf(child, program), (chunk) => out.push(chunk)),
    readStream(child.stderr, (chunk) => err.push(chunk)),
  ];
  const late = (): never => {
    throw noAnswer(program.bin, timeoutMs);
  };
  const fed = stdin === undefined ? undefined : feed(child.stdin, stdin);
  try {
    const done = Promise.all([child.status, fed, ...readings.map((reading) => reading.done)]);
    const [status] = await within(done, { ms: timeoutMs, signal, late });
    return { code: status.code, stdout: out.bytes(), stderr: textAfter(err.text(), program.mark) };
  } catch (error) {
    await killChild(child);
    await Promise.all([fed, ...readings.map((reading) => reading.cancel())]);
    throw error;
  } finally {
    // The reader of the input may have ended.
    if (keepsInputOpen) await bestEffort(child.stdin.close());
  }
}

/** Starts a program that stays, with open input and output. */
export function spawnProgram(program: Program): ChildClient {
  const child = startChild(program, "piped");
  let text = "";
  const decoder = new TextDecoder();
  const stderr = readStream(child.stderr, (chunk) => {
    if (text.length < MAX_STDERR_CHARS) text += decoder.decode(chunk, { stream: true });
  });
  return {
    pid: child.pid,
    stdin: child.stdin.getWriter(),
    stdout: outputOf(child, program),
    stderr: bestEffort(stderr.done).then(() => textAfter(text, program.mark)),
    status: child.status,
    async end(): Promise<void> {
      kill(child, "SIGTERM");
      if (!await isReaped(child)) await killChild(child);
      await stderr.cancel();
    },
  };
}

function outputOf({ stdout }: Deno.ChildProcess, { mark }: Program): ReadableStream<Uint8Array<ArrayBuffer>> {
  return mark === undefined ? stdout : stdout.pipeThrough(bytesAfter(mark));
}

/** True if this program's folder was removed: then Deno finds no program either. */
function isFolderGone(): boolean {
  try {
    return Deno.cwd() === "";
  } catch (error) {
    return error instanceof Deno.errors.NotFound;
  }
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
    if (cause instanceof Deno.errors.NotFound) {
      if (cwd === undefined && isFolderGone()) return startChild({ bin, args, env, cwd: "/" }, stdin);
      // If the file is there, its interpreter or loader isn't.
      const isThere = bin.includes("/") && stat(bin)?.isFile === true;
      const why = isThere ? "the interpreter or loader that it needs is missing" : "no such program";
      throw cannotStart(bin, why, cause);
    }
    if (cause instanceof Deno.errors.PermissionDenied) {
      throw cannotStart(bin, "this user may not run it", cause);
    }
    // The launcher grants permission for the programs that it finds when it starts.
    if (cause instanceof Deno.errors.NotCapable) {
      const what = `Cannot start "${bin}": this process has no permission to run it`;
      throw new AppError("tmux-unavailable", what, {
        hint: `Install ${bin} if it is missing, then restart the server, which grants the permission`,
        cause,
      });
    }
    if (lacksDescriptor(cause)) throw noDescriptor(`Cannot start "${bin}"`, cause);
    throw cause;
  }
}

function cannotStart(bin: string, why: string, cause: Error): AppError {
  const otherwise = bin === "ssh" ? "add its folder to PATH" : "name it by its path (--tmux-bin)";
  return new AppError("tmux-unavailable", `Cannot start "${bin}": ${why}`, {
    hint: bin.includes("/") ? "Correct its path (--tmux-bin)" : `Install ${bin}, or ${otherwise}`,
    cause,
  });
}

/**
 * Returns the environment of a tmux client. For tmux, the pane in TMUX_PANE would be the current one of each command
 * without a target, such as the `set-option` after `new-session -d`.
 */
export function withoutOwnPane(env: Readonly<Record<string, string>>): Record<string, string> {
  const { TMUX_PANE: _, ...rest } = env;
  return loadable(rest);
}

/** Removes loader variables: under a scoped --allow-run, Deno refuses to start a child that has them. */
function loadable(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(LD|DYLD)_/.test(name)));
}

async function feed(stream: WritableStream<Uint8Array>, bytes: Uint8Array): Promise<void> {
  const writer = stream.getWriter();
  // A client that fails early closes its input; its exit code says more than the broken pipe.
  await bestEffort(writer.write(bytes));
  await bestEffort(writer.close());
}

/** Reads a stream to its end and passes each chunk to `keep`. */
function readStream(stream: ReadableStream<Uint8Array>, keep: (chunk: Uint8Array) => void) {
  const reader = stream.getReader();
  const read = async (): Promise<void> => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) keep(next.value);
  };
  const done = read();
  handledLater(done);
  return { done, cancel: (): Promise<void> => bestEffort(reader.cancel()) };
}

async function killChild(child: Deno.ChildProcess): Promise<void> {
  kill(child, "SIGKILL");
  await isReaped(child);
}

function kill(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // The child has ended.
  }
}

/** Resolves to true once the child has ended, to false if that takes too long. */
async function isReaped({ status }: Deno.ChildProcess): Promise<boolean> {
  return await within(status.then(() => true), { ms: REAP_MS, late: () => false });
}
