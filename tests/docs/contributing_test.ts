// CONTRIBUTING.md shows a tool in one place: it compiles, and everything a tool needs is derived from it.
import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { Registry } from "../../src/server/registry.ts";
import { countLines } from "./added_tool.ts";
import { blocksOf } from "./guide.ts";

async function readLocal(path: string): Promise<string> {
  return await Deno.readTextFile(fromFileUrl(new URL(path, import.meta.url)));
}

Deno.test("the tool that CONTRIBUTING.md adds is the one that the check of types reads", async () => {
  const block = blocksOf(await readLocal("../../CONTRIBUTING.md")).find(({ language }) => language === "ts");
  const checked = (await readLocal("added_tool.ts"))
    .replace(/^\/\/ .*\n/, "")
    .replace(`"../../src/tool.ts"`, `"../tool.ts"`)
    .replace(`"../../src/tools/params.ts"`, `"./params.ts"`);
  assertEquals(`${block?.text}\n`, checked);
});

Deno.test("the tool that CONTRIBUTING.md adds is described, and runs", async () => {
  const registry = new Registry([countLines], { hosts: [], removedBy: () => undefined });
  const { name, annotations, inputSchema } = registry.find("count-lines")!.wire;
  assertEquals([name, annotations.readOnlyHint, inputSchema.required], ["count-lines", true, ["paneId"]]);
  const tmux = { capture: { lines: () => Promise.resolve(["a", "b"]) } };
  // deno-lint-ignore no-explicit-any -- as much of a context as it uses
  assertEquals(await countLines.run({ paneId: "%0" }, { tmux } as any), { paneId: "%0", lines: 2 });
});
