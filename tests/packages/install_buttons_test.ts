// The buttons of the README add what the npm package is started with.
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { readIdentity, ROOT } from "../../scripts/packages/identity.ts";
import { npmEntry } from "../../scripts/packages/manifests.ts";

Deno.test("each button of the README holds the entry of the npm package", async () => {
  const readme = await Deno.readTextFile(join(ROOT, "README.md"));
  const links = [...readme.matchAll(/\]\((https:[^)\s]*[?&]config=[^)\s]+)\)/g)]
    .map(([, link = ""]) => new URL(link));
  const entries = links.map(({ host, searchParams }) => {
    const config = searchParams.get("config") ?? "";
    return [host, searchParams.get("name"), JSON.parse(config.startsWith("{") ? config : atob(config))];
  });
  const entry = npmEntry(await readIdentity());
  assertEquals(entries, [["cursor.com", "tmux", entry], ["insiders.vscode.dev", "tmux", entry]]);
});
