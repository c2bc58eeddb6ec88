// `deno publish` would take this package: a typed public interface, nothing unstable, the files it runs on.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { readTree } from "../../scripts/deps/tree.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

Deno.test("a dry run of publishing succeeds, and takes what runs and no test", async () => {
  const output = await new Deno.Command(Deno.execPath(), {
    args: ["publish", "--dry-run", "--allow-dirty", "--no-check"],
    env: { NO_COLOR: "1" },
    cwd: ROOT,
    stdin: "null",
  }).output();
  const text = new TextDecoder().decode(output.stdout) + new TextDecoder().decode(output.stderr);
  assertEquals(output.code, 0, text);
  assert(!/warning|slow type problem/i.test(text), text);
  for (
    const file of [
      "deno.json",
      "main.ts",
      "src/mod.ts",
      "workers/watch_worker.ts",
      "views/pane.html",
      "LICENSE",
      "README.md",
    ]
  ) {
    assertStringIncludes(text, `/${file} (`);
  }
  assert(!text.includes("/tests/") && !text.includes("/.tools/"), text);
});

Deno.test("a package of which a file is read is imported there too, or Deno would not install it for who imports us", async () => {
  const packages = [...await readTree(ROOT)].flatMap(([path, text]) =>
    [...text.matchAll(/import\.meta\.resolve\("((?:@[\w-]+\/)?[\w-]+)\//g)].map(([, name]) => ({
      path,
      text,
      name,
    }))
  );
  assert(packages.length >= 4);
  const missing = packages.filter(({ text, name }) => !new RegExp(`\\bimport\\("${name}["/]`).test(text));
  assertEquals(missing.map(({ path, name }) => `${path}: ${name}`), []);
});
