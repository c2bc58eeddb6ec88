// Typing into panes: keys, bytes and pastes, none of which tmux may read as its own syntax.
import { delay } from "../../timer.ts";
import { AppError, notFound } from "../../errors.ts";
import { didYouMean } from "../../nearest.ts";
import type { Command, ExecOptions } from "../../tmux_exec/exec.ts";
import { refuseChanged } from "../typing/changed_panes.ts";
import { refuseHandedOver } from "../typing/handed_over_panes.ts";
import {
  isKeyName,
  isNamedKey,
  KEY_NAMES,
  keyNamedElsewhere,
  type KeySending,
  substituteFor,
} from "../typing/key_names.ts";
import { typeInNoMode } from "../typing/pane_mode.ts";
import { newBufferName, pasteOnce } from "../typing/paste.ts";
import type { ServerSnapshot } from "../server_snapshot.ts";
import { batchesOf } from "../typing/input_batches.ts";
import { isAtLeast } from "../../tmux_exec/version.ts";
import { ServerObjects } from "./server_objects.ts";

/** Longest text (bytes) that is typed key by key; longer text is pasted, which takes one command. */
const TYPED_BYTES = 4096;
const RUN_CHARS = 2000;
/** Longest text (bytes) that is passed with a command; tmux reads longer text as a client's input. */
const ARGUMENT_BYTES = 8000;
/** Maximum number of bytes in one `send-keys -H`, which takes quadratic time in its arguments. */
const HEX_BYTES = 200;
const MAX_KEYS = 10_000;
const MAX_TEXT_CHARS = 16 * 1024 * 1024;

/** Input to type: a sequence of keys by name, or text. */
export type TypedInput = { keys: readonly string[] } | { text: string };

export interface TypeOptions {
  /** The snapshot on which the call was allowed (`targets`). */
  snapshot: ServerSnapshot;
  /** Number of times that the whole input is typed. */
  repeat?: number;
  enter?: boolean;
  /** Commands that run in the same step as the end of the text, so that no killed process leaves one without the other. */
  noting?: readonly Command[];
  delayMs?: number | undefined;
  /** Called before each of these keys with all panes that get it; throws if one may not get it any more. */
  mayType?: ((paneIds: readonly string[]) => Promise<void>) | undefined;
  signal?: AbortSignal | undefined;
}

export interface PasteOptions {
  snapshot: ServerSnapshot;
  /** Mark the text as a paste if the program asked for that. */
  bracketed: boolean;
  enter: boolean;
  noting?: readonly Command[];
}

/** Types into a pane. The caller has checked that the pane is alive and in no mode. */
export class Input extends ServerObjects {
  /**
   * Returns the other panes that receive what is typed into `paneId`, because they are synchronized.
   * @throws {AppError} `not-found`
   */
  alsoTyped(snapshot: ServerSnapshot, paneId: string): string[] {
    const pane = snapshot.panes.find((pane) => pane.paneId === paneId);
    if (!pane) throw notFound("pane", paneId);
    if (!pane.synchronized) return [];
    const others = snapshot.panes.filter((other) =>
      other.windowId === pane.windowId && other.paneId !== paneId && other.synchronized && other.visible &&
      !other.dead && other.mode === "" && !other.inputOff
    );
    return [...new Set(others.map((other) => other.paneId))];
  }

  /**
   * Returns the key names of a space-separated list.
   * @throws {AppError} `invalid-argument` for any other word, and for a key that tmux can't send to the pane
   */
  parseKeys(words: string, sending: KeySending): string[] {
    const names = words.split(/\s+/).filter((word) => word !== "");
    const unknown = names.length === 0 && words !== "" ? words : names.find((name) => !isKeyName(name));
    if (unknown === undefined) {
      for (const name of names) checkSent(name, sending);
      return names;
    }
    const meant = keyNamedElsewhere(unknown);
    const what = `Cannot press ${JSON.stringify(unknown)}: tmux has no such key`;
    throw new AppError("invalid-argument", what, {
      hint: (meant === undefined ? didYouMean(unknown, KEY_NAMES) : `Did you mean ${meant}? `) +
        "Use key names such as Enter, C-c, M-x, F5, BSpace, Up; literal: true types text as it is",
    });
  }

  /** True if the text reads like key names (`C-c`, `Up Up`) rather than like text to type. */
  looksLikeKeys(text: string): boolean {
    const words = text.trim().split(/\s+/);
    return words.every(isNamedKey);
  }

