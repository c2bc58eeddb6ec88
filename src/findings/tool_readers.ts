// Readers of every tool's format for the same lines.
import { COMPILERS } from "./compilers.ts";
import type { FindingReader, ToolFinding } from "./finding.ts";
import { GoTestReader } from "./go_tests.ts";
import { PytestReader } from "./pytest.ts";
import { CRASHES, TEST_RUNNERS } from "./test_runners.ts";
import { FormatReader, type ToolFormat } from "./tool_format.ts";

const REPORTS: readonly ToolFormat[] = [...COMPILERS, ...TEST_RUNNERS];
const REPORTS_AND_CRASHES: readonly ToolFormat[] = [...REPORTS, ...CRASHES];

export class ToolReaders {
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
    if (reader || !isFirstLine(line, format)) return reader;
    const first = new FormatReader(format);
    this.#readers.set(format, first);
    return first;
  }
}

function isFirstLine(line: string, { from, head, begin }: ToolFormat): boolean {
  return from ? from.test(line) : begin.test(line) || head?.test(line) === true;
}
