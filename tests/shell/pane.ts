// A pane of a private tmux with a shell in it, driven through a control client as execute-command will.

import { basename, dirname, join } from "@std/path";
import { findDialect } from "../../src/shell/dialects.ts";
import type { Dialect, Ready } from "../../src/shell/dialect.ts";
import { MarkScanner } from "../../src/shell/marks.ts";
import { clearTyped } from "../../src/shell/screen.ts";
import { commandPayload, dialectFor } from "../../src/commands/payload.ts";

interface RunResult {
  output: string;
  /** Undefined: mark C never came. */
  started: boolean;
  status: number;
  /** Text that the shell wrote to its status file, before mark D. */
  kept: string;
  /** The shell's error message, if mark C never came. */
  complaint: string;
  ready: Ready;
  /** Time (ms) from typing to mark D. */
  elapsed: number;
}

interface RunOptions {
  subshell?: boolean;
  keepHistory?: boolean;
  /** Key that a person presses after the loader, before the payload is there. */
  pressed?: string;
  /** Called once output has begun. */
  onStart?: () => void | Promise<void>;
  /** Typed instead of waiting when the shell has thrown the run away. */
  timeoutMs?: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** Rows of a pane, at most. */
const TALLEST = 50;

interface Reply {
  ok: boolean;
  lines: string[];
}

export class TestPane {
  readonly dir: string;
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  #replies: ((reply: Reply) => void)[] = [];
  #block: string[] | undefined;
  #listener: ((bytes: Uint8Array) => void) | undefined;
  readonly #done: Promise<void>;
  log = "";

  private constructor(dir: string, child: Deno.ChildProcess) {
    this.dir = dir;
    this.#child = child;
    this.#writer = child.stdin.getWriter();
    this.#replies.push(() => {});
    this.#done = this.#read();
  }

  static async start(
    argv: string[],
    { env = {}, width = 100, height = 30, files = {}, path }: {
      env?: Record<string, string>;
      width?: number;
      height?: number;
      files?: Record<string, string>;
      path?: string;
    } = {},
  ): Promise<TestPane> {
    const dir = await Deno.makeTempDir({ prefix: "tmux-mcp-shell-" });
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${dir}/${name}`, text);
    const clean = {
      HOME: dir,
      PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
      LANG: "C.UTF-8",
      SHELL: "/bin/bash",
      ...env,
    };
    const conf = `${dir}/tmux.conf`;
    await Deno.writeTextFile(
      conf,
      "set -g default-terminal screen-256color\nset -g history-limit 5000\nset -g remain-on-exit on\n",
    );
    const child = new Deno.Command("tmux", {
      args: [
        ...["-u", "-S", `${dir}/sock`, "-f", conf, "-C", "new-session", "-x", `${width}`, "-y", `${height}`],
        ...["-c", path ?? dir, "--", ...argv],
      ],
      env: clean,
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const pane = new TestPane(dir, child);
    await pane.idle();
    return pane;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.command("kill-server").catch(() => {});
    await this.#writer.close().catch(() => {});
    await this.#done;
    await this.#child.status;
    // A shell may still be writing its history.
    await Deno.remove(this.dir, { recursive: true }).catch(() => Deno.remove(this.dir, { recursive: true }));
  }

  command(text: string): Promise<Reply> {
    const reply = Promise.withResolvers<Reply>();
    this.#replies.push(reply.resolve);
    this.#writer.write(encoder.encode(`${text}\n`)).catch(() => reply.resolve({ ok: false, lines: [] }));
    return reply.promise;
  }

  async ask(format: string): Promise<string> {
    return (await this.command(`display-message -p ${quote(format)}`)).lines.join("\n");
  }

  async screen(flags = ""): Promise<string[]> {
    const { lines } = await this.command(`capture-pane -p ${flags}`);
    while (lines.at(-1) === "") lines.pop();
    return lines;
  }

  /** Types as a person would: the text, then Enter. */
  async type(text: string, enter = true): Promise<void> {
    if (text !== "") await this.command(`send-keys -l -- ${quote(text)}`);
    if (enter) await this.command("send-keys Enter");
  }

  /** Resolves when the pane has printed nothing for a while. */
  async idle(quietMs = 100): Promise<void> {
    let size = -1;
    while (size !== this.log.length) {
      size = this.log.length;
      await new Promise((resolve) => setTimeout(resolve, quietMs));
    }
  }

  async paste(text: string): Promise<void> {
    const step = 60_000;
    for (let at = 0; at < text.length; at += step) {
      const piece = text.slice(at, at + step);
      this.command(`set-buffer -b p -- ${quote(piece)}`);
      await this.command("paste-buffer -drb p");
    }
  }

  async run(given: Dialect, command: string, options: RunOptions = {}): Promise<RunResult> {
    const publicId = crypto.randomUUID().slice(0, 8);
    const secret = crypto.randomUUID().replaceAll("-", "");
    const scanner = new MarkScanner({ publicId, secret });
    const statusFile = `${this.dir}/it's, "100%" \\ $HOME!`;
    await Deno.writeTextFile(statusFile, "");
    const finished = Promise.withResolvers<RunResult>();
    const result: RunResult = {
      output: "",
      started: false,
      status: -1,
      kept: "",
      complaint: "",
      ready: { status: 0, flags: "", tty: "" },
      elapsed: 0,
    };
    const output: Uint8Array[] = [];
    await this.idle(60);
    const before = await this.ask("#{cursor_y} #{history_size} #{cursor_x}");
    const [y0 = 0, h0 = 0, x0 = 0] = before.split(" ").map(Number);
    const row = (await this.command(`capture-pane -peS ${y0} -E ${y0}`)).lines.join("");
    const { subshell = false, keepHistory = false } = options;
    const parts = { text: { command, subshell, keepHistory }, marks: { publicId, secret }, statusFile };
    const shell = { dialect: given, edits: true, takesLines: true };
    const dialect = dialectFor(shell, parts, { row, column: x0, rowsTyped: TALLEST });
    const begun = performance.now();
    let readySeen = false;
    let done = false;
    this.#listener = async (bytes) => {
      for (const piece of scanner.scan(bytes)) {
        if (piece.kind === "text" && readySeen && !done) {
          if (result.started) output.push(piece.bytes.slice());
        }
        if (piece.kind === "ready") {
          readySeen = true;
          result.ready = piece.ready;
          const [y1 = 0, h1 = 0] = (await this.ask("#{cursor_y} #{history_size}")).split(" ").map(Number);
          const view = { row, column: x0, rowsTyped: y1 + h1 - y0 - h0 };
          if (options.pressed) await this.command(`send-keys ${options.pressed}`);
          await this.paste(commandPayload(dialect, parts, { view, ready: piece.ready }));
        }
        if (piece.kind === "output") {
          result.started = true;
          options.onStart?.();
        }
        if (piece.kind === "done") {
          done = true;
          result.status = piece.status;
          result.kept = await takeStatus(statusFile);
          result.complaint = decoder.decode(piece.complaint);
          result.elapsed = performance.now() - begun;
          finished.resolve(result);
        }
      }
    };
    const timer = setTimeout(
      () =>
        finished.reject(
          new Error(`no mark D for ${JSON.stringify(command.slice(0, 80))}:\n${this.log.slice(-1500)}`),
        ),
      options.timeoutMs ?? 5000,
    );
    try {
      await this.type(dialect.loader);
      await finished.promise;
    } finally {
      clearTimeout(timer);
      this.#listener = undefined;
    }
    result.output = decoder.decode(concat(output)).replaceAll("\r\n", "\n");
    return result;
  }

