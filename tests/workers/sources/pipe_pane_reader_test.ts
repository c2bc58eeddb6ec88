// Copier: what it leaves when its reader is gone, which processes it signals, and when it reports that its reader keeps up.
import { assertEquals } from "@std/assert";
import { createProcessExec } from "../../../src/tmux/spawn.ts";
import { FIFO_BYTES } from "../../../src/ffi/fifos.ts";
import type { Poller } from "../../../src/ffi/poller.ts";
import { startPipe } from "../../../src/tmux/spool_pipe.ts";
import { PipePaneReader } from "../../../workers/sources/pipe_pane_reader.ts";
import { privateTmux } from "../../tmux/private_tmux.ts";
import { until } from "../../support/until.ts";

const CAT = 10;
const WATCHDOG = 11;
const SIGALRM = 14;
const SIGTERM = 15;

interface StageOptions {
  path?: string;
  start?(text: string): Promise<void>;
  isChild?: boolean;
}

/** A pipe reader that has reported its pids, and the processes it has signalled. */
class Stage implements Disposable {
  readonly signals: [number, number][] = [];
  readonly pipeReader: PipePaneReader;
  readonly #heard: PromiseWithResolvers<void> = Promise.withResolvers();
  #came: number | "none yet" = "none yet";

  constructor({ path = "/f", start = () => Promise.resolve(), isChild = true }: StageOptions = {}) {
    const fifo = { path, fd: 9, read: (into: Uint8Array) => this.#read(into), hide() {}, close() {} };
    this.pipeReader = new PipePaneReader({
      paneId: "%0",
      pipeContext: {
        fifos: { make: () => fifo },
        poller: { follow: () => true, leave() {} } as unknown as Poller,
        stamp: "",
        folder: "/",
        buffer: new Uint8Array(FIFO_BYTES),
        processes: { isAsleep: () => true, isChild: () => isChild },
        signal: (pid, signal) => {
          this.signals.push([pid, signal]);
          this.#heard.resolve();
        },
        began() {},
        ended() {},
      },
      start,
      output() {},
      ended() {},
    });
  }

  /** Settles at the first signal. */
  get heard(): Promise<void> {
    return this.#heard.promise;
  }

  async begin(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve));
    this.pipeReader.ready();
    await this.pipeReader.connected;
  }

  /** So many bytes come with the next read. */
  come(bytes: number): void {
    this.#came = bytes;
    this.pipeReader.ready();
  }

  #read(into: Uint8Array): number | "none yet" {
    return this.#came === "none yet"
      ? new TextEncoder().encodeInto(`${CAT} ${WATCHDOG}\n`, into).written
      : this.#came;
  }

  [Symbol.dispose](): void {
    this.pipeReader.end();
  }
}

/** Begins a pipe without a fifo and expects that it ends and leaves no file. */
async function beginWithoutReader(spell: (text: string) => string): Promise<void> {
  await using tmux = await privateTmux();
  const exec = createProcessExec(tmux.target);
  const path = `${tmux.folder}/fifo`;
  const started = Promise.withResolvers<void>();
  using _ = new Stage({
    path,
    async start(text) {
      assertEquals((await exec([startPipe("%0", spell(text))])).code, 0);
      started.resolve();
    },
  });
  await started.promise;
  const isMade = async (): Promise<boolean> => await Deno.lstat(path).then(() => true, () => false);
  const isPiped = async (): Promise<boolean> => {
    const { stdout } = await exec([["display-message", "-p", "-t", "main:", "#{pane_pipe}"]]);
    return new TextDecoder().decode(stdout).trim() === "1";
  };
  await until(async () => !await isPiped());
  assertEquals(await isMade(), false);
}

Deno.test("a pipe that begins when its reader is gone makes no file in place of the fifo, and ends", () => {
  return beginWithoutReader((text) => text);
});

Deno.test("a pipe whose fifo is removed as it is opened leaves no file in its place, and ends", () => {
  return beginWithoutReader((text) => text.replace("[ -p ", "[ ! -p "));
});

Deno.test("what ends is the copier and its watchdog, and nobody who has their pids elsewhere", async () => {
  const here = new Stage();
  await here.begin();
  here.pipeReader.end();
  assertEquals(here.signals, [[WATCHDOG, SIGTERM], [CAT, SIGTERM]]);

  const elsewhere = new Stage({ isChild: false });
  await elsewhere.begin();
  elsewhere.pipeReader.end();
  assertEquals(elsewhere.signals, []);
});

Deno.test("a watchdog hears that its reader keeps up, and nothing of one that is behind", async () => {
  using behind = new Stage();
  using keepsUp = new Stage();
  await behind.begin();
  await keepsUp.begin();
  behind.come(FIFO_BYTES);
  keepsUp.come(FIFO_BYTES - 1);
  await keepsUp.heard;
  assertEquals([behind.signals, keepsUp.signals], [[], [[WATCHDOG, SIGALRM]]]);
});