  /**
   * Presses keys, or types text so that its bytes arrive exactly.
   * @returns the other panes that received the same, because they are synchronized
   */
  async type(paneId: string, typing: TypedInput, options: TypeOptions): Promise<string[]> {
    const { snapshot, repeat = 1, enter = false, noting = [], delayMs = 0 } = options;
    const alsoTyped = this.alsoTyped(snapshot, paneId);
    const last = [...(enter ? [pressCommand(paneId, ["Enter"])] : []), ...noting];
    if (delayMs > 0) {
      const paneIds = [paneId, ...alsoTyped];
      await this.#paced([...strokes(paneId, typing, repeat), ...last], { ...options, paneIds, delayMs });
    } else if ("keys" in typing) {
      await this.#batches(paneId, [...pressCommands(paneId, typing.keys, repeat), ...last], snapshot);
    } else {
      checkCount(typing.text.length * repeat, MAX_TEXT_CHARS);
      const text = typing.text.repeat(repeat);
      const bytes = new TextEncoder().encode(text);
      // Synchronized panes get keys only, not pastes.
      if (bytes.length > TYPED_BYTES && alsoTyped.length === 0) {
        await this.#throughBuffer(paneId, bytes, { snapshot, last, flags: ["-r"] });
      } else {
        await this.#batches(paneId, [...typeCommands(paneId, text), ...last], snapshot);
      }
    }
    return alsoTyped;
  }

  /** Sends bytes as they are, including NUL; returns the same as `type`. */
  async bytes(paneId: string, bytes: Uint8Array, snapshot: ServerSnapshot): Promise<string[]> {
    const alsoTyped = this.alsoTyped(snapshot, paneId);
    if (bytes.length > TYPED_BYTES && alsoTyped.length === 0) {
      await this.#throughBuffer(paneId, bytes, { snapshot, last: [], flags: ["-r"] });
    } else {
      await this.#batches(paneId, hexCommands(paneId, bytes), snapshot);
    }
    return alsoTyped;
  }

  /** Pastes into this pane alone, as a terminal would: a newline, LF or CR LF, arrives as one Return. */
  async paste(paneId: string, text: string, options: PasteOptions): Promise<void> {
    const { snapshot, bracketed, enter, noting = [] } = options;
    // Enter is pasted too: a pressed Enter would reach synchronized panes.
    const last = [...(enter ? this.#pasteCommands(paneId, "\r", snapshot) : []), ...noting];
    if (text === "") return await this.#batches(paneId, last, snapshot);
    const bytes = new TextEncoder().encode(text.replaceAll("\r\n", "\n"));
    await this.#throughBuffer(paneId, bytes, { snapshot, last, flags: bracketed ? ["-p"] : [] });
  }

  /** Puts text into a pane's input as it is, with newlines, unless its program has ended. `run` gets short text. */
  async feed(paneId: string, text: string, run: (...commands: Command[]) => Promise<unknown>): Promise<void> {
    const buffer = newBufferName();
    const { verified, version = verified?.version } = this.tmux.target;
    const flags = ["-r", ...(version === undefined ? [] : exactFlags({ version }))];
    const paste = pasteOnce({ paneId, buffer, flags });
    const bytes = new TextEncoder().encode(text);
    if (bytes.length <= ARGUMENT_BYTES) {
      await run(["set-buffer", "-b", buffer, "--", text], ...paste);
    } else await this.tmux.run([["load-buffer", "-b", buffer, "-"], ...paste], { stdin: bytes });
  }

  #pasteCommands(paneId: string, text: string, snapshot: ServerSnapshot): Command[] {
    const name = newBufferName();
    return [
      ["set-buffer", "-b", name, "--", text],
      ...pasteOnce({ paneId, buffer: name, flags: ["-r", ...exactFlags(snapshot)] }),
    ];
  }

  async #throughBuffer(
    paneId: string,
    bytes: Uint8Array,
    { snapshot, last, flags }: { snapshot: ServerSnapshot; last: Command[]; flags: string[] },
  ): Promise<void> {
    const name = newBufferName();
    const pasting = [
      ["load-buffer", "-b", name, "-"],
      ...pasteOnce({ paneId, buffer: name, flags: [...flags, ...exactFlags(snapshot)] }),
      ...last,
    ];
    await this.#type(paneId, pasting, { snapshot, stdin: bytes });
  }

