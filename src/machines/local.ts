// This machine, as the tmux servers on it need it.
import { resolve } from "@std/path";
import type { Libc } from "../ffi/libc.ts";
import { LocalProcessInspector } from "../process/local_process_inspector.ts";
import type { Probe } from "../process/probe.ts";
import type { ProcessInspector } from "../process/process_inspector.ts";
import { writeTerminal } from "../process/terminal.ts";
import { ensurePrivateFile } from "../tmux/files.ts";
import type { Machine } from "../tmux/machine.ts";
import { readVersion } from "../tmux/program_version.ts";

export interface LocalMachineOptions {
  libc: Libc;
  probe: Probe;
  bin: string;
  env: Readonly<Record<string, string>>;
  /** Environment for a tmux server that is started; if left out, `env`. */
  serverEnv?: Readonly<Record<string, string>> | undefined;
  /** Folder in which tmux keeps its sockets. */
  socketFolder: string;
}

export class LocalMachine implements Machine {
  readonly inspector: ProcessInspector;
  readonly #options: LocalMachineOptions;

  constructor(options: LocalMachineOptions) {
    this.#options = options;
    this.inspector = new LocalProcessInspector(options.probe, options.libc);
  }

  version(): Promise<string> {
    return readVersion(this.#options);
  }

  async sockets(): Promise<string[]> {
    const { socketFolder } = this.#options;
    try {
      const entries = await Array.fromAsync(Deno.readDir(socketFolder));
      return entries.filter((entry) => !entry.isDirectory).map(({ name }) => `${socketFolder}/${name}`)
        .sort();
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      throw error;
    }
  }

  async wouldReplaceFile(socketPath: string): Promise<boolean> {
    const stats = await Promise.allSettled([Deno.stat(socketPath), Deno.lstat(socketPath)]);
    const found = stats.find((stat) => stat.status === "fulfilled");
    return found !== undefined && !found.value.isSocket;
  }

  environment(): Promise<Readonly<Record<string, string>>> {
    return Promise.resolve(this.#options.serverEnv ?? this.#options.env);
  }

  absolutePath(path: string): Promise<string> {
    return Promise.resolve(resolve(path));
  }

  /** Returns the absolute path of a folder; if it can't be inspected, tmux reports the failure. */
  async folder(path: string): Promise<string | undefined> {
    const absolute = resolve(path);
    try {
      return (await Deno.stat(absolute)).isDirectory ? absolute : undefined;
    } catch (error) {
      const isMissing = error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
      return isMissing ? undefined : absolute;
    }
  }

  ensurePrivateFile(path: string): Promise<string> {
    return ensurePrivateFile(path);
  }

  // deno-lint-ignore require-await
  async writeTerminal(path: string, bytes: Uint8Array): Promise<number | undefined> {
    return writeTerminal(this.#options.libc, path, bytes);
  }
}
