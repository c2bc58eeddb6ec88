// The part of a command's output that goes into a result; it is shorter if findings say more.
import type { Findings } from "../findings/find.ts";
import type { StoredLine } from "../terminal/memory_lines.ts";
import type { CommandOutput, OutputQuery, OutputView } from "./output.ts";
import type { OutputLimit } from "./output_ends.ts";

/** With findings, output longer than `from` bytes is shortened so that the whole result takes about `total` bytes. */
const BRIEF = { from: 4096, total: 2200, lines: 40, least: 400, rest: 250 };
/** Bytes at the beginning and end of a longer output in which findings are searched for. */
const READ_BYTES = { head: 512 * 1024, tail: 2560 * 1024 };

/** The command that printed the output, in its current state. */
interface PrintedBy {
  readonly output: CommandOutput;
  readonly exitCode: number | undefined;
  readonly running: boolean;
}

export class ShownOutput {
  readonly #tracked: PrintedBy;
  /** Cached once the command is over. */
  #findings: Promise<Findings> | undefined;

  constructor(tracked: PrintedBy) {
    this.#tracked = tracked;
  }

  async show(query: OutputQuery, limit: OutputLimit): Promise<OutputView & Partial<Findings>> {
    const { output } = this.#tracked;
    const allFindings = await this.#findingsFor(query);
    const view = await output.view(query, limit);
    const isBrief = allFindings !== undefined && query.part === "ends" && !query.grep &&
      Math.min(view.totalBytes, limit.maxBytes) > BRIEF.from;
    if (!isBrief) return { ...view, ...allFindings };
    const { bytesOf, fitFindings } = await import("../findings/find.ts");
    const findings = fitFindings(allFindings, BRIEF.total - BRIEF.rest - BRIEF.least);
    const room = BRIEF.total - BRIEF.rest - bytesOf(findings);
    return {
      ...await output.view(query, {
        maxLines: Math.min(limit.maxLines, BRIEF.lines),
        maxBytes: Math.min(limit.maxBytes, Math.max(room, BRIEF.least)),
        more: "view full holds more of it",
      }),
      ...findings,
    };
  }

  /** Returns findings; undefined if nothing was found, unless they were requested. */
  async #findingsFor({ findings, from, grep }: OutputQuery): Promise<Findings | undefined> {
    const { output, exitCode = 0, running } = this.#tracked;
    const failed = exitCode !== 0;
    if (!(findings ?? (failed && from === 0 && !grep))) return undefined;
    const reading = this.#findings ?? read(output, failed);
    if (!running) this.#findings = reading;
    const result = await reading;
    return result.findingsTotal > 0 || findings ? result : undefined;
  }
}

/** Finds errors and warnings in an output, in the formats of known tools. */
async function read(output: CommandOutput, failed: boolean): Promise<Findings> {
  const { findFindings } = await import("../findings/find.ts");
  return await findFindings(mostLines(output), { failed });
}

function* mostLines({ lines }: CommandOutput): Generator<StoredLine> {
  if (lines.bytes <= READ_BYTES.head + READ_BYTES.tail) return yield* lines.forward();
  const tail = lines.lines - lines.readTail({ lines: Infinity, bytes: READ_BYTES.tail }).lines;
  let room = READ_BYTES.head;
  for (const line of lines.forward()) {
    room -= line.text.length;
    if (room < 0 || line.offset >= tail) break;
    yield line;
  }
  yield* lines.forward(tail);
}
