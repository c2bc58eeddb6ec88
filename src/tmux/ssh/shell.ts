// A POSIX sh on another machine that answers one question after another, for as long as its connection lasts.
import { ConnectionLost } from "../../errors.ts";
import { within } from "../../timer.ts";
import { type Program, spawnProgram } from "../spawn.ts";
import { hostFloods, hostSilent } from "./failures.ts";
import { bestEffort } from "../../promises.ts";

interface Question {
  /** Line that ends the answer. */
  end: string;
  answer: PromiseWithResolvers<string>;
}

const ASK_MS = 5000;
const MAX_MIB = 64;
const MAX_PRINTED_CHARS = 1000;
/** More than the end of any answer has. */
const MAX_END_CHARS = 64;
const encoder = new TextEncoder();

/**
 * Shell on another machine. Nothing is left there when it ends: the code arrives on its input, which closes with this
 * process. The ends are random, so nothing that is printed can pass for the end of an answer.
 */
export class RemoteShell {
  readonly #host: string;
  readonly #child: ReturnType<typeof spawnProgram>;
  readonly #questions: Question[] = [];
  readonly #nonce = crypto.getRandomValues(new Uint8Array(16)).toHex();
  #count = 0;
  #answered = 0;
  /** Output since the last answer, in the pieces in which it came. */
  #pieces: string[] = [];
  #size = 0;
  /** The last characters of these pieces, with which the end of the answer may begin. */
  #tail = "";
  #hasEnded = false;
  #reason: unknown;
  /** Last output of its ssh. */
  readonly ended: Promise<string>;

  /** `host`: name of its machine. `program` must be a shell that reads its input. */
  constructor(host: string, program: Program) {
    this.#host = host;
    this.#child = spawnProgram(program);
    this.ended = this.#read();
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The last of its output that is no answer. */
  get printed(): string {
    return this.#pieces.join("").slice(-MAX_PRINTED_CHARS);
  }

  /**
   * Runs code that reads no input, and returns its output. A shell that answers earlier questions is busy, not silent.
   * @throws {AppError} `gone` if the shell ends before it answers, `timeout` if it answers nothing for `ms`
   */
  async ask(code: string, ms: number = ASK_MS): Promise<string> {
    if (this.#hasEnded) throw new ConnectionLost(this.#host);
    const question = { end: `${this.#nonce} ${++this.#count}\n`, answer: Promise.withResolvers<string>() };
    this.#questions.push(question);
    const text = `{ ${code}\n} </dev/null 2>/dev/null\nprintf '%s\\n' '${question.end.trimEnd()}'\n`;
    // If the write fails, the shell no longer reads: it has ended or is about to.
    bestEffort(this.#child.stdin.write(encoder.encode(text)));
    for (;;) {
      const before = this.#answered;
      const late = (): undefined => this.#answered === before ? hostSilent(this.#host, ms) : undefined;
      const answer = await within(question.answer.promise, { ms, late });
      if (answer !== undefined) return answer;
    }
  }

  /** Ends the shell at once; what it has not answered yet fails with `reason`, or as a lost connection. */
  async end(reason?: unknown): Promise<void> {
    this.#reason ??= reason;
    bestEffort(this.#child.stdin.close());
    await this.#child.end();
  }

  async #read(): Promise<string> {
    const decoder = new TextDecoder();
    try {
      for await (const bytes of this.#child.stdout) {
        this.#take(decoder.decode(bytes, { stream: true }));
        if (this.#size <= MAX_MIB * 1024 * 1024) continue;
        bestEffort(this.end(hostFloods(this.#host, MAX_MIB)));
        break;
      }
    } catch {
      // The shell ended in the middle of its output.
    }
    this.#hasEnded = true;
    await this.#child.status;
    for (const { answer } of this.#questions.splice(0)) {
      answer.reject(this.#reason ?? new ConnectionLost(this.#host));
    }
    return await this.#child.stderr;
  }

  /** Handles output. The first answer includes what a login shell prints before it; its reader skips that. */
  #take(text: string): void {
    this.#keep(text);
    for (let first = this.#questions[0]; first !== undefined; first = this.#questions[0]) {
      if (!this.#tail.includes(first.end)) break;
      const printed = this.#pieces.join("");
      const at = printed.indexOf(first.end);
      first.answer.resolve(printed.slice(0, at));
      [this.#pieces, this.#size, this.#tail] = [[], 0, ""];
      this.#keep(printed.slice(at + first.end.length));
      this.#questions.shift();
      this.#answered++;
    }
    this.#tail = this.#tail.slice(-MAX_END_CHARS);
  }

  #keep(text: string): void {
    this.#pieces.push(text);
    this.#size += text.length;
    this.#tail += text;
  }
}
