// A command in the shell that another command has started, as the other ends, stops or keeps running.
import { assertEquals } from "@std/assert";
import { OuterEnd } from "../../src/commands/outer_end.ts";
import { TrackedCommand } from "../../src/commands/tracked_command.ts";
import { OutputStore } from "../../src/commands/output_store.ts";
import type { Tmux } from "../../src/tmux/tmux.ts";

/** A running command that counts the calls it holds for others. */
class HoldingRecord extends TrackedCommand {
  held = 0;

  constructor() {
    const storage = new OutputStore({ memory: 1000, shared: { left: 1000 }, folder: "/nonexistent" });
    const text = { commandId: "c1", paneId: "%0", command: "bash" };
    super({ ...text, columns: 80, rows: 24, storage, tmux: {} as Tmux });
    for (const kind of ["typed", "ready", "given", "output"] as const) this.take({ kind });
  }

  override whenOver(act: () => void): () => void {
    return this.#counted(super.whenOver(act));
  }

  override whenLeft(act: () => void): () => void {
    return this.#counted(super.whenLeft(act));
  }

  #counted(withdraw: () => void): () => void {
    this.held++;
    return () => {
      this.held--;
      withdraw();
    };
  }
}

interface Nested {
  outer: HoldingRecord;
  inner: HoldingRecord;
  gone: number;
}

function nested(): Nested {
  const [outer, inner] = [new HoldingRecord(), new HoldingRecord()];
  const result = { outer, inner, gone: 0 };
  new OuterEnd({ tracked: outer, secret: "outer", outer: undefined, gone() {} });
  new OuterEnd({ tracked: inner, secret: "inner", outer, gone: () => result.gone++ });
  return result;
}

Deno.test("a command that runs on holds none of those that ended in its shell", async () => {
  const { outer, inner } = nested();
  assertEquals(outer.held, 2);
  await inner.leave({ kind: "stopped" });
  await inner.left;
  assertEquals(outer.held, 2, "a stopped command still ends with its shell");
  await inner.leave({ kind: "jobEnded" });
  await inner.over;
  assertEquals(outer.held, 0);
});

Deno.test("a command learns of the end of the one in whose shell it runs", async () => {
  const both = nested();
  await both.outer.leave({ kind: "done", exitCode: 0 });
  await both.outer.over;
  assertEquals(both.gone, 1);
});
