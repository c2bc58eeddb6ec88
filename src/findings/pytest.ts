// Findings of pytest: the short summary names each failure, and the sections above it have the places.
import type { FindingReader, ToolFinding } from "./finding.ts";

const SUMMARY = /^=+ short test summary info =+$/;
const SECTIONS = /^=+ (?:FAILURES|ERRORS) =+$/;
/** A name as long as the terminal is wide has only one underscore at each end. Between frames, there are only those. */
const TITLE = /^_+ (?!_ )(?:ERROR (?:at \w+ of |collecting ))?(?<name>\S.*?) _+$/;
const PLACE = /^(?<file>[^\s:][^:]*):(?<line>\d+): (?:in .*|[\w.]*)(?:: .*)?$/;
/** Place in a traceback as Python prints it. */
const FRAME = /^(?: {2}\| )? {2}File "(?<file>[^"<]+)", line (?<line>\d+), in /;
/** Line before what a test has printed, which may look like anything. */
const CAPTURED = /^-+ Captured \w+ (?:setup|call|teardown) -+$/;
const MESSAGE = /^E {3,}(?<message>\S.*)$/;
/** Place in a file that Python can't read, and the error after it. */
const UNREADABLE = /^E +File "(?<file>[^"]+)", line (?<line>\d+)$/;
const PYTHON_ERROR = /^E {3}(?<message>[A-Z]\w*Error: .+)$/;
const FAILED =
  /^(?:FAILED|ERROR|SUBFAILED(?<part>[[(].*?[\])])?) (?<id>(?<file>[^\s:]+(?: [^\s:]+)*?\.\w+)(?:::(?<name>[^[]*?(?:\[.*?\](?= - |$))?))?)(?: - (?<message>.+))?$/;
/** Message that is shortened to the width of the terminal. */
const CUT = /^(?<begun>.*)\.\.\.$/;
const OVER = /^=+ .*\b(?:failed|passed|errors?)\b.* in [\d.:]+s.*=+$/;

interface Section {
  name: string;
  offset: number;
  /** Places in order: the test first, then the functions it calls. */
  places: { file: string; line: number }[];
  message?: string;
  isOver?: true;
}

export class PytestReader implements FindingReader {
  readonly #summary: ToolFinding[] = [];
  readonly #sections: Section[] = [];
  #part: "sections" | "summary" | undefined;

  read(text: string, offset: number): void {
    if (SUMMARY.test(text)) this.#part = "summary";
    else if (SECTIONS.test(text)) this.#part = "sections";
    else if (OVER.test(text)) this.#part = undefined;
    else if (this.#part === "summary") this.#readSummary(text, offset);
    else if (this.#part === "sections") this.#readSection(text, offset);
  }

  end(): ToolFinding[] {
    if (this.#summary.length > 0) return this.#summary.map((finding) => this.#placed(finding));
    return this.#sections.map(({ name, offset, places, message }) => ({
      ...places.at(-1),
      severity: "error",
      message: message ?? name,
      code: name,
      source: "pytest",
      offset,
    }));
  }

  #readSummary(text: string, offset: number): void {
    const { id, part, file, name, message } = FAILED.exec(text)?.groups ?? {};
    if (id === undefined) return;
    this.#summary.push({
      file: file!,
      severity: "error",
      message: message?.trim() ?? "",
      ...(name === undefined ? {} : { code: part === undefined ? name : `${name} ${part}` }),
      source: "pytest",
      offset,
    });
  }

  #readSection(text: string, offset: number): void {
    const name = TITLE.exec(text)?.groups?.["name"];
    if (name !== undefined) this.#sections.push({ name, offset, places: [] });
    const section = this.#sections.at(-1);
    if (section && CAPTURED.test(text)) section.isOver = true;
    if (!section || section.isOver) return;
    const { file, line } = (PLACE.exec(text) ?? UNREADABLE.exec(text) ?? FRAME.exec(text))?.groups ?? {};
    if (file !== undefined) section.places.push({ file, line: Number(line) });
    if (UNREADABLE.test(text)) return;
    const error = PYTHON_ERROR.exec(text)?.groups?.["message"];
    if (error !== undefined) section.message = error;
    const message = MESSAGE.exec(text)?.groups?.["message"];
    if (message !== undefined) section.message ??= message;
  }

  /** The summary's finding, with the line added, and the message if the summary has none or a part of it. */
  #placed(finding: ToolFinding): ToolFinding {
    const { file = "", code } = finding;
    const title = code === undefined ? file : code.replace(/^[^[]*/, (names) => names.replaceAll("::", "."));
    const section = this.#sections.find(({ name, places }) =>
      name === title && (places.length === 0 || places.some((place) => isSame(place.file, file)))
    );
    const line = section?.places.findLast((place) => isSame(place.file, file))?.line;
    const { message } = finding;
    const short = message === "" ? "" : CUT.exec(message)?.groups?.["begun"];
    const whole = section?.message;
    const known = short !== undefined && whole?.startsWith(short) ? whole : message;
    const id = code === undefined ? file : `${file}::${code}`;
    return { ...finding, ...(line === undefined ? {} : { line }), message: known || id };
  }
}

function isSame(path: string, other: string): boolean {
  return path === other || path.endsWith(`/${other}`) || other.endsWith(`/${path}`);
}