  /** Asks for `$?`, as the host does when the shell is back and mark D never came. */
  async recover(dialect: Dialect): Promise<number> {
    const secret = crypto.randomUUID().replaceAll("-", "");
    const scanner = new MarkScanner({ publicId: "none", secret });
    const status = Promise.withResolvers<number>();
    const [y0 = 0, h0 = 0] = (await this.ask("#{cursor_y} #{history_size}")).split(" ").map(Number);
    this.#listener = async (bytes) => {
      for (const piece of scanner.scan(bytes)) {
        if (piece.kind === "ready") {
          const [y1 = 0, h1 = 0] = (await this.ask("#{cursor_y} #{history_size}")).split(" ").map(Number);
          const screen = clearTyped({ rowsTyped: y1 + h1 - y0 - h0 });
          await this.paste(dialect.recovery({ secret, screen, ready: piece.ready }));
        }
        if (piece.kind === "done") status.resolve(piece.status);
      }
    };
    const timer = setTimeout(() => status.reject(new Error(`no answer:\n${this.log.slice(-1500)}`)), 5000);
    try {
      await this.type(dialect.loader);
      return await status.promise;
    } finally {
      clearTimeout(timer);
      this.#listener = undefined;
    }
  }

  async #read(): Promise<void> {
    let pending = new Uint8Array(0);
    for await (const chunk of this.#child.stdout) {
      const bytes = concat([pending, chunk]);
      let start = 0;
      for (let end = bytes.indexOf(10, start); end !== -1; end = bytes.indexOf(10, start)) {
        this.#line(bytes.subarray(start, end));
        start = end + 1;
      }
      pending = bytes.slice(start);
    }
    for (const reply of this.#replies) reply({ ok: false, lines: [] });
  }

  #line(line: Uint8Array): void {
    const text = decoder.decode(line.subarray(0, 80));
    if (this.#block !== undefined) {
      if (/^%(end|error) \d+ \d+ \d+$/.test(text)) {
        const lines = this.#block;
        this.#block = undefined;
        this.#replies.shift()?.({ ok: text.startsWith("%end"), lines });
      } else this.#block.push(decoder.decode(line));
      return;
    }
    if (/^%begin \d+ \d+ \d+$/.test(text)) this.#block = [];
    if (text.startsWith("%output ")) {
      const bytes = unescape(line.subarray(line.indexOf(32, 8) + 1));
      this.log += decoder.decode(bytes);
      this.#listener?.(bytes);
    }
  }
}

function unescape(line: Uint8Array): Uint8Array {
  const out = new Uint8Array(line.length);
  let size = 0;
  for (let i = 0; i < line.length; i++) {
    if (line[i] === 0x5c) {
      out[size++] = parseInt(decoder.decode(line.subarray(i + 1, i + 4)), 8);
      i += 3;
    } else out[size++] = line[i] ?? 0;
  }
  return out.subarray(0, size);
}

function concat(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A word for tmux's command parser; a newline would end the control-mode line. */
export function quote(text: string): string {
  return `"${text.replaceAll(/[\\"$~#;]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t")}"`;
}

export function dialectOf(program: string): Dialect {
  const dialect = findDialect(program);
  if (dialect === undefined) throw new Error(`no dialect for ${program}`);
  return dialect;
}

/** Removes the empty file that a shell has left beside another; returns the status in its name. */
async function takeStatus(statusFile: string): Promise<string> {
  const start = `${basename(statusFile)}.`;
  for await (const { name } of Deno.readDir(dirname(statusFile))) {
    if (!name.startsWith(start)) continue;
    await Deno.remove(join(dirname(statusFile), name));
    return name.slice(start.length);
  }
  return "";
}
