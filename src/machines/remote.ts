// Another machine, queried through the shell of its connection.
import { AppError, type ErrorCode } from "../errors.ts";
import { expandHome, isFromHome } from "../home_folder.ts";
import { RemoteProcessInspector } from "../process/remote/process_inspector.ts";
import type { ProcessInspector } from "../process/process_inspector.ts";
import { SIGTERM } from "../process/signals.ts";
import { printfByte, readableWord, shellWord } from "../shell/quoting.ts";
import type { Machine } from "../tmux/machine.ts";
import type { SshLink } from "../tmux/ssh/link.ts";

/** Number of bytes written to a terminal there in one go: without a reader, a pty takes about 4 KiB. */
const CHUNK_BYTES = 4096;

export class RemoteMachine implements Machine {
  readonly host: string;
  readonly inspector: ProcessInspector;
  readonly #link: SshLink;

  constructor(link: SshLink) {
    this.#link = link;
    this.host = link.host;
    this.inspector = new RemoteProcessInspector(() => link.open());
  }

  get tmux(): string | undefined {
    return this.#link.facts?.tmux;
  }

  reach(line: string): string {
    const { options, destination } = this.#link.words;
    return ["ssh", "-t", ...[...options, destination].map(readableWord), shellWord(line)].join(" ");
  }

  async version(): Promise<string> {
    return (await this.#link.open()).facts.version;
  }

  async sockets(): Promise<string[]> {
    const { facts: { socketFolder } } = await this.#link.open();
    const code = `for s in ${shellWord(socketFolder)}/*; do [ -S "$s" ] && printf '%s\\n' "$s"; done`;
    return (await this.#ask(code)).split("\n").filter((path) => path !== "");
  }

  async wouldReplaceFile(socketPath: string): Promise<boolean> {
    const word = shellWord(await this.absolutePath(socketPath));
    const code = `if [ -S ${word} ]; then :; elif [ -e ${word} ] || [ -L ${word} ]; then echo 1; fi`;
    return (await this.#ask(code)).trim() === "1";
  }

  /** Returns the environment, with the first line of each value. */
  async environment(): Promise<Readonly<Record<string, string>>> {
    const lines = (await this.#ask("env")).split("\n").map((line) => /^([A-Za-z_]\w*)=(.*)$/.exec(line));
    return Object.fromEntries(lines.flatMap((found) => found ? [[found[1]!, found[2]!]] : []));
  }

  async absolutePath(path: string): Promise<string> {
    if (path.startsWith("/")) return path;
    const { facts: { home } } = await this.#link.open();
    return isFromHome(path) ? expandHome(path, home) : `${home}/${path}`;
  }

  async folder(path: string): Promise<string | undefined> {
    const absolute = await this.absolutePath(path);
    return (await this.#ask(`[ -d ${shellWord(absolute)} ] && echo 1`)).trim() === "1" ? absolute : undefined;
  }

  async ensurePrivateFile(path: string): Promise<string> {
    const absolute = await this.absolutePath(path);
    const word = shellWord(absolute);
    const made = `[ -e ${word} ] || (umask 077; set -C; : >${word})`;
    const reply = await this.#ask(
      `${made}; [ -d ${word} ] && echo folder; [ -w ${word} ] && echo ok; [ -d "$(dirname -- ${word})" ] || echo none`,
    );
    const refuse = (code: ErrorCode, why: string, hint: string): never => {
      throw new AppError(code, `Cannot write "${path}" on host "${this.host}": ${why}`, { hint });
    };
    if (reply.includes("none")) {
      refuse(
        "not-found",
        "its folder does not exist",
        "Create the folder first, or give a path in one that exists",
      );
    }
    if (reply.includes("folder")) refuse("invalid-argument", "it is a folder", "Give the path of a file");
    if (reply.includes("ok")) return absolute;
    return refuse("denied", "the user there is not allowed to", "Give a path that the user there may write");
  }

  async fileSize(path: string): Promise<number | undefined> {
    const word = shellWord(path);
    const size = (await this.#ask(`[ -f ${word} ] && [ -r ${word} ] && wc -c <${word}`)).trim();
    return size === "" ? undefined : Number(size);
  }

  async terminate(pid: number, startTime: string): Promise<void> {
    if (await this.inspector.startTime(pid) === startTime) await this.#ask(`kill -${SIGTERM} ${Number(pid)}`);
  }

  /** Writes with a shell of its own, given up after a second: a stopped terminal blocks whoever writes to it. */
  async writeTerminal(path: string, bytes: Uint8Array): Promise<number | undefined> {
    const word = shellWord(path);
    let written = 0;
    while (written < bytes.length) {
      const chunk = bytes.subarray(written, written + CHUNK_BYTES);
      const octal = Array.from(chunk, printfByte).join("");
      const write = `(printf %b '${octal}' >${word}) & w=$!`;
      const patience = `(sleep 1; kill $w) & k=$!; wait $w && echo ok; kill $k`;
      const reply = await this.#ask(`[ -w ${word} ] || echo none; ${write}; ${patience}`);
      if (reply.includes("none")) return undefined;
      if (!reply.includes("ok")) break;
      written += chunk.length;
    }
    return written;
  }

  async #ask(code: string): Promise<string> {
    return await (await this.#link.open()).ask(code);
  }
}
