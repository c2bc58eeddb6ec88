// The calls of the guides, of the troubleshooting page and of the README, run in order, answer what the pages say.
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { World } from "../support/world.ts";
import { readSteps, runSteps } from "./guide.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const GUIDES = join(ROOT, "docs/guides");

const guides = [...Deno.readDirSync(GUIDES)].map(({ name }) => name).filter((name) => name !== "README.md");

/** A page that says nothing of `--scope` must do with the tools of the default scope. */
function scopeOf(page: string): string {
  return page.includes("`--scope ") ? "all" : "agentic";
}

for (const path of [...guides.sort().map((name) => `docs/guides/${name}`), "docs/troubleshooting.md"]) {
  Deno.test(`the calls of ${path} answer what it says`, async () => {
    const page = await Deno.readTextFile(join(ROOT, path));
    const steps = readSteps(page);
    assert(steps.length > 5);
    await using world = await World.create();
    const client = await world.serve({ args: ["--scope", scopeOf(page)] });
    await runSteps(world, client, steps);
  });
}

Deno.test("the call of the README answers what it says", async () => {
  const page = await Deno.readTextFile(join(ROOT, "README.md"));
  const [, part = ""] = /^## A call and its answer\n(.*?)^## /ms.exec(page) ?? [];
  const steps = readSteps(part);
  assertEquals(steps.length, 1);
  await using world = await World.create();
  await runSteps(world, await world.serve({ args: ["--scope", "agentic"] }), steps);
});

Deno.test("the list of guides has every guide", async () => {
  const list = await Deno.readTextFile(join(GUIDES, "README.md"));
  assertEquals([...list.matchAll(/\((\w+\.md)\)/g)].map(([, name]) => name).sort(), guides.sort());
});