  async #batches(paneId: string, commands: readonly Command[], snapshot: ServerSnapshot): Promise<void> {
    for (const batch of batchesOf(commands)) await this.#type(paneId, batch, { snapshot });
    if (commands.length === 0) await this.#type(paneId, [], { snapshot });
  }

  async #type(
    paneId: string,
    commands: readonly Command[],
    { snapshot, ...options }: ExecOptions & Pick<TypeOptions, "snapshot">,
  ): Promise<void> {
    const pane = snapshot.panes.find((pane) => pane.paneId === paneId)!;
    const first = [["has-session", "-t", paneId], refuseHandedOver(pane), refuseChanged(pane)];
    await typeInNoMode(paneId, (...before) => this.tmux.run([...first, ...before, ...commands], options));
  }

  async #paced(
    strokes: readonly Command[],
    { paneIds, delayMs, mayType, signal, snapshot }: TypeOptions & { paneIds: string[] },
  ): Promise<void> {
    for (const [index, stroke] of strokes.entries()) {
      if (index > 0) await delay(delayMs!, signal);
      signal?.throwIfAborted();
      try {
        await mayType?.(paneIds);
        await this.#batches(paneIds[0]!, [stroke], snapshot);
      } catch (error) {
        throw index > 0 ? cutShort(error, `${index} of ${strokes.length} keys were typed`) : error;
      }
    }
  }
}

function cutShort(error: unknown, typed: string): unknown {
  if (!(error instanceof AppError)) return error;
  const { code, message, hint } = error;
  return new AppError(code, `${message}; ${typed}`, { cause: error, ...(hint !== undefined && { hint }) });
}

/** Flags that keep a paste exact: from 3.7 on it shows control characters as escapes unless `-S` is given. */
export function exactFlags({ version }: Pick<ServerSnapshot, "version">): string[] {
  return isAtLeast(version, 3, 7) ? ["-S"] : [];
}

function checkCount(count: number, limit: number): void {
  if (count <= limit) return;
  throw new AppError("invalid-argument", `Cannot type that much at once: ${count} is over ${limit}`, {
    hint: "Split it into several calls",
  });
}

/** @throws {AppError} `invalid-argument` for a key that tmux can't send to the pane */
function checkSent(name: string, sending: KeySending): void {
  const substitute = substituteFor(name, sending);
  if (substitute === undefined) return;
  const { version } = sending;
  const isExtended = isAtLeast(version, 3, 5) &&
    substituteFor(name, { version, keyMode: "Ext 2" }) === undefined;
  throw new AppError(
    "invalid-argument",
    `Cannot press ${JSON.stringify(name)}: tmux ${version} ` +
      (isExtended ? "sends it as an extended key only, which this pane does not get" : "cannot send it"),
    {
      hint: substitute === ""
        ? "Send the bytes that the program expects with send-hex"
        : `Press ${substitute} instead`,
    },
  );
}

function pressCommand(paneId: string, names: readonly string[]): Command {
  return ["send-keys", "-t", paneId, "--", ...names];
}

function pressCommands(paneId: string, names: readonly string[], repeat: number): Command[] {
  checkCount(names.length * repeat, MAX_KEYS);
  const all = Array.from({ length: repeat }, () => names).flat();
  return chunks(all, HEX_BYTES).map((part) => pressCommand(paneId, part));
}

/** Types printable ASCII as text, and the rest as bytes, because tmux would drop or rewrite some of it. */
function typeCommands(paneId: string, text: string): Command[] {
  return [...text.matchAll(/[ -~]+|[^ -~]+/g)].flatMap(([run]) =>
    /^[ -~]/.test(run)
      ? chunks(run, RUN_CHARS).map((part) => ["send-keys", "-t", paneId, "-l", "--", part])
      : hexCommands(paneId, new TextEncoder().encode(run))
  );
}

function hexCommands(paneId: string, bytes: Uint8Array): Command[] {
  return chunks(bytes, HEX_BYTES).map((part) => [
    ...["send-keys", "-t", paneId, "-H"],
    ...Array.from(part, (byte) => byte.toString(16).padStart(2, "0")),
  ]);
}

/** Returns one command for each key or character. */
function strokes(paneId: string, typing: TypedInput, repeat: number): Command[] {
  const once = "keys" in typing
    ? typing.keys.map((name) => pressCommand(paneId, [name]))
    : Array.from(typing.text).flatMap((character) => typeCommands(paneId, character));
  checkCount(once.length * repeat, MAX_KEYS);
  return Array.from({ length: repeat }, () => once).flat();
}

function chunks<T extends { length: number; slice(start: number, end: number): T }>(
  all: T,
  size: number,
): T[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}
