// The ending of a dead pane's program, which tmux does not know at once.
import { assertEquals } from "@std/assert";
import type { Ending } from "../../src/process/ending.ts";
import type { Tmux } from "../../src/tmux/tmux.ts";
import { findPanes } from "../../src/watch/pane_refs.ts";

/** A tmux with a dead pane, whose status it knows at this look, and a kernel that reports these endings in turn, unless it is a host's. */
function tmuxWith(look: number, endings?: (Ending | undefined)[]): Tmux {
  let looks = 0;
  const parse = () => {
    const isKnown = ++looks >= look;
    return [{ paneId: "%1", panePid: 10, dead: true, deadStatus: isKnown ? 3 : undefined }];
  };
  return {
    rows: { read: () => Promise.resolve(parse()[0]) },
    sees: () => true,
    run: () => Promise.resolve(""),
    codec: { format: () => "", parse },
    machine: { inspector: endings ? { ending: () => endings.shift() } : {} },
  } as unknown as Tmux;
}

async function endingIn(tmux: Tmux): Promise<Ending> {
  const [pane] = await findPanes(tmux, ["%1"]);
  return pane!.ending;
}

Deno.test("the ending of a program that tmux is slow to collect is known", async () => {
  assertEquals(await endingIn(tmuxWith(9, [])), { exitCode: 3 });
});

Deno.test("tmux is not asked much longer about a program that has ended", async () => {
  const endings = [undefined, ...Array(9).fill({})];
  assertEquals(await endingIn(tmuxWith(7, [...endings])), { exitCode: 3 });
  assertEquals(await endingIn(tmuxWith(8, [...endings])), {});
});

Deno.test("tmux is not asked longer on a host, whose kernel is not asked", async () => {
  assertEquals(await endingIn(tmuxWith(6)), { exitCode: 3 });
  assertEquals(await endingIn(tmuxWith(7)), {});
});
