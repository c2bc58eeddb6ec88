// Keeps every answer within its limit, counted as sent, and always reports what was left out.
import { byteLength } from "../bytes.ts";
import { isObject } from "../json.ts";
import { excerptBytes } from "../excerpt.ts";
import type { Content } from "../tool.ts";

/** Bytes reserved for the message around an answer. */
const ENVELOPE_BYTES = 2048;
/** Bytes left for each other result by one that takes more than an equal share. */
const OTHERS_BYTES = 1500;
/** Bytes reserved for the note on what was left out. */
const NOTE_BYTES = 1024;
/** Number of cuts that the note names, and the bytes of their paths, which contain names of any length. */
const NOTED_CUTS = 5;
const NOTED_PATH_BYTES = 80;
const MAX_TRIES = 40;
/** The next attempt aims below the limit, because the kept part may encode to more bytes than the cut part. */
const AIM = 0.95;
/** An object with more keys than any of our schemas has is a table, whose entries can be cut. */
const TABLE_KEYS = 64;

/** A shortened value, what was left out, and the fields that lost it. */
export interface Shortened<T> {
  value: T;
  omitted?: string;
  fields?: ReadonlySet<string>;
}

/** Limits of one client. */
export interface AnswerBudget {
  readonly answerBytes: number;
  /** Part that the client's model reads; with `structuredContent`, the duplicate text can be left out. */
  readonly reads: "structuredContent" | "text";
}

export class AnswerLimit {
  readonly #budget: () => AnswerBudget;
  readonly #most: number;
  /** True if the answer is a part of another, which may even leave no room for it. */
  readonly #isPart: boolean;

  /**
   * @param budget Limits of the client that is being served
   * @param most Maximum bytes of an answer to any client
   */
  constructor(budget: () => AnswerBudget, most: number, isPart = false) {
    this.#budget = budget;
    this.#most = most;
    this.#isPart = isPart;
  }

  get bytes(): number {
    return this.#budget().answerBytes;
  }

