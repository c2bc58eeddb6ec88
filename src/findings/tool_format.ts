// A tool's format of findings as data: the line that begins a finding, and the lines around it that add fields.
import type { FindingReader, Severity, ToolFinding } from "./finding.ts";

/** Named groups of its patterns: `file`, `line`, `column`, `severity`, `code`, `message`, `title` (a part of `code`). */
export interface ToolFormat {
  source: string;
  /** A line that begins a finding. */
  begin: RegExp;
  /** Lines that don't begin a finding although `begin` matches. */
  except?: RegExp;
  /** Later lines that add missing fields. */
  more?: readonly RegExp[];
  /** Later lines of which the last match counts, not the first. */
  lastOf?: RegExp;
  /** Later lines that continue the message. */
  joins?: RegExp;
  /** Later lines that begin and end a part of the source, in which no fields are. */
  quotes?: { from: RegExp; to: RegExp };
  /** Number of lines after `begin` that still belong to it. */
  within?: number;
  /** Later line that cancels the finding. */
  unless?: RegExp;
  /** Line after which the place and the message are repeated; the later ones count. */
  continues?: RegExp;
  /** A line counts as the message only once the file is known, except for `Error: …`. */
  fileFirst?: boolean;
  /** Required fields. */
  needs?: readonly ("file" | "message" | "confirmed")[];
  /** Line that confirms the finding. */
  confirm?: RegExp;
  /** The format is read only between a line like this and one like `to`. */
  from?: RegExp;
  to?: RegExp;
  /** Line after which a format without `from` is read again. */
  again?: RegExp;
  /** Line that names the file of the following findings, and line that ends these. */
  head?: RegExp;
  headless?: RegExp;
  /** Line before one like `head`, without which that does not count. */
  headAfter?: RegExp;
  /** True if a line like `head` counts only if a finding begins in the next one. */
  headAdjoins?: boolean;
  severity?: Severity;
  /** True if the tool's first column is 0. */
  countsFromZero?: boolean;
  /** True if the tool may print a finding more than once. */
  repeats?: boolean;
}

type Groups = Readonly<Record<string, string | undefined>>;

interface Open {
  finding: Partial<ToolFinding> & { offset: number };
  titles: string[];
  /** Error in a line before the file, which may never come. */
  early?: string | undefined;
  age: number;
  isConfirmed: boolean;
  isQuoting: boolean;
}

const SEVERITIES: Readonly<Record<string, Severity>> = {
  "warning": "warning",
  "warn": "warning",
  "w": "warning",
  "!": "warning",
  "⚠": "warning",
  "deprecation warning": "warning",
  "info": "info",
  "information": "info",
  "i": "info",
  "ℹ": "info",
  // pylint: conventions and proposals to refactor.
  "c": "info",
  "r": "info",
  "note": "info",
  "style": "info",
};

const ERROR_NAME = /^[\w.]*(?:Error|Exception)\b/;

export class FormatReader implements FindingReader {
  readonly #format: ToolFormat;
  readonly #found: ToolFinding[] = [];
  readonly #seen: Set<string> | undefined;
  #open: Open | undefined;
  #isOn: boolean;
  #head: Groups = {};
  #adjoining: Groups | undefined;
  #before = "";

  constructor(format: ToolFormat) {
    this.#format = format;
    this.#isOn = format.from === undefined;
    this.#seen = format.repeats ? new Set() : undefined;
  }

  read(text: string, offset: number): void {
    this.#readLine(text, offset);
    this.#before = text;
  }

