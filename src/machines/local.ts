// This machine, as the tmux servers on it need it.
import { resolve } from "@std/path";
import type { Libc } from "../ffi/libc.ts";
import { ProcFs } from "../process/linux/procfs.ts";
import type { WaitDepths } from "../process/probe.ts";
import type { ProcessInspector } from "../process/process_inspector.ts";
import { UNSEEN } from "../process/unseen.ts";
import { SIGTERM } from "../process/signals.ts";
import { writeTerminal } from "../process/terminal.ts";
import type { Machine } from "../tmux/machine.ts";
import { readVersion } from "../tmux/program_version.ts";
import { unwritable } from "../errors.ts";
import { expandHome } from "../home_folder.ts";
import { temporaryFolder } from "../temporary_folder.ts";
import { bestEffort } from "../promises.ts";
import { copiedNames, measureCopy } from "./shell_copy.ts";

export interface LocalMachineOptions {
  libc: Libc;
  inspector: ProcessInspector;
  bin: string;
  env: Readonly<Record<string, string>>;
  /** Environment for a tmux server that is started; if left out, `env`. */
  serverEnv?: Readonly<Record<string, string>> | undefined;
  socketFolder: string;
}

export class LocalMachine implements Machine {
  readonly inspector: ProcessInspector;
  readonly #options: LocalMachineOptions;

  constructor(options: LocalMachineOptions) {
    this.#options = options;
    this.inspector = options.inspector;
  }

  get tmux(): string | undefined {
    const { bin } = this.#options;
    return bin.includes("/") ? resolve(bin) : undefined;
  }

  async measureShell(shell: string, program: string): Promise<readonly WaitDepths[]> {
    const { bin, env } = this.#options;
    const path = this.#find(copiedNames(shell), program);
    if (path === undefined) return [];
    const folder = await Deno.makeTempDir({ dir: temporaryFolder(env), prefix: "tmux-mcp-shell-" });
    const { PATH = "", LANG = "", LC_ALL = "" } = env;
    const target = { bin, env: { PATH, LANG, LC_ALL, HOME: folder } };
    return await measureCopy(shell, path, { target, inspector: this.inspector, folder }).finally(() =>
      bestEffort(Deno.remove(folder, { recursive: true }))
    );
  }

  /** Returns the path in `PATH` of a program's file: what a pane runs from elsewhere is not for us to run. */
  #find(names: readonly string[], program: string): string | undefined {
    const proc = new ProcFs(this.#options.libc);
    const folders = (this.#options.env["PATH"] ?? "").split(":").filter((folder) => folder.startsWith("/"));
    const paths = folders.flatMap((folder) => names.map((name) => `${folder}/${name}`));
    return paths.find((path) => proc.identity(path)?.inode === program);
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

  /** Returns the absolute path of a folder, also below `~`; any path counts where the server itself may read none. */
  async folder(path: string): Promise<string | undefined> {
    const absolute = resolve(expandHome(path, this.#options.env["HOME"]));
    const { isDirectory } = await Deno.stat(absolute).catch((error) => ({
      isDirectory: error instanceof Deno.errors.NotCapable,
    }));
    return isDirectory ? absolute : undefined;
  }

  /** tmux would let everyone read a file that it creates. */
  async ensurePrivateFile(path: string): Promise<string> {
    const absolute = resolve(path);
    try {
      (await Deno.open(absolute, { write: true, createNew: true, mode: 0o600 })).close();
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw unwritable(path, error);
      await checkWritable(path, absolute);
    }
    return absolute;
  }

  async fileSize(path: string): Promise<number | undefined> {
    const { isFile, size } = await Deno.stat(path).catch(() => ({ isFile: false, size: 0 }));
    return isFile ? size : undefined;
  }

  async terminate(pid: number, startTime: string): Promise<void> {
    if (await this.inspector.startTime(pid) === startTime) this.#options.libc.kill(pid, SIGTERM);
  }

  // deno-lint-ignore require-await
  async writeTerminal(path: string, bytes: Uint8Array): Promise<number | undefined> {
    return writeTerminal(this.#options.libc, path, bytes);
  }
}

/** This machine for a tmux server in another pid namespace, whose processes and terminals can't be reached. */
export class UnseenMachine extends LocalMachine {
  override readonly inspector: ProcessInspector = UNSEEN;

  override writeTerminal(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

/** Checks before tmux does: a program that tmux starts reports no failure to open a file. */
async function checkWritable(path: string, absolute: string): Promise<void> {
  const there = await Deno.stat(absolute).catch(() => undefined);
  if (there?.isDirectory) throw unwritable(path, new Error("it is a folder"));
  if (!there?.isFile) return;
  const file = await Deno.open(absolute, { append: true }).catch((error) => {
    throw unwritable(path, error);
  });
  file.close();
}
