// Paste buffers: their names, sizes and contents, and the files that they are read from and written to.
import { concatBytes } from "../../bytes.ts";
import { AppError, hasCode, notFound } from "../../errors.ts";
import { int, type RowOf } from "../columns.ts";
import type { Command, ExecOptions } from "../../tmux_exec/exec.ts";
import { hasWritten } from "../batch_end.ts";
import { tmuxFailure } from "../failures.ts";
import { literal } from "../row_codec.ts";
import { exactFlags } from "./input.ts";
import { checkBufferName } from "../names.ts";
import { spawnClient } from "../spawn.ts";
import type { ServerSnapshot } from "../server_snapshot.ts";
import { newBufferName, pasteCommand } from "../typing/paste.ts";
import { bestEffort } from "../../promises.ts";
import { ServerObjects } from "./server_objects.ts";

const BUFFER = { size: int("#{buffer_size}"), created: int("#{buffer_created}"), name: "#{buffer_name}" };

/** A buffer. `size` is in bytes. */
export type BufferInfo = RowOf<typeof BUFFER>;

/** Absolute path of a file, and the size of the buffer that was read from it or written to it. */
export interface FiledBuffer {
  path: string;
  size: number;
}

/** Longest text (bytes) that tmux itself appends; longer text does not fit on its command line. */
const APPENDED_BYTES = 8192;

export class Buffers extends ServerObjects {
  /** Returns every buffer, newest first; none if no server runs. */
  async list(): Promise<BufferInfo[]> {
    return await this.tmux.rows.list(BUFFER, ["list-buffers"]);
  }

  /** Returns a buffer's bytes. Without a name: the newest's, which tmux from 3.4 on seeks among unnamed ones only. */
  async read(name?: string): Promise<Uint8Array> {
    const newest = name ?? (await this.list())[0]?.name;
    return await this.tmux.runBytes([["save-buffer", ...nameFlags(newest), "-"]]);
  }

  /** Yields a buffer's bytes as they arrive, never all at once; reading can stop at any time. */
  async *stream(name: string): AsyncGenerator<Uint8Array> {
    const client = spawnClient(this.tmux.target, ["save-buffer", ...nameFlags(name), "-"]);
    try {
      let bytes = 0;
      for await (const chunk of client.stdout) {
        bytes += chunk.length;
        yield chunk;
      }
      const [{ code }, stderr] = await Promise.all([client.status, client.stderr]);
      if (!hasWritten({ code, stderr }, bytes)) throw tmuxFailure(stderr, this.tmux.socket);
    } finally {
      await bestEffort(client.stdin.close());
      await client.end();
    }
  }

  /** Creates or replaces a buffer and returns its size. */
  async set(name: string, content: Uint8Array): Promise<number> {
    await checkBufferName(this.tmux, name);
    if (content.length === 0) throw empty(name);
    return await this.#sizeAfter(name, [["load-buffer", "-b", name, "-"]], { stdin: content });
  }

  /** Appends to a buffer, or creates it, and returns its size. */
  async append(name: string, content: Uint8Array): Promise<number> {
    await checkBufferName(this.tmux, name);
    if (content.length === 0) return await this.#sizeOf(name);
    if (content.length <= APPENDED_BYTES && !content.includes(0)) {
      const added = new TextDecoder().decode(content);
      return await this.#sizeAfter(name, [["set-buffer", "-a", "-b", name, "--", added]]);
    }
    const before = await this.read(name).catch((error: unknown) => {
      if (hasCode(error, "not-found")) return new Uint8Array();
      throw error;
    });
    return await this.set(name, concatBytes([before, content]));
  }

  /** Fills a buffer from a file, which tmux's client reads. An empty file leaves it as it was, and is refused. */
  async load(name: string, path: string): Promise<FiledBuffer> {
    await checkBufferName(this.tmux, name);
    const file = await this.tmux.machine.absolutePath(path);
    const load = (buffer: string): Command => ["load-buffer", "-b", buffer, "--", literal(file)];
    try {
      await this.#checkLoads(load, name);
      return { path: file, size: await this.#sizeAfter(name, [load(name)]) };
    } catch (error) {
      throw fileError(error, "read", path);
    }
  }

  /** Loads a buffer of our own, because tmux makes none of an empty file, and says nothing. */
  async #checkLoads(load: (buffer: string) => Command, name: string): Promise<void> {
    const tried = newBufferName();
    await this.tmux.run([load(tried)]);
    await this.delete(tried).catch((error: unknown) => {
      throw hasCode(error, "not-found") ? empty(name) : error;
    });
  }

