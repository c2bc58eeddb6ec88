// The guides' calls, run in order against a real tmux, answer what the guides say.
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { World } from "../support/world.ts";
import { readSteps, runSteps } from "./guide.ts";

const GUIDES = fromFileUrl(new URL("../../docs/guides/", import.meta.url));

/** A page that says nothing of `--scope` must do with the tools of the default scope. */
function scopeOf(page: string): string {
  return page.includes("`--scope ") ? "all" : "agentic";
}

const names = [...Deno.readDirSync(GUIDES)].map(({ name }) => name).filter((name) => name !== "README.md");

for (const name of names.sort()) {
  Deno.test(`the calls of ${name} answer what it says`, async () => {
    const page = await Deno.readTextFile(GUIDES + name);
    const steps = readSteps(page);
    assert(steps.length > 5);
    await using world = await World.create();
    const client = await world.serve({ args: ["--scope", scopeOf(page)] });
    await runSteps(world, client, steps);
  });
}

Deno.test("the list of guides has every guide", async () => {
  const list = await Deno.readTextFile(GUIDES + "README.md");
  assertEquals([...list.matchAll(/\((\w+\.md)\)/g)].map(([, name]) => name).sort(), names.sort());
});
