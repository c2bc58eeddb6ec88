// A Tab in a workspace's line, typed into shells whose sleep is hidden or broken.
import { assertEquals, assertRejects } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { pastesTabs } from "../../src/workspaces/typed_tabs.ts";

type Typing = Parameters<typeof pastesTabs>[1];

/** A bash at its prompt in tmux 3.3, with the numbers of sleeps that its looks find, the last one again and again. */
function bash(...found: (number | undefined)[]): Typing {
  const sleeps = () => Promise.resolve(found.length > 1 ? found.shift() : found[0]);
  return {
    tmux: { machine: { inspector: { sleeps } }, run: () => Promise.resolve("") },
    watches: { state: () => Promise.resolve({ shell: "bash", inputKind: "shell", foregroundPid: 1 }) },
    snapshot: { version: "3.3" },
    signal: new AbortController().signal,
  } as unknown as Typing;
}

Deno.test("a Tab is pasted where the system does not show sleeps", async () => {
  assertEquals(await pastesTabs("%0", bash(undefined)), true);
});

Deno.test("a shell that was awake at the first look is looked at again", async () => {
  assertEquals(await pastesTabs("%0", bash(1, 2, 2, 2, 2, 3)), true);
  await assertRejects(() => pastesTabs("%0", bash(1, 2)), AppError, "Cannot type a Tab into bash");
});
