// The calls of the guides, of the troubleshooting page and of the README, run in order, answer what the pages say.
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { Far } from "../support/remote.ts";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { sideBySide } from "../support/side_by_side.ts";
import { type TestClient, World } from "../support/world.ts";
import { readSteps, runSteps } from "./guide.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const GUIDES = join(ROOT, "docs/guides");

const guides = [...Deno.readDirSync(GUIDES)].map(({ name }) => name).filter((name) => name !== "README.md");

/** A page that says nothing of `--scope` must do with the tools of the default scope. */
function scopeOf(page: string): string {
  return page.includes("`--scope ") ? "all" : "agentic";
}

/** Making a connection may take longer than a call waits on a busy machine; it continues, and the call says so. */
async function connect(client: TestClient, tries = 20): Promise<void> {
  const answer = await client.call("list-sessions", { host: "far" });
  if (!answer.isError) return;
  assert(answer._meta?.["tmux-mcp/error"]?.retryable && tries > 0, answer.content[0]?.text);
  await connect(client, tries - 1);
}

/** A login shell sets PATH to the system's tmux, and one of 3.3 can't talk to a server of 3.8. */
async function keepTmux(world: World): Promise<void> {
  await Deno.writeTextFile(`${world.folder}/.profile`, `PATH='${world.env["PATH"]}'\n`);
}

async function followRemotePage(page: string, args: readonly string[]): Promise<void> {
  await using remote = await Far.create();
  const client = await remote.serve(args);
  await connect(client);
  await runSteps(remote.world, client, readSteps(page));
}

async function followPage(path: string): Promise<void> {
  const page = await Deno.readTextFile(join(ROOT, path));
  const args = ["--scope", scopeOf(page)];
  if (page.includes("[hosts.far]")) return await followRemotePage(page, args);
  await using world = await World.create();
  await keepTmux(world);
  await runSteps(world, await world.serve({ args }), readSteps(page));
}

/** Pages that show all that their server has run or seen, and ones that need other settings. */
const ALONE = /"seq"|"total"|"active"|\[hosts\.far\]/;

const paths = [...guides.sort().map((name) => `docs/guides/${name}`), "docs/troubleshooting.md"];
const pages = paths.map((path) => ({ path, page: Deno.readTextFileSync(join(ROOT, path)) }));

Deno.test("every page has steps", () => {
  for (const { path, page } of pages) assert(readSteps(page).length > 5, path);
});

Deno.test("the calls of each guide with a server of its own answer what it says", async (t) => {
  const alone = pages.filter(({ page }) => ALONE.test(page));
  await sideBySide(t, alone.map(({ path }) => ({ name: path, run: () => followPage(path) })));
});

/** The default scope has no tool that says more about tmux. */
async function seesNoSession(client: TestClient): Promise<boolean> {
  return (await client.call("list-sessions")).structuredContent?.sessions?.length === 0;
}

for (const scope of ["agentic", "all"]) {
  const serve = async (world: World): Promise<TestClient> => {
    await keepTmux(world);
    return await world.serve({ args: ["--scope", scope] });
  };
  const about = `the calls of guides that share a server of the scope ${scope}`;
  const test = inTurnOnOneServer(about, serve, seesNoSession);
  for (const { path, page } of pages.filter(({ page }) => !ALONE.test(page) && scopeOf(page) === scope)) {
    test(path, async ({ world, client }) => {
      // A pane has one pipe, and tmux 3.2 is read through it.
      if (page.includes("`pipe-pane`") && !await world.attaches()) return;
      await runSteps(world, client, readSteps(page));
    });
  }
}

Deno.test("the call of the README returns what it says", async () => {
  const page = await Deno.readTextFile(join(ROOT, "README.md"));
  const [, part = ""] = /^## A call and its result\n(.*?)^## /ms.exec(page) ?? [];
  const steps = readSteps(part);
  assertEquals(steps.length, 1);
  await using world = await World.create();
  await runSteps(world, await world.serve({ args: ["--scope", "agentic"] }), steps);
});

Deno.test("the list of guides has every guide", async () => {
  const list = await Deno.readTextFile(join(GUIDES, "README.md"));
  assertEquals([...list.matchAll(/\((\w+\.md)\)/g)].map(([, name]) => name).sort(), guides.sort());
});
