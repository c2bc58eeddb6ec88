// Linux: the line that a shell's line editor holds, read from the shell's memory.
import type { Libc } from "../../ffi/libc.ts";
import { GlobalVariables } from "./global_variables.ts";
import type { EditedLine } from "../process_inspector.ts";
import type { ProcFs } from "./procfs.ts";

/**
 * readline's `RL_STATE_READCMD`: it waits for the first byte of a key that has a meaning of its own. After Ctrl-C, bits
 * of what that interrupted (a search, a key of two) stay set until the shell ends.
 */
const READS_KEY = 0x8;
/** readline's keymaps in which most keys insert themselves. */
const READLINE_INSERTING = ["emacs_standard_keymap", "vi_insertion_keymap"] as const;
/** Longest name of a keymap of zsh that matters here. */
const NAME_BYTES = 8;
/** zsh's keymaps in which most keys insert themselves; `main` is another name for one of the others. */
const ZLE_INSERTING = ["main", "emacs", "viins"];
/**
 * Variables of zsh's line editor that are 0 while it waits for the first byte of a key that has a meaning of its own:
 * keys of a sequence, a movement of vi, recursive editing, keys to read again, a numeric argument, a search.
 */
const ZLE_COUNTS = [
  "isearch_active",
  "keybuflen",
  "virangeflag",
  "zle_recursive",
  "kungetct",
  "zmod",
] as const;
/** Pointers that are 0 then: a menu's keymap, a completion, a line that asks for a name. */
const ZLE_POINTERS = ["localkeymap", "zlemetaline", "statusline"] as const;

const LINE_BREAK = 10;
/** zsh's `ZLCON_LINE_CONT`: the line is not the first of its command. */
const ZLE_CONTINUES = 1;

const DECODER = new TextDecoder();

export class LineEditors {
  readonly #libc: Libc;
  readonly #proc: ProcFs;
  readonly #readline;
  readonly #zle;

  constructor(libc: Libc, proc: ProcFs) {
    this.#libc = libc;
    this.#proc = proc;
    this.#readline = new GlobalVariables(proc, [
      "rl_end",
      "rl_line_buffer",
      "rl_readline_state",
      "_rl_keymap",
      "current_prompt_string",
      "ps1_prompt",
      ...READLINE_INSERTING,
    ]);
    this.#zle = new GlobalVariables(proc, [
      "zlell",
      "zlecontext",
      "curkeymapname",
      ...ZLE_COUNTS,
      ...ZLE_POINTERS,
    ], "zle.so");
  }

  /** Reads the line of a shell at its terminal; undefined if it can't be known. */
  read(pid: number, { shell, tty }: { shell: string; tty: string }): EditedLine | undefined {
    const isRead = shell === "bash" || shell === "zsh";
    if (!isRead) return undefined;
    const hasInput = this.#hasInput(tty);
    if (hasInput === undefined) return undefined;
    // A shell that sleeps while its terminal holds nothing has done all that the keys so far made it do.
    if (hasInput || this.#proc.stat(pid)?.state !== "S") return "changing";
    return shell === "bash" ? this.#readReadline(pid) : this.#readZle(pid);
  }

  #readReadline(pid: number): EditedLine | undefined {
    const values = this.#readline.read(pid);
    if (values === undefined) return undefined;
    if (values.pointer("current_prompt_string") !== values.pointer("ps1_prompt")) return "continued";
    const length = values.int("rl_end");
    // ble.sh keeps its line elsewhere, and leaves a line break here after each key.
    const only = length === 1 ? this.#proc.memory(pid, values.pointer("rl_line_buffer"), 1)?.[0] : undefined;
    if (only === LINE_BREAK) return undefined;
    if (length > 0) return "begun";
    const keymap = values.pointer("_rl_keymap");
    const inserts = READLINE_INSERTING.some((name) => values.address(name) === keymap);
    return inserts && (values.int("rl_readline_state") & READS_KEY) !== 0 ? "empty" : undefined;
  }

  #readZle(pid: number): EditedLine | undefined {
    const values = this.#zle.read(pid);
    if (values === undefined) return undefined;
    if (values.int("zlecontext") === ZLE_CONTINUES) return "continued";
    if (values.int("zlell") > 0) return "begun";
    const isIdle = ZLE_COUNTS.every((name) => values.int(name) === 0) &&
      ZLE_POINTERS.every((name) => values.pointer(name) === 0n);
    const name = isIdle ? this.#proc.memory(pid, values.pointer("curkeymapname"), NAME_BYTES) : undefined;
    return ZLE_INSERTING.includes(DECODER.decode(name).split("\0", 1)[0]!) ? "empty" : undefined;
  }

  /**
   * True if the terminal holds keys that nobody has read. The kernel passes on what was written to the other end before
   * poll(2) returns; a count of bytes (FIONREAD) would not wait for that. Undefined if it can't be opened.
   */
  #hasInput(tty: string): boolean | undefined {
    const fd = this.#libc.open(tty);
    if (fd < 0) return undefined;
    const isReadable = this.#libc.isReadable(fd);
    this.#libc.close(fd);
    return isReadable !== false;
  }
}
