// Reads an output as the tools printed it, and each task's lines without the prefix of the task's runner.
import { COMPILERS } from "./compilers.ts";
import type { FindingReader, ToolFinding } from "./finding.ts";
import { GoTestReader } from "./go_tests.ts";
import { PytestReader } from "./pytest.ts";
import { CRASHES, TEST_RUNNERS } from "./test_runners.ts";
import { FormatReader, type ToolFormat } from "./tool_format.ts";
import { findTaskLines, type TaskLine } from "./task_prefix.ts";

const REPORTS: readonly ToolFormat[] = [...COMPILERS, ...TEST_RUNNERS];
const REPORTS_AND_CRASHES: readonly ToolFormat[] = [...REPORTS, ...CRASHES];
/** Maximum tasks that are read at once: many lines only look as if they had a prefix. */
const MAX_TASKS = 1000;

export class TaskReaders {
  readonly #whole: ToolReaders;
  /** Readers of each task; the one that printed last is last. */
  readonly #tasks = new Map<string, ToolReaders>();
  readonly #reports: ToolFinding[] = [];
  readonly #crashes: ToolFinding[] = [];
  readonly #withCrashes: boolean;
  #hasBuildSteps = false;

  constructor(withCrashes: boolean) {
    this.#withCrashes = withCrashes;
    this.#whole = new ToolReaders(withCrashes);
  }

  read(line: string, offset: number): void {
    const found = findTaskLines(line);
    const task = found[0]?.task;
    if (task?.startsWith("#")) this.#hasBuildSteps = true;
    // A docker build ends with the last lines of the failed step once more.
    if (task === "" && this.#hasBuildSteps) return;
    this.#whole.read(line, offset);
    for (const own of found) this.#readTask(own, offset);
  }

  /** Findings without a prefix come before those of the same line with it. */
  end(): ToolFinding[] {
    for (const task of [...this.#tasks.keys()]) this.#endTask(task);
    const { reports, crashes } = this.#whole.end();
    const reported = withoutPrefixed([...this.#reports, ...reports]);
    return reported.length > 0 ? reported : withoutPrefixed([...this.#crashes, ...crashes]);
  }

  #readTask({ task, text }: TaskLine, offset: number): void {
    const readers = this.#tasks.get(task) ?? new ToolReaders(this.#withCrashes);
    this.#tasks.delete(task);
    this.#tasks.set(task, readers);
    readers.read(text, offset);
    if (this.#tasks.size > MAX_TASKS) this.#endTask(this.#tasks.keys().next().value!);
  }

  #endTask(task: string): void {
    const { reports, crashes } = this.#tasks.get(task)!.end();
    this.#tasks.delete(task);
    this.#reports.push(...reports);
    this.#crashes.push(...crashes);
  }
}

/** Leaves out those whose path begins with a prefix, where a task's readers have found the same without. */
function withoutPrefixed(findings: readonly ToolFinding[]): ToolFinding[] {
  const known = new Set(findings.map((finding) => keyOf(finding, finding.file)));
  return findings.filter((finding) =>
    !findTaskLines(finding.file ?? "").some(({ text }) => known.has(keyOf(finding, text.trim())))
  );
}

function keyOf({ line, column, message }: ToolFinding, file: string | undefined): string {
  return JSON.stringify([file, line, column, message]);
}

/** Readers of every tool's format for the same lines. */
class ToolReaders {
  readonly #tests: readonly FindingReader[] = [new PytestReader(), new GoTestReader()];
  readonly #readers = new Map<ToolFormat, FormatReader>();
  readonly #formats: readonly ToolFormat[];

  constructor(withCrashes: boolean) {
    this.#formats = withCrashes ? REPORTS_AND_CRASHES : REPORTS;
  }

  read(line: string, offset: number): void {
    for (const reader of this.#tests) reader.read(line, offset);
    for (const format of this.#formats) this.#readerOf(format, line)?.read(line, offset);
  }

  end(): { reports: ToolFinding[]; crashes: ToolFinding[] } {
    const found = (formats: readonly ToolFormat[]) =>
      formats.flatMap((format) => this.#readers.get(format)?.end() ?? []);
    const tests = this.#tests.flatMap((reader) => reader.end());
    return { reports: [...tests, ...found(REPORTS)], crashes: found(CRASHES) };
  }

  /** The format's reader, which the first line that means something to it makes. */
  #readerOf(format: ToolFormat, line: string): FormatReader | undefined {
    const reader = this.#readers.get(format);
    const { from, head, begin, to } = format;
    const isFirst = from ? from.test(line) : begin.test(line) || head?.test(line) || to?.test(line) === true;
    if (reader || !isFirst) return reader;
    const first = new FormatReader(format);
    this.#readers.set(format, first);
    return first;
  }
}
