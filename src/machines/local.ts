// This machine, as the tmux servers on it need it.
import { resolve } from "@std/path";
import type { Libc } from "../ffi/libc.ts";
import { findTaken } from "../process/linux/listening.ts";
import type { ListeningPort, TakenPort } from "../process/listening.ts";
import type { PaneInspection, PaneProcess, Probe } from "../process/probe.ts";
import type { ProcessInspector, ReadSleep } from "../process/process_inspector.ts";
import { ProcFs } from "../process/linux/procfs.ts";
import { writeTerminal } from "../process/terminal.ts";
import { ensurePrivateFile } from "../tmux/files.ts";
import type { Machine } from "../tmux/machine.ts";
import { readVersion } from "../tmux/version.ts";

export interface LocalMachineOptions {
  libc: Libc;
  probe: Probe;
  bin: string;
  env: Readonly<Record<string, string>>;
  /** The environment of a tmux server that is started; `env` when left out. */
  serverEnv?: Readonly<Record<string, string>> | undefined;
  /** The folder that tmux keeps its sockets in. */
  socketFolder: string;
}

export class LocalMachine implements Machine {
  readonly inspector: ProcessInspector;
  readonly #options: LocalMachineOptions;

  constructor(options: LocalMachineOptions) {
    this.#options = options;
    this.inspector = new LocalSight(options.probe, options.libc);
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

  async wouldLose(socketPath: string): Promise<boolean> {
    const looks = await Promise.allSettled([Deno.stat(socketPath), Deno.lstat(socketPath)]);
    const found = looks.find((look) => look.status === "fulfilled");
    return found !== undefined && !found.value.isSocket;
  }

  environment(): Promise<Readonly<Record<string, string>>> {
    return Promise.resolve(this.#options.serverEnv ?? this.#options.env);
  }

  /** The folder of a path; if it can't be inspected, tmux reports the failure. */
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

/**
 * The clock in which a kernel reports the start of a process, and the milliseconds of its unit. Linux counts ticks, of which
 * `USER_HZ` is 100 everywhere, by CLOCK_BOOTTIME: it keeps counting while a laptop sleeps, as `performance.now()` does not.
 */
const BEGINNINGS: Readonly<Record<string, { clock: number; unitMs: number }>> = {
  linux: { clock: 7, unitMs: 10 },
  darwin: { clock: 0, unitMs: 1000 },
};

/** Linux's number of it. */
const SIGCHLD = 17n;

class LocalSight implements ProcessInspector {
  readonly #probe: Probe;
  readonly #libc: Libc;
  readonly #proc: ProcFs;

  constructor(probe: Probe, libc: Libc) {
    this.#probe = probe;
    this.#libc = libc;
    this.#proc = new ProcFs(libc);
  }

  inspect(pane: PaneProcess): PaneInspection {
    return this.#probe.inspect(pane);
  }

  listening(pane: PaneProcess): readonly ListeningPort[] | undefined {
    const monitor = this.#probe.ports?.(pane);
    const ports = monitor?.look(performance.now());
    monitor?.close();
    return ports;
  }

  taken(port: number): readonly TakenPort[] | undefined {
    return this.#libc.platform.os === "linux" ? findTaken(this.#proc, port) : undefined;
  }

  startTime(pid: number): string | undefined {
    return this.#probe.startTime(pid);
  }

  image(pid: number): string | undefined {
    return this.#probe.image(pid);
  }

  sleeps(pid: number): number | undefined {
    return this.#probe.sleeps(pid);
  }

  ageMs(pid: number): number | undefined {
    const startTime = this.#probe.startTime(pid);
    const counted = BEGINNINGS[this.#libc.platform.os];
    if (startTime === undefined || counted === undefined) return undefined;
    return this.#libc.clock(counted.clock) - Number(startTime) * counted.unitMs;
  }

  sleep(pid: number): ReadSleep | "awake" | undefined {
    const blocked = this.#proc.blockedCall(pid, pid);
    const file = this.#proc.identity(`/proc/${pid}/exe`);
    if (blocked === "hidden" || file === undefined) return undefined;
    const call = blocked && this.#proc.calls?.describe(blocked.number);
    if (blocked === undefined || call?.shape === "other") return "awake";
    const reads = call?.name === "read";
    const began = BigInt(this.#proc.stat(pid)?.stack ?? 0);
    return {
      ...(reads && { wantedBytes: Number(blocked.args[2]) }),
      ...(began > blocked.stack && { depth: Number(began - blocked.stack) }),
      program: file.inode,
    };
  }

  blocksChildren(pid: number): boolean {
    const blocked = /^SigBlk:\s*([\da-f]+)$/m.exec(this.#proc.text(`${pid}/status`) ?? "")?.[1];
    return blocked !== undefined && (BigInt(`0x${blocked}`) >> (SIGCHLD - 1n) & 1n) === 1n;
  }

  readsScript(pid: number): boolean {
    return this.#proc.descriptors(pid).some((fd) => {
      const path = this.#proc.descriptorLink(pid, fd) ?? "";
      if (!path.startsWith("/") || /^\/(dev|proc|sys)\//.test(path)) return false;
      const state = this.#proc.text(`${pid}/fdinfo/${fd}`) ?? "";
      // The last digit is the access mode: 0 is read-only.
      return /^pos:\s*[1-9]\d*\nflags:\s*[0-7]*[04]\n/.test(state);
    });
  }

  /** ksh holds its history open all the time. */
  readsFile(pid: number): boolean {
    return this.#proc.descriptors(pid).some((fd) => {
      const path = this.#proc.descriptorLink(pid, fd) ?? "";
      return path.startsWith("/") && !/^\/(dev|proc|sys)\/|hist(ory)?$/.test(path);
    });
  }
}
