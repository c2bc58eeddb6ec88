// A pane whose program ends is removed only where a command had kept it.
import { assertEquals } from "@std/assert";
import { RowCodec } from "../../src/tmux/row_codec.ts";
import type { Tmux } from "../../src/tmux/tmux.ts";
import { RemainOnExit } from "../../src/watch/remain_on_exit.ts";

/** Commands that tmux gets for a pane whose program ended with 3, after `hold` or without it. */
async function asked({ isHeld = true, original = "off" }): Promise<string[]> {
  const names: string[] = [];
  const run = (commands: readonly string[][]): Promise<string> => {
    names.push(...commands.map(([name]) => name!));
    return Promise.resolve("");
  };
  const codec = new RowCodec();
  const tmux = { target: {}, codec, run } as unknown as Tmux;
  const remains = new RemainOnExit("%1", (...commands) => {
    const [name] = commands[0]!;
    return Promise.resolve(name === "display-message" ? `${original}${codec.divider}` : "");
  });
  if (isHeld) await remains.hold(tmux);
  await remains.closeDead(tmux, { exitCode: 3 });
  return names;
}

Deno.test("a dead pane that a command kept is removed, one that it never held is left alone", async () => {
  assertEquals(await asked({ isHeld: true }), ["if-shell"]);
  assertEquals(await asked({ isHeld: false }), []);
});

Deno.test("a dead pane stays if its user's remain-on-exit says so, as `key` of tmux 3.7 does", async () => {
  for (const original of ["on", "failed", "key"]) {
    assertEquals((await asked({ original })).includes("if-shell"), false, original);
  }
});