  #readLine(text: string, offset: number): void {
    const { from, to, again, begin, except } = this.#format;
    if (!this.#isOn) {
      this.#isOn = (from ?? again)?.test(text) === true;
      return;
    }
    if (to?.test(text)) {
      this.#close();
      this.#isOn = false;
      return;
    }
    const match = begin.exec(text);
    if (match && !except?.test(text)) return this.#begin(text, match.groups ?? {}, offset);
    this.#readHead(text);
    if (this.#format.continues?.test(text)) this.#forget();
    else if (this.#open) this.#add(this.#open, text);
  }

  end(): ToolFinding[] {
    this.#close();
    return this.#found;
  }

  #readHead(text: string): void {
    const { head, headAfter, headless, headAdjoins } = this.#format;
    const groups = headAfter?.test(this.#before) === false ? undefined : head?.exec(text)?.groups;
    this.#adjoining = headAdjoins ? groups : undefined;
    if (this.#adjoining || (groups === undefined && headless?.test(text) !== true)) return;
    this.#close();
    this.#head = groups ?? {};
  }

  #begin(text: string, groups: Groups, offset: number): void {
    const { head, within = 0 } = this.#format;
    this.#close();
    this.#head = this.#adjoining ?? this.#head;
    this.#adjoining = undefined;
    if (head !== undefined && (groups["file"] ?? this.#head["file"]) === undefined) return;
    this.#open = { finding: { offset }, titles: [], age: 0, isConfirmed: false, isQuoting: false };
    this.#fill(this.#open, { ...this.#head, ...definedOf(groups) });
    const caret = text.indexOf("^");
    if (caret >= 0 && this.#head["line"] !== undefined) this.#open.finding.column ??= caret + 1;
    if (within === 0) this.#close();
  }

  #add(open: Open, text: string): void {
    const { lastOf, within = 0, unless, confirm } = this.#format;
    if (unless?.test(text)) {
      this.#open = undefined;
      return;
    }
    if (confirm?.test(text)) open.isConfirmed = true;
    const last = lastOf?.exec(text)?.groups;
    if (last) Object.assign(open.finding, fieldsOf(last));
    this.#addFields(open, text);
    const isWhole = lastOf !== undefined && open.finding.message !== undefined;
    if (++open.age >= within || open.isConfirmed || isWhole) this.#close();
  }

  #addFields(open: Open, text: string): void {
    const { more = [], joins, quotes } = this.#format;
    open.isQuoting = open.isQuoting ? quotes?.to.test(text) === false : quotes?.from.test(text) === true;
    if (open.isQuoting) return;
    if (open.finding.message !== undefined && joins?.test(text)) {
      open.finding.message += ` ${text.trim()}`;
      return;
    }
    for (const pattern of more) {
      const groups = pattern.exec(text)?.groups;
      if (groups && this.#fill(open, groups)) break;
    }
  }

  /** Drops a traceback whose outcome the next one shows. */
  #forget(): void {
    if (!this.#open) return void this.#found.pop();
    const { file: _, line: __, column: ___, message: ____, ...kept } = this.#open.finding;
    this.#open.finding = kept;
  }

  /** Adds missing fields; file, line and column belong together. */
  #fill(open: Open, groups: Groups): boolean {
    const { finding, titles } = open;
    // Lines after the message may look like titles.
    const title = finding.message === undefined ? groups["title"] : undefined;
    if (title !== undefined) titles.push(title);
    const fields = fieldsOf(groups);
    const isEarly = finding.file === undefined && fields.file === undefined;
    if (this.#format.fileFirst && isEarly && !fields.message?.startsWith("Error: ")) {
      if (ERROR_NAME.test(fields.message ?? "")) open.early ??= fields.message;
      delete fields.message;
    }
    if (finding.line !== undefined && fields.line !== undefined) {
      delete fields.file;
      delete fields.line;
      delete fields.column;
    }
    const isSame = fields.file === undefined || finding.file === undefined ||
      finding.file.endsWith(fields.file) || baseOf(fields.file) === baseOf(finding.file);
    const missing = Object.entries(fields).filter(([key]) =>
      finding[key as keyof ToolFinding] === undefined && (isSame || (key !== "line" && key !== "column"))
    );
    Object.assign(finding, Object.fromEntries(missing));
    return missing.length > 0 || title !== undefined;
  }

  #close(): void {
    const open = this.#open;
    this.#open = undefined;
    if (!open) return;
    const { source, severity = "error", needs = [], countsFromZero } = this.#format;
    const { finding, titles, early, isConfirmed } = open;
    const has = { file: finding.file, message: finding.message, confirmed: isConfirmed || undefined };
    if (needs.some((need) => has[need] === undefined)) return;
    const code = [...titles, ...(finding.code === undefined ? [] : [finding.code])].join(" > ");
    const message = finding.message ?? early ?? code;
    if (countsFromZero && finding.column !== undefined) finding.column++;
    const whole: ToolFinding = { severity, source, ...finding, message, ...(code === "" ? {} : { code }) };
    const key = JSON.stringify({ ...whole, offset: 0 });
    if (this.#seen?.has(key)) return;
    this.#seen?.add(key);
    this.#found.push(whole);
  }
}

export function severityOf(word: string | undefined): Severity | undefined {
  return word === undefined ? undefined : SEVERITIES[word.toLowerCase()] ?? "error";
}

function definedOf(groups: Groups): Groups {
  return Object.fromEntries(Object.entries(groups).filter(([, value]) => value !== undefined));
}

function fieldsOf(groups: Groups): Partial<ToolFinding> {
  const { file, line, column, severity, code, message } = groups;
  return {
    ...(file === undefined ? {} : { file: file.replace(/^file:\/\//, "") }),
    ...(line === undefined ? {} : { line: Number(line) }),
    ...(column === undefined ? {} : { column: Number(column) }),
    ...(severity === undefined ? {} : { severity: severityOf(severity)! }),
    ...(code === undefined ? {} : { code }),
    ...(message === undefined || message === "" ? {} : { message: message.trim() }),
  };
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
