import { assertEquals, assertRejects } from "@std/assert";
import type { PaneInfo } from "../../../src/tmux/objects/panes.ts";
import { readPanes } from "../../../src/tmux/capture/many_panes.ts";
import type { TmuxGateway } from "../../../src/tmux/gateway.ts";
import { TooMuchOutput } from "../../../src/tmux_exec/bounded_output.ts";

/** Two panes, of which tmux can print this many rows in all, twice. */
function panesOf(most: number) {
  const histories: Record<string, number> = { "%0": 100, "%1": 3 };
  const runEach = (commands: string[][]) => {
    const printed = commands.map(([, , , , id, , start]) => {
      const rows = start === "-" ? Infinity : -Number(start);
      return Array.from({ length: Math.min(rows, histories[id!]!) + 1 }, (_, row) => `${id} ${row}\n`).join(
        "",
      );
    });
    const rows = printed.join("").split("\n").length - 1;
    return rows > most ? Promise.reject(new TooMuchOutput()) : Promise.resolve(printed);
  };
  const panes = Object.entries(histories).map(([id, historySize]) => ({
    id,
    historySize,
    height: 1,
    width: 80,
  }));
  return { tmux: { runEach } as unknown as TmuxGateway, panes: panes as PaneInfo[] };
}

async function read(most: number, history: number): Promise<[string, number, boolean][]> {
  const { tmux, panes } = panesOf(most);
  const all = await Array.fromAsync(readPanes(tmux, panes, history));
  return all.map(({ pane, lines, isCut }) => [pane.id, lines.length, isCut === true]);
}

Deno.test("the whole history of panes is read where tmux can print it", async () => {
  assertEquals(await read(210, Infinity), [["%0", 101, false], ["%1", 4, false]]);
});

Deno.test("the last part is read of a pane that holds more than tmux can print, and all of the others", async () => {
  assertEquals(await read(100, Infinity), [["%0", 26, true], ["%1", 4, false]]);
});

Deno.test("screens that are too large by themselves fail", async () => {
  await assertRejects(() => read(3, 5), TooMuchOutput);
});
