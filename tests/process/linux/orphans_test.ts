import { assertEquals } from "@std/assert";
import { Orphans } from "../../../src/process/linux/orphans.ts";
import type { ProcessStat } from "../../../src/process/linux/proc.ts";
import type { ProcFs } from "../../../src/process/linux/procfs.ts";

const [INIT, TMUX, CHILD, SHELL] = [1, 2, 3, 100];

Deno.test("the groups of a process's children are remembered, but not below every shell that there ever was", () => {
  let reads = 0;
  const stat = (pid: number): ProcessStat | undefined => {
    if (pid === CHILD) reads++;
    const parent = pid === INIT ? 0 : pid === TMUX ? INIT : pid === CHILD ? SHELL : TMUX;
    return pid === 0 ? undefined : { pid, parent, group: pid } as ProcessStat;
  };
  const children = ({ pid }: ProcessStat): number[] => pid === SHELL ? [CHILD] : [];
  const orphans = new Orphans({ stat, children } as unknown as ProcFs);
  const inspect = (shell: number): void => {
    const program = { pid: shell + 1, parent: shell } as ProcessStat;
    assertEquals(orphans.of(program.pid, stat(shell)!, program), []);
  };
  for (let n = 0; n < 100; n++) inspect(SHELL + 2 * n);
  inspect(SHELL);
  assertEquals(reads, 1, "of 100 shells");
  for (let n = 100; n < 300; n++) inspect(SHELL + 2 * n);
  inspect(SHELL);
  assertEquals(reads, 2, "of 300 shells");
});
