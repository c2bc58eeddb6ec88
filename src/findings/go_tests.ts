// Findings of go test. With -v, a test's messages come before its result, with those of parallel tests in between.
import type { FindingReader, ToolFinding } from "./finding.ts";

/** Output without a line end may stand before these; a log, which may quote them, has a place. */
const NAME = /=== (?:RUN|NAME|CONT) +(?<name>\S+)$/;
const RESULT = /^(?!.*\.go:\d+: ).*?--- (?<result>FAIL|PASS|SKIP): (?<name>\S+) \(\d+\.\d+s\)$/;
const MESSAGE = /^ +(?<file>[^\s:][^:]*\.go):(?<line>\d+): (?<message>.*)$/;
/** First line of a message that begins below its place, as testify's. */
const BELOW = /^ {4,}\t?(?:Error: +\t?)?(?!Error Trace:)(?<message>\S.*)$/;
const PANIC = /^(?<message>panic: .+)$/;
const FRAME = /^\t(?<file>\S.*_test\.go):(?<line>\d+) \+0x/;

type Place = Pick<ToolFinding, "file" | "line" | "message">;

export class GoTestReader implements FindingReader {
  readonly #found: ToolFinding[] = [];
  /** The last message of each running test. */
  readonly #messages: Map<string, Place> = new Map();
  #running: string | undefined;
  #failed: ToolFinding | undefined;
  #last: Place | undefined;

  read(text: string, offset: number): void {
    const running = NAME.exec(text)?.groups?.["name"];
    if (running !== undefined) {
      this.#running = running;
      this.#failed = undefined;
      return;
    }
    const { result, name } = RESULT.exec(text)?.groups ?? {};
    if (result === "FAIL") this.#fail(name!, offset);
    else if (result !== undefined) this.#failed = undefined;
    else this.#readMessage(text);
  }

  end(): ToolFinding[] {
    return this.#found.map((finding) => ({ ...finding, message: finding.message || (finding.code ?? "") }));
  }

  #fail(name: string, offset: number): void {
    this.#failed = {
      severity: "error",
      message: name,
      ...this.#messages.get(name),
      code: name,
      source: "go test",
      offset,
    };
    this.#found.push(this.#failed);
  }

  #readMessage(text: string): void {
    const { file, line, message } = MESSAGE.exec(text)?.groups ?? {};
    if (file !== undefined) return this.#note({ file, line: Number(line), message: message!.trim() });
    if (this.#last?.message === "") this.#last.message = BELOW.exec(text)?.groups?.["message"] ?? "";
    const failed = this.#failed;
    if (!failed) return;
    const panic = PANIC.exec(text)?.groups?.["message"];
    if (panic !== undefined && failed.message === failed.code) failed.message = panic;
    const frame = FRAME.exec(text)?.groups;
    if (frame && failed.file === undefined) {
      Object.assign(failed, { file: frame["file"], line: Number(frame["line"]) });
    }
  }

  /** The last message counts: those before may have been logged. */
  #note(place: Place): void {
    if (this.#failed) this.#last = Object.assign(this.#failed, place);
    else if (this.#running !== undefined) {
      this.#messages.set(this.#running, place);
      this.#last = place;
    }
  }
}
