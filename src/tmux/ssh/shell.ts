// One POSIX sh on another machine that answers questions, one after the other, for as long as its connection lasts.
import { within } from "../../timer.ts";
import { type Program, spawnProgram } from "../spawn.ts";
import { connectionLost, hostSilent } from "./failures.ts";
import { bestEffort } from "../../promises.ts";

interface Question {
  mark: string;
  answer: PromiseWithResolvers<string>;
}

const ASK_MS = 5000;
const encoder = new TextEncoder();

/**
 * Nothing is left over there when it ends: the code comes on its input, which closes with this process, and its marks
 * are random, so that nothing printed can pass for the end of an answer.
 */
export class RemoteShell {
  readonly #host: string;
  readonly #child: ReturnType<typeof spawnProgram>;
  readonly #questions: Question[] = [];
  readonly #nonce = crypto.getRandomValues(new Uint8Array(16)).toHex();
  #asked = 0;
  #printed = "";
  #hasEnded = false;
  /** Last words of its ssh. */
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

  /**
   * Runs code that reads no input.
   * @throws {AppError} `gone` when the shell ends before it answers, `timeout` when it takes longer than `ms`
   */
  async ask(code: string, ms: number = ASK_MS): Promise<string> {
    if (this.#hasEnded) throw connectionLost(this.#host);
    const question = { mark: `${this.#nonce} ${++this.#asked}\n`, answer: Promise.withResolvers<string>() };
    this.#questions.push(question);
    const text = `{ ${code}\n} </dev/null 2>/dev/null\nprintf '%s\\n' '${question.mark.trimEnd()}'\n`;
    // A shell that no longer reads has ended, or is about to.
    bestEffort(this.#child.stdin.write(encoder.encode(text)));
    return await within(question.answer.promise, { ms, late: () => hostSilent(this.#host, ms) });
  }

  /** Ends it, at once. */
  async end(): Promise<void> {
    bestEffort(this.#child.stdin.close());
    await this.#child.end();
  }

  async #read(): Promise<string> {
    const decoder = new TextDecoder();
    try {
      for await (const bytes of this.#child.stdout) this.#take(decoder.decode(bytes, { stream: true }));
    } catch {
      // It ended in the middle.
    }
    this.#hasEnded = true;
    await this.#child.status;
    for (const { answer } of this.#questions.splice(0)) answer.reject(connectionLost(this.#host));
    return await this.#child.stderr;
  }

  /** Takes output. The first answer includes what a login shell prints before it, which its reader skips. */
  #take(text: string): void {
    this.#printed += text;
    for (let first = this.#questions[0]; first !== undefined; first = this.#questions[0]) {
      const end = this.#printed.indexOf(first.mark);
      if (end < 0) return;
      first.answer.resolve(this.#printed.slice(0, end));
      this.#printed = this.#printed.slice(end + first.mark.length);
      this.#questions.shift();
    }
  }
}
