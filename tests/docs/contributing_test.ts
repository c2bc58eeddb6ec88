// CONTRIBUTING.md shows a tool in one place: it compiles, and everything a tool needs is derived from it.
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join, toFileUrl } from "@std/path";
import { Registry } from "../../src/server/registry.ts";
import { blocksOf } from "./guide.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

Deno.test("the tool that CONTRIBUTING.md adds compiles, is described, and runs", async () => {
  const page = await Deno.readTextFile(join(ROOT, "CONTRIBUTING.md"));
  const block = blocksOf(page).find(({ language }) => language === "ts");
  assert(block !== undefined);
  const source = block.text
    .replace(`"../tool.ts"`, `"${toFileUrl(join(ROOT, "src/tool.ts"))}"`)
    .replace(`"./params.ts"`, `"${toFileUrl(join(ROOT, "src/tools/params.ts"))}"`);
  const folder = await Deno.makeTempDir({ prefix: "tmux-mcp-test-" });
  try {
    const file = join(folder, "count_lines.ts");
    await Deno.writeTextFile(file, source);
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--quiet", "--config", join(ROOT, "deno.json"), file],
    }).output();
    assert(success, new TextDecoder().decode(stderr));
    const { countLines } = await import(toFileUrl(file).href);
    const registry = new Registry([countLines], { hosts: [], removedBy: () => undefined });
    const { name, annotations, inputSchema } = registry.find("count-lines")!.wire;
    assertEquals([name, annotations.readOnlyHint, inputSchema.required], ["count-lines", true, ["paneId"]]);
    const tmux = { capture: { lines: () => Promise.resolve(["a", "b"]) } };
    assertEquals(await countLines.run({ paneId: "%0" }, { tmux }), { paneId: "%0", lines: 2 });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