  /** Bytes available for the answer itself. */
  get #room(): number {
    return this.bytes - ENVELOPE_BYTES;
  }

  /**
   * Returns the largest answer that fits, as one of `parts` equal parts, from a handler that limits its answer to `max`
   * of something (bytes, rows).
   */
  fit<T>(max: number, view: (max: number) => T | Promise<T>, parts = 1): Promise<T> {
    return this.#fit(max, view, (answer) => this.#bytesOf(answer) * parts);
  }

  /** Does the same for a value that is sent as JSON text. */
  fitJson<T>(max: number, view: (max: number) => T | Promise<T>): Promise<T> {
    return this.#fit(max, view, jsonBytes);
  }

  async #fit<T>(
    max: number,
    view: (max: number) => T | Promise<T>,
    bytes: (answer: T) => number,
  ): Promise<T> {
    const least = this.#isPart ? 0 : 1;
    let most = Math.min(max, this.#room);
    let answer = await view(most);
    for (let size = bytes(answer); size > this.#room && most > least; size = bytes(answer)) {
      most = Math.max(Math.floor(most * AIM * this.#room / size), least);
      answer = await view(most);
    }
    return answer;
  }

  /**
   * Limit of the next of `parts` results that share the room that `beside` leaves in an answer: an equal share, or up
   * to half of the room if that leaves enough for the others. Most results are short.
   */
  share(beside: unknown, parts: number): AnswerLimit {
    const all = Math.max(this.#room - this.#bytesOf(beside), 0);
    const room = Math.floor(Math.max(all / parts, Math.min(all / 2, all - OTHERS_BYTES * (parts - 1))));
    const budget = { ...this.#budget(), answerBytes: room + ENVELOPE_BYTES };
    return new AnswerLimit(() => budget, this.#most, true);
  }

  /** Shortens a value that would be too long as a structured answer with its text; `kept` is cut only as a last resort. */
  structured(value: Record<string, unknown>, kept: ReadonlySet<string>): Shortened<Record<string, unknown>> {
    return this.#shorten(value, (each) => this.#bytesOf(each), { kept });
  }

  /** The text of a structured answer; empty if the client doesn't need it and both would be too long. */
  textBeside(structured: Record<string, unknown>): Content[] {
    const text = JSON.stringify(structured);
    const isLong = byteLength(text) + wireBytes(text) > this.#room;
    return isLong && this.#budget().reads === "structuredContent" ? [] : [{ type: "text", text }];
  }

  /**
   * Bytes of a tool's answer on the wire: text and blocks as they are, anything else, and a text that is
   * part of another answer, as JSON and again as text.
   */
  #bytesOf(answer: unknown): number {
    if (isBlocks(answer) || typeof answer === "string" && !this.#isPart) return wireBytes(answer);
    const json = JSON.stringify(answer);
    const beside = this.#budget().reads === "structuredContent" ? 0 : wireBytes(json);
    return byteLength(json) + beside;
  }

  /** Shortens a value that would be too long as JSON text. */
  json(value: unknown): Shortened<unknown> {
    return this.#shorten(value, jsonBytes);
  }

  /** Keeps the end of a text. */
  text(text: string): Shortened<string> {
    return this.#shorten(text, (each) => this.#bytesOf(each));
  }

  /** The limit that blocks exceed; undefined if they may be sent. Clients' limits apply to text, not to pictures. */
  exceededBy(content: Content[]): number | undefined {
    if (wireBytes(content) > this.#most - ENVELOPE_BYTES) return this.#most;
    return this.takes(content.filter(({ type }) => type === "text")) ? undefined : this.bytes;
  }

  /** As many of these pictures, from the first, as may be sent with an answer. */
  fittingPictures(answer: unknown, pictures: readonly Content[]): Content[] {
    let room = this.#most - ENVELOPE_BYTES - wireBytes(answer);
    return pictures.filter((picture) => (room -= wireBytes(picture)) >= 0);
  }

  /** True if a message with this content may be sent. */
  takes(result: unknown): boolean {
    return wireBytes(result) <= this.#room;
  }

  /** Shortens one of the values that share an answer. */
  part(value: unknown, most: number): Shortened<unknown> {
    return this.#shorten(value, (each) => byteLength(JSON.stringify(each)), { room: most });
  }

  #shorten<T>(
    value: T,
    bytes: (value: unknown) => number,
    { room = this.#room, kept = new Set<string>() }: { room?: number; kept?: ReadonlySet<string> } = {},
  ): Shortened<T> {
    const aim = room - Math.min(NOTE_BYTES, room / 4);
    const cuts = new Map<string, Cut>();
    let short: unknown = value;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const size = bytes(short);
      if (size <= aim) break;
      if (tries === 0 && size <= room) return { value };
      short = cutHeaviest(short, AIM * aim / size, { kept, cuts });
    }
    if (cuts.size === 0) return { value };
    return {
      value: short as T,
      omitted: `Left out: ${describeAll([...cuts.values()])}`,
      fields: new Set([...cuts.keys()].map((path) => path.split(/[.[]/)[0]!)),
    };
  }
}

/** Amount that was left out of one part. */
interface Cut {
  path: string;
  unit: "characters" | "entries";
  left: number;
  of: number;
}

function describeAll(cuts: Cut[]): string {
  const more = cuts.length - NOTED_CUTS;
  const noted = cuts.slice(0, NOTED_CUTS).map(describe).join(", ");
  return more > 0 ? `${noted}, and ${more} more` : noted;
}

function describe({ path, unit, left, of }: Cut): string {
  const where = path === "" ? "" : ` of ${excerptBytes(path, NOTED_PATH_BYTES)}`;
  return unit === "characters" ? `the first ${left} characters${where}` : `${left} of ${of} entries${where}`;
}

/** Cuts the largest parts so that the whole shrinks to about `share` of its size. */
function cutHeaviest(
  value: unknown,
  share: number,
  { kept, cuts }: { kept: ReadonlySet<string>; cuts: Map<string, Cut> },
): unknown {
  const excess = weigh(value) * (1 - share);
  const entries = Object.entries(isObject(value) ? value : {}).filter(([name]) => !kept.has(name));
  if (sumOf(entries.map(([, each]) => weigh(each))) < excess) return cutAt(value, { excess, path: "", cuts });
  return { ...value as object, ...cutAt(Object.fromEntries(entries), { excess, path: "", cuts }) as object };
}

interface Cutting {
  /** Characters of JSON to cut. */
  excess: number;
  path: string;
  cuts: Map<string, Cut>;
}

function cutAt(value: unknown, cutting: Cutting): unknown {
  if (typeof value === "string") return cutText(value, cutting);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const weights = entries.map(([, each]) => weigh(each));
  const total = sumOf(weights);
  const isTable = Array.isArray(value) || entries.length > TABLE_KEYS;
  const dominates = weights.some((each) => each > total / 2);
  // If the values can't lose that much, the keys are long.
  if (isTable ? !dominates : cutting.excess > total) return cutEntries(value, weights, cutting);
  return cutValues(value, weights, cutting);
}

/** Cuts the heaviest values to one weight. */
function cutValues(value: object, weights: number[], { excess, path, cuts }: Cutting): unknown {
  const level = levelOf(weights, excess);
  const isList = Array.isArray(value);
  const cut = Object.entries(value).map(([key, each], at) => {
    if (weights[at]! <= level) return [key, each];
    const inner = isList ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
    return [key, cutAt(each, { excess: weights[at]! - level, path: inner, cuts })];
  });
  return isList ? cut.map(([, each]) => each) : Object.fromEntries(cut);
}

/** The weight to which the heaviest must be cut so that together they lose `excess`. */
function levelOf(weights: number[], excess: number): number {
  const sorted = weights.toSorted((a, b) => b - a);
  let sum = 0;
  for (const [at, weight] of sorted.entries()) {
    sum += weight;
    const level = (sum - excess) / (at + 1);
    if (level >= (sorted[at + 1] ?? 0)) return level;
  }
  return 0;
}

function cutText(text: string, { excess, path, cuts }: Cutting): string {
  const share = Math.max(1 - excess / weigh(text), 0);
  let from = text.length - Math.floor(text.length * share);
  if ((text.charCodeAt(from) & 0xfc00) === 0xdc00) from++;
  const line = text.indexOf("\n", from) + 1;
  if (line > 0 && line - from < (text.length - from) / 2) from = line;
  const before = cuts.get(path)?.left ?? 0;
  cuts.set(path, { path, unit: "characters", left: before + from, of: before + text.length });
  return text.slice(from);
}

function cutEntries(value: object, weights: number[], { excess, path, cuts }: Cutting): unknown {
  const entries = Object.entries(value);
  let kept = entries.length;
  for (let gone = 0; gone < excess && kept > 0; kept--) gone += weights[kept - 1]! + 1;
  const { left = 0, of = entries.length } = cuts.get(path) ?? {};
  cuts.set(path, { path, unit: "entries", left: left + entries.length - kept, of });
  return Array.isArray(value) ? value.slice(0, kept) : Object.fromEntries(entries.slice(0, kept));
}

function sumOf(weights: readonly number[]): number {
  return weights.reduce((sum, each) => sum + each, 0);
}

function weigh(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}

export function isBlocks(answer: unknown): answer is Content[] {
  return Array.isArray(answer);
}

/** Bytes on the wire of a value that is sent as JSON text. */
function jsonBytes(value: unknown): number {
  return wireBytes(JSON.stringify(value));
}

function wireBytes(value: unknown): number {
  return byteLength(JSON.stringify(value));
}