  /** Writes a buffer to a file that, if new, only its owner can read. */
  async save(name: string, path: string): Promise<FiledBuffer> {
    const size = await this.#sizeOf(name);
    const file = await this.tmux.machine.ensurePrivateFile(path);
    try {
      await this.tmux.run([["save-buffer", "-b", name, "--", literal(file)]]);
    } catch (error) {
      throw fileError(error, "write", path);
    }
    // tmux does not say that a disk is full.
    const written = await this.tmux.machine.fileSize(file);
    if (written !== undefined && written !== size) throw cut(path, { size, written });
    return { path: file, size };
  }

  /** Renames a buffer. Its own name changes nothing; a name in use is refused, because tmux would drop that buffer. */
  async rename(from: string, to: string): Promise<void> {
    await checkBufferName(this.tmux, to);
    const names = new Set((await this.list()).map(({ name }) => name));
    if (!names.has(from)) throw notFound("buffer", from);
    if (from === to) return;
    if (names.has(to)) {
      throw new AppError("invalid-argument", `Cannot rename to "${to}": a buffer has that name`, {
        hint: "Call list-buffers for the names in use",
      });
    }
    await this.tmux.run([["set-buffer", "-b", from, "-n", to]]);
  }

  /** Deletes a buffer, which must exist: tmux 3.2 would delete the newest if none has the name. */
  async delete(name: string): Promise<void> {
    await this.#sizeOf(name);
    await this.tmux.run([["delete-buffer", "-b", name]]);
  }

  /** Pastes a buffer into a pane and returns the buffer's size in bytes. */
  async paste(
    paneId: string,
    name: string,
    { snapshot, bracketed }: { snapshot: ServerSnapshot; bracketed: boolean },
  ): Promise<number> {
    const flags = [...(bracketed ? ["-p"] : []), ...exactFlags(snapshot)];
    return await this.#sizeAfter(name, [
      ["has-session", "-t", paneId],
      pasteCommand({ paneId, buffer: name, flags }),
    ]);
  }

  async #sizeOf(name: string): Promise<number> {
    const found = (await this.list()).find((buffer) => buffer.name === name);
    if (!found) throw notFound("buffer", name);
    return found.size;
  }

  /** Runs commands and, in the same batch, reads the buffer's size afterwards. */
  async #sizeAfter(name: string, commands: readonly Command[], options: ExecOptions = {}): Promise<number> {
    const { codec } = this.tmux;
    const printed = await this.tmux.run([...commands, ["list-buffers", "-F", codec.format(BUFFER)]], options);
    const buffer = codec.parse(BUFFER, printed).find((buffer) => buffer.name === name);
    if (!buffer) throw empty(name);
    return buffer.size;
  }
}

function nameFlags(name: string | undefined): string[] {
  return name === undefined ? [] : ["-b", name];
}

function empty(name: string): AppError {
  return new AppError("invalid-argument", `Cannot make buffer "${name}" empty: tmux keeps no empty buffers`, {
    hint: "Call delete-buffer to remove it",
  });
}

function cut(path: string, { size, written }: { size: number; written: number }): AppError {
  return new AppError("tmux-error", `Cannot write all of "${path}": ${written} of ${size} bytes are there`, {
    hint: "Free space on its disk, or give a path on another",
  });
}

function fileError(error: unknown, verb: "read" | "write", path: string): unknown {
  if (!hasCode(error, "tmux-error")) return error;
  const [, reason] = /: ((?:No such file|Permission|Is a dir|Not a dir)[^:]*)/.exec(error.message) ?? [];
  if (reason === undefined) return error;
  const code = reason.startsWith("No such") ? "not-found" : "invalid-argument";
  return new AppError(code, `Cannot ${verb} "${path}": ${reason.toLowerCase()}`, {
    hint: `Give the absolute path of a file that this server may ${verb}`,
  });
}
