// Sockets that processes on another machine wait for, and which of them accept connections.

import { listeningInodes } from "../linux/socket_table.ts";

/** Maximum number of sockets that are remembered; the kernel counts inodes up, so that none stands for two sockets. */
const MAX_KNOWN = 4096;

/** Sockets of one inspection; for those that it doesn't know it sends `question`, and then judges again. */
export class RemoteSockets {
  readonly #known: Map<string, boolean>;
  readonly #missing: Map<number, readonly string[]> = new Map();

  /** @param known Inodes of sockets, and if they listen; to be kept for the next inspection */
  constructor(known: Map<string, boolean>) {
    this.#known = known;
  }

  /** Returns those of a process's sockets that are known to listen. */
  listening(pid: number, inodes: readonly string[]): Set<string> {
    const missing = inodes.filter((inode) => !this.#known.has(inode));
    if (missing.length > 0) this.#missing.set(pid, missing);
    return new Set(inodes.filter((inode) => this.#known.get(inode)));
  }

  /** The request to send; undefined if nothing is missing. */
  get question(): string | undefined {
    if (this.#missing.size === 0) return undefined;
    return [...this.#missing.keys()].map((pid) => `tm_listening ${Number(pid)}`).join("\n");
  }

  /** Reads the output of `tm_listening`. */
  take(text: string): void {
    if (this.#missing.size === 0) return;
    const rows = text.replaceAll(/^N /gm, "");
    const listening = listeningInodes(() => rows);
    if (this.#known.size > MAX_KNOWN) this.#known.clear();
    for (const inode of [...this.#missing.values()].flat()) this.#known.set(inode, listening.has(inode));
    this.#missing.clear();
  }
}
