// A private copy of a shell, which shows how deep its calls are at its prompt and in a question of its own.
import type { PaneProcess, WaitDepths } from "../process/probe.ts";
import type { ProcessInspector } from "../process/process_inspector.ts";
import { type ChildClient, type ProcessTarget, spawnClient } from "../tmux/spawn.ts";
import { bestEffort } from "../promises.ts";
import { delay, within } from "../timer.ts";

interface CopiedShell {
  args: readonly string[];
  /** Lines with which it asks through its line editor; one for each that has prompts of another depth. */
  questions: readonly string[];
}

const COPIED: Readonly<Record<string, CopiedShell>> = {
  fish: { args: ["--no-config", "--private"], questions: ["read x"] },
  yash: { args: ["--norcfile", "--noprofile"], questions: ["read -e x"] },
  ksh: { args: [], questions: ["set -o emacs; read x", "set -o vi; read x"] },
};
/** Names under which programs of these shells are installed. */
const NAMES: Readonly<Record<string, readonly string[]>> = { ksh: ["ksh93", "ksh"] };
/** Time (ms) for all answers; on a quiet machine they take 30 to 80, at a load of 12 per processor over 1,000. */
const PATIENCE_MS = 5000;
/** Time (ms) for the ended server to close its output. */
const END_MS = 1000;
const PAUSE_MS = 2;
const PANE = /^pane (?<pid>\d+) (?<tty>\S+)$/m;

/** The copy's surroundings: nothing of it is left, and no configuration is read. */
export interface CopyPlace {
  target: Omit<ProcessTarget, "socketArgs">;
  inspector: ProcessInspector;
  /** Folder for its home and its socket. */
  folder: string;
}

/** Names under which a shell of this dialect may be installed; none if its copies say nothing. */
export function copiedNames(shell: string): readonly string[] {
  return COPIED[shell] === undefined ? [] : NAMES[shell] ?? [shell];
}

/**
 * Runs a copy of a shell in a tmux server of its own, and returns the depths of its prompts and questions, one pair
 * for each of its line editors; none if it does not answer as expected. The server ends with this process, whose input
 * it reads.
 * @throws if it does not answer in time
 */
export async function measureCopy(shell: string, path: string, place: CopyPlace): Promise<WaitDepths[]> {
  const { args, questions } = COPIED[shell]!;
  const { target, folder } = place;
  const server = spawnClient({ ...target, socketArgs: ["-S", `${folder}/socket`, "-f", "/dev/null"] }, [
    ...["-C", "start-server", ";"],
    ...["new-session", "-x", "80", "-y", "24", "-P", "-F", "pane #{pane_pid} #{pane_tty}"],
    ...["--", path, ...args, ";", "set-option", "destroy-unattached", "on"],
  ]);
  const late = (): never => {
    throw new Error(`A copy of ${shell} did not answer in ${PATIENCE_MS} ms`);
  };
  const copy = new ShellCopy(server, place.inspector);
  try {
    return await within(copy.measure(questions), { ms: PATIENCE_MS, late });
  } finally {
    await copy.end();
  }
}

class ShellCopy {
  readonly #server: ChildClient;
  readonly #inspector: ProcessInspector;
  readonly #pane: PromiseWithResolvers<PaneProcess | undefined> = Promise.withResolvers();
  readonly #reading: Promise<void>;
  #isOver = false;

  constructor(server: ChildClient, inspector: ProcessInspector) {
    this.#server = server;
    this.#inspector = inspector;
    this.#reading = bestEffort(this.#read()).then(() => this.#stop());
  }

  async measure(questions: readonly string[]): Promise<WaitDepths[]> {
    const depths: WaitDepths[] = [];
    for (const line of questions) {
      const before = await this.#rest();
      await this.#type(line);
      const question = await this.#rest(before);
      await this.#type("");
      // A shell that asks its terminal something at the start (fish 4) has been at its prompt only now.
      const prompt = await this.#rest(question);
      if (prompt === undefined || question === undefined || prompt >= question) return [];
      depths.push({ prompt, question });
    }
    return depths;
  }

  async end(): Promise<void> {
    this.#stop();
    await bestEffort(this.#server.stdin.close());
    await this.#server.end();
    await within(this.#reading, { ms: END_MS });
  }

  #stop(): void {
    this.#isOver = true;
    this.#pane.resolve(undefined);
  }

  async #read(): Promise<void> {
    let text = "";
    const decoder = new TextDecoder();
    for await (const bytes of this.#server.stdout) {
      if (text.length < 4096) text += decoder.decode(bytes, { stream: true });
      const { pid, tty } = PANE.exec(text)?.groups ?? {};
      if (pid !== undefined && tty !== undefined) this.#pane.resolve({ panePid: Number(pid), tty });
    }
  }

  async #type(line: string): Promise<void> {
    const keys = line === "" ? "" : `send-keys -l '${line}' ; `;
    await this.#server.stdin.write(new TextEncoder().encode(`${keys}send-keys Enter\n`));
  }

  /** Returns the depth at which the shell rests in its line editor, at another depth than before. */
  async #rest(before?: number): Promise<number | undefined> {
    const pane = await this.#pane.promise;
    let last = "";
    while (pane !== undefined && !this.#isOver) {
      const { depth, sleeps } = await this.#wait(pane);
      const now = `${depth} ${sleeps}`;
      if (depth !== undefined && depth !== before && now === last) return depth;
      last = now;
      await delay(PAUSE_MS);
    }
    return undefined;
  }

  async #wait(pane: PaneProcess): Promise<{ depth?: number | undefined; sleeps?: number | undefined }> {
    const { waitingForInput, edited } = await this.#inspector.inspect(pane);
    const sleep = this.#inspector.sleep?.(pane.panePid);
    if (!waitingForInput || edited !== true || sleep === undefined || sleep === "awake") return {};
    return { depth: sleep.depth, sleeps: await this.#inspector.sleeps(pane.panePid) };
  }
}
