// Reads an output as the tools printed it, and each task's lines without the prefix of the task's runner.
import { COMPILERS } from "./compilers.ts";
import type { FindingReader, ToolFinding } from "./finding.ts";
import { GoTestReader } from "./go_tests.ts";
import { PytestReader } from "./pytest.ts";
import { findTaskLine, type TaskLine } from "./task_prefix.ts";
import { CRASHES, TEST_RUNNERS } from "./test_runners.ts";
import { FormatReader } from "./tool_format.ts";

/** Maximum tasks that are read at once: many lines only look as if they had a prefix. */
const MAX_TASKS = 50;

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
    const found = findTaskLine(line);
    if (found?.task.startsWith("#")) this.#hasBuildSteps = true;
    // A docker build ends with the last lines of the failed step once more.
    if (found?.task === "" && this.#hasBuildSteps) return;
    this.#whole.read(line, offset);
    if (found) this.#readTask(found, offset);
  }

  /** Findings without a prefix come before those of the same line with it. */
  end(): ToolFinding[] {
    for (const task of [...this.#tasks.keys()]) this.#endTask(task);
    const { reports, crashes } = this.#whole.end();
    const reported = [...this.#reports, ...reports];
    return reported.length > 0 ? reported : [...this.#crashes, ...crashes];
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

/** Readers of every tool's format. */
class ToolReaders {
  readonly #reports: readonly FindingReader[] = [
    new PytestReader(),
    new GoTestReader(),
    ...[...COMPILERS, ...TEST_RUNNERS].map((format) => new FormatReader(format)),
  ];
  readonly #crashes: readonly FindingReader[];

  constructor(withCrashes: boolean) {
    this.#crashes = withCrashes ? CRASHES.map((format) => new FormatReader(format)) : [];
  }

  read(line: string, offset: number): void {
    for (const reader of this.#reports) reader.read(line, offset);
    for (const reader of this.#crashes) reader.read(line, offset);
  }

  end(): { reports: ToolFinding[]; crashes: ToolFinding[] } {
    const all = (readers: readonly FindingReader[]) => readers.flatMap((reader) => reader.end());
    return { reports: all(this.#reports), crashes: all(this.#crashes) };
  }
}
