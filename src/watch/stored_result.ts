// Reads results of watches from disk: another version or another program may have written them.
import { isObject } from "../json.ts";
import type { HandedOver } from "./handed_over.ts";
import type { WatchResult } from "./inbox.ts";
import type { PaneState } from "./protocol.ts";

/** Returns a value; undefined if it is not one of its kind. */
type Reader<T> = (value: unknown) => T | undefined;
type Readers<T> = { [Field in keyof T]-?: Reader<NonNullable<T[Field]>> };

const text: Reader<string> = (value) => typeof value === "string" ? value : undefined;
const flag: Reader<boolean> = (value) => typeof value === "boolean" ? value : undefined;
const int: Reader<number> = (value) => Number.isSafeInteger(value) ? value as number : undefined;
const number: Reader<number> = (value) => Number.isFinite(value) ? value as number : undefined;

function oneOf<T>(...words: readonly T[]): Reader<T> {
  return (value) => words.find((word) => word === value);
}

function list<T>(each: Reader<T>): Reader<T[]> {
  return (value) => Array.isArray(value) ? value.map(each).filter((read) => read !== undefined) : undefined;
}

/** Reads the fields that are known, and have their types, of an object that has at least the `needed` ones. */
function object<T extends object>(needed: (keyof T)[], readers: Readers<T>): Reader<T> {
  return (value) => {
    if (!isObject(value)) return undefined;
    const read = Object.entries<Reader<unknown>>(readers).map(([name, read]) => [name, read(value[name])]);
    const known = Object.fromEntries(read.filter(([, each]) => each !== undefined));
    return needed.every((name) => name in known) ? known : undefined;
  };
}

const ending = { exitCode: int, exitSignal: text };

const paneState = object<PaneState>(
  ["panePid", "foregroundPid", "foregroundCmd", "isAlive", "waitingForInput", "inputKind", "evidence"],
  {
    ...ending,
    panePid: int,
    foregroundPid: int,
    foregroundCmd: text,
    isAlive: flag,
    waitingForInput: flag,
    inputKind: oneOf("none", "line", "password", "raw"),
    shell: text,
    evidence: text,
  },
);

const handedOver = object<HandedOver>(["inputKind", "prompt", "seconds", "outcome"], {
  inputKind: oneOf("line", "password", "raw"),
  prompt: text,
  seconds: number,
  outcome: oneOf("answered", "declined", "timeout"),
});

/** Returns what can be kept of a result; undefined if a necessary part is missing or damaged. */
export const readResult: Reader<WatchResult> = object<WatchResult>(
  ["paneId", "event", "detail", "elapsed", "output", "totalLines", "totalBytes"],
  {
    ...ending,
    paneId: text,
    event: text,
    detail: text,
    elapsed: number,
    output: text,
    outputTruncated: flag,
    totalLines: int,
    totalBytes: int,
    cursor: text,
    paneState,
    sessionId: text,
    commandId: text,
    handedOver: list(handedOver),
    hint: text,
  },
);
