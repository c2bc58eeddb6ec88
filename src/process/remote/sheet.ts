// Output of the script on another machine about one pane, parsed.
import { parseStat, type ProcessStat } from "../linux/procfs.ts";
import { linuxMode, SPECIAL_CHARS, type TerminalMode } from "../terminal.ts";

export interface SheetThread {
  id: string;
  call: string;
  sleepsIn: string;
  set?: Uint8Array;
  /** Lines as `/proc/PID/fdinfo` prints them. */
  members: string[];
}

export interface SheetProcess {
  stat: ProcessStat;
  threads: Map<string, SheetThread>;
  /** Set for a program that passes the terminal on. */
  children: ProcessStat[];
  /** Descriptors of the terminal, and those of /dev/tty. */
  terminal: readonly number[];
  devTty: readonly number[];
  /** Masters of pseudo-terminals: descriptor, and the number of the terminal. */
  masters: ReadonlyMap<number, number>;
  /** Links of sockets and file watchers; none if it doesn't hold the terminal. */
  links: Map<number, string>;
  otherSources: boolean;
  otherReads: boolean;
  descriptors: number;
}

/** Facts of one inspection. */
export interface InspectionSheet {
  pane?: ProcessStat;
  mode?: TerminalMode;
  processes: SheetProcess[];
  argv: string[];
  executable: string;
}

/** Parses a stat line; undefined if the process has ended. */
export function findStat(line: string): ProcessStat | undefined {
  try {
    return parseStat(line);
  } catch {
    return undefined;
  }
}

/** Parses the part of the output after its letter L. */
export function parseSheet(part: string): InspectionSheet {
  const sheet: InspectionSheet = { processes: [], argv: [], executable: "" };
  for (const line of part.split("\n").slice(1)) readLine(line[0] ?? "", line.slice(2), sheet);
  return sheet;
}

function readLine(letter: string, rest: string, sheet: InspectionSheet): void {
  switch (letter) {
    case "P":
      return void Object.assign(sheet, { pane: findStat(rest) });
    case "M":
      return void Object.assign(sheet, readMode(rest));
    case "A":
      sheet.argv = (rest.endsWith("\x01") ? rest.slice(0, -1) : rest).split("\x01");
      return;
    case "X":
      sheet.executable = rest.replace(/ \(deleted\)$/, "");
      return;
    case "S": {
      const stat = findStat(rest);
      return void (stat && sheet.processes.push(newProcess(stat)));
    }
  }
  const process = sheet.processes.at(-1);
  if (process) readProcessLine(letter, rest, process);
}

function newProcess(stat: ProcessStat): SheetProcess {
  return {
    stat,
    threads: new Map(),
    children: [],
    terminal: [],
    devTty: [],
    masters: new Map(),
    links: new Map(),
    otherSources: false,
    otherReads: false,
    descriptors: 0,
  };
}

function readProcessLine(letter: string, rest: string, process: SheetProcess): void {
  if (letter === "F") return void Object.assign(process, readDescriptors(rest));
  if (letter === "K") return void process.links.set(Number.parseInt(rest), rest.slice(rest.indexOf(" ") + 1));
  if (letter !== "C") return readThreadLine(letter, rest, process);
  const child = findStat(rest);
  if (child) process.children.push(child);
}

function readDescriptors(text: string): Partial<SheetProcess> {
  const [terminal = "", devTty = "", masters = "", other, reads, count] = text.split("|");
  return {
    terminal: numbers(terminal),
    devTty: numbers(devTty),
    masters: new Map([...masters.matchAll(/(\d+):(\d+)/g)].map(([, fd, pty]) => [Number(fd), Number(pty)])),
    otherSources: other === "1",
    otherReads: reads === "1" || masters !== "",
    descriptors: Number(count),
  };
}

function readThreadLine(letter: string, rest: string, { threads }: SheetProcess): void {
  if (letter === "T") {
    const [id = "", call = "", sleepsIn = ""] = rest.split("|");
    threads.set(id, { id, call, sleepsIn: sleepsIn === "0" ? "" : sleepsIn, members: [] });
    return;
  }
  const at = rest.indexOf(" ");
  const thread = threads.get(at < 0 ? rest : rest.slice(0, at));
  if (thread && letter === "E") thread.members.push(rest.slice(at + 1));
  if (!thread || letter !== "B" || at < 0) return;
  thread.set = Uint8Array.from(rest.slice(at + 1).trim().split(" "), (hex) => Number.parseInt(hex, 16));
}

/**
 * Parses `stty -g`: hexadecimal words between colons; input flags first, local flags fourth, then the special
 * characters.
 */
function readMode(text: string): { mode?: TerminalMode } {
  const words = text.split(":").map((word) => Number.parseInt(word, 16));
  const [input = NaN, , , local = NaN] = words;
  if (Number.isNaN(input + local)) return {};
  const specialChars = words.slice(4, 4 + SPECIAL_CHARS);
  return { mode: { ...linuxMode({ input, local, specialChars }), pending: 0 } };
}

function numbers(text: string): number[] {
  return text.split(" ").filter((word) => word !== "").map(Number);
}
