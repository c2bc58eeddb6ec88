// The line that a person has begun, or not, in the memory of bash and zsh.
import { assertEquals } from "@std/assert";
import { LineEditors } from "../../../src/process/linux/line_editors.ts";
import { ProcFs } from "../../../src/process/linux/procfs.ts";
import type { EditedLine } from "../../../src/process/process_inspector.ts";
import { until } from "../../support/until.ts";
import { PaneServer } from "../panes.ts";
import { openSystemLibc } from "../system_libc.ts";

type Step = readonly [key: string, line: EditedLine | undefined];

/** Keys in the order in which they are pressed, and the line after each. */
const STEPS: Readonly<Record<string, readonly Step[]>> = {
  "bash --norc": [
    ["e", "begun"],
    ["BSpace", "empty"],
    ["C-x", undefined],
    ["C-c", "empty"],
    ["C-r", undefined],
    ["C-g", "empty"],
    ["C-v", undefined],
    ["a", "begun"],
    ["C-u", "empty"],
    ["M-3", undefined],
    ["C-c", "empty"],
    ["(", "begun"],
    ["Enter", "continued"],
    ["e", "continued"],
    ["C-c", "empty"],
  ],
  "bash --norc -o vi": [
    ["e", "begun"],
    ["Escape", "begun"],
    ["x", undefined],
    ["d", undefined],
    ["C-c", "empty"],
  ],
  "zsh -f": [
    ["e", "begun"],
    ["BSpace", "empty"],
    ["C-x", undefined],
    ["C-g", "empty"],
    ["C-r", undefined],
    ["C-g", "empty"],
    ["C-v", undefined],
    ["a", "begun"],
    ["C-u", "empty"],
    ["M-3", undefined],
    ["C-g", "empty"],
    ["M-x", undefined],
    ["C-g", "empty"],
    ["(", "begun"],
    ["Enter", "continued"],
    ["e", "continued"],
    ["C-c", "empty"],
  ],
  "zsh -f -o vi": [
    ["e", "begun"],
    ["Escape", "begun"],
    ["x", undefined],
    ["d", undefined],
    ["C-c", "empty"],
    ["R", "begun"],
  ],
};

Deno.test({
  name: "the memory of a line editor shows if its line is empty, begun, or in the middle of something",
  ignore: Deno.build.os !== "linux",
  fn: async (t) => {
    const libc = openSystemLibc();
    await using server = await PaneServer.start();
    for (const [command, steps] of Object.entries(STEPS)) {
      await t.step(command, async () => {
        const editors = new LineEditors(libc, new ProcFs(libc));
        const pane = await server.open(command.split(" "));
        const place = { shell: command.split(" ")[0]!, tty: pane.tty };
        const becomes = async (line: EditedLine | undefined, key: string): Promise<void> => {
          let last: EditedLine | undefined = "changing";
          await until(() => (last = editors.read(pane.panePid, place)) === line)
            .catch(() => assertEquals(last, line, key));
        };
        await becomes("empty", "at first");
        for (const [key, line] of steps) {
          await server.press(pane, key);
          await becomes(line, key);
        }
      });
    }
    libc.unload();
  },
});

Deno.test("a key that a shell has not read yet is on its way", async () => {
  const libc = openSystemLibc();
  await using server = await PaneServer.start();
  const editors = new LineEditors(libc, new ProcFs(libc));
  const pane = await server.open(["bash", "--norc"]);
  const read = (): EditedLine | undefined => editors.read(pane.panePid, { shell: "bash", tty: pane.tty });
  await until(() => read() === "empty");
  await server.type(pane, "sleep 100");
  // Before that, bash itself may read the next key.
  const running = ["display-message", "-p", "-t", pane.id, "#{pane_current_command}"];
  await until(async () => await server.run(running) === "sleep");
  await server.press(pane, "Enter");
  await until(() => read() === "changing");
  await server.press(pane, "C-c");
  await until(() => read() === "empty");
  libc.unload();
});
