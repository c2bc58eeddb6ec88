// The manifests of the packages: they fit what registries take, have one version and one address, and start what is there.
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { join } from "@std/path";
import type * as z from "zod";
import { binaryName, homebrewFormula, readChecksums } from "../../scripts/packages/formula.ts";
import { identityOf, readIdentity, ROOT } from "../../scripts/packages/identity.ts";
import { bundleManifest, manifests } from "../../scripts/packages/manifests.ts";
import { VERSION } from "../../src/version.ts";
import * as schemas from "./manifest_schemas.ts";

const identity = await readIdentity();

/** Schemas by the path of the manifest they are for. */
const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  ".claude-plugin/plugin.json": schemas.claudePlugin,
  ".claude-plugin/marketplace.json": schemas.claudeMarketplace,
  ".cursor-plugin/plugin.json": schemas.cursorPlugin,
  "gemini-extension.json": schemas.geminiExtension,
  "packages/server.json": schemas.registryEntry,
};

/** Every value of a JSON object that stands under this key, however deep. */
function valuesOf(json: unknown, key: string): unknown[] {
  if (typeof json !== "object" || json === null) return [];
  return Object.entries(json).flatMap(([name, value]) => [
    ...(name === key ? [value] : []),
    ...valuesOf(value, key),
  ]);
}

for (const [path, schema] of Object.entries(SCHEMAS)) {
  Deno.test(`${path} fits its schema, has the version of deno.json and starts what is there`, async () => {
    const text = await Deno.readTextFile(join(ROOT, path));
    assertEquals(text, manifests(identity).get(path), "run `deno task gen`");
    const manifest = JSON.parse(text);
    schema.parse(manifest);
    assertEquals(new Set(valuesOf(manifest, "version")).difference(new Set([VERSION])), new Set());
    for (const command of valuesOf(manifest, "command") as string[]) {
      if (command === "npx") continue;
      const { mode } = await Deno.stat(command.replace(/^\$\{\w+\}/, ROOT));
      assert((mode! & 0o111) !== 0, command);
    }
    for (const folder of valuesOf(manifest, "skills") as string[]) {
      assert((await Deno.stat(join(ROOT, folder))).isDirectory, folder);
    }
  });
}

Deno.test("skills are where Claude Code and Gemini CLI look for them", async () => {
  for await (const { name } of Deno.readDir(join(ROOT, "skills"))) {
    assertMatch(await Deno.readTextFile(join(ROOT, "skills", name, "SKILL.md")), /^---\nname: /);
  }
});

Deno.test("an MCP bundle's manifest fits its schema on both platforms", () => {
  for (const platform of ["linux", "darwin"] as const) {
    const manifest = schemas.bundleManifest.parse(bundleManifest(identity, platform));
    assertEquals([manifest.version, manifest.compatibility.platforms], [VERSION, [platform]]);
  }
});

Deno.test("addresses follow from the repository in deno.json, and an address that is not GitHub's is refused", () => {
  const moved = identityOf({ ...identity, repository: "https://github.com/someone/fork" });
  assertEquals(moved.registryName, "io.github.someone/fork");
  assertEquals(moved.bugs, "https://github.com/someone/fork/issues");
  const texts = [...manifests(moved).values()].join("\n");
  assert(!texts.includes(identity.repository), texts);
  assertThrows(
    () => identityOf({ ...identity, repository: "http://x" }),
    Error,
    'Invalid repository "http://x"',
  );
});

Deno.test("the formula has each platform's binary with its checksum, and fails without one", () => {
  const platforms = ["macos-arm64", "macos-x64", "linux-arm64", "linux-x64"];
  const sums = platforms.map((platform, at) => `${`${at}`.repeat(64)}  ${binaryName(identity, platform)}`);
  const formula = homebrewFormula(identity, readChecksums(sums.join("\n")));
  for (const [at, platform] of platforms.entries()) {
    const file = RegExp.escape(binaryName(identity, platform));
    assertMatch(formula, new RegExp(`/v${VERSION}/${file}"\n\\s+sha256 "${at}{64}"`));
  }
  assertEquals(
    formula.match(/^\s*(class|on_\w+ do|def|test do)/gm)?.length,
    formula.match(/^\s*end$/gm)?.length,
  );
  for (const system of ["on_macos", "on_linux"]) assertEquals(formula.split(`${system} do`).length, 2);
  assertThrows(() => homebrewFormula(identity, readChecksums(sums[0]!)), Error, "no checksum of");
});

Deno.test("the container has tmux, the launcher as its entry, and none of the checkout's caches", () => {
  const files = manifests(identity);
  const text = files.get("packages/Containerfile")!;
  assertMatch(text, /install .*\btmux\b/);
  // The first process of a container collects the zombies of all others.
  assertMatch(text, /^ENTRYPOINT \["\/usr\/bin\/tini", "--", "\/opt\/tmux-mcp\/scripts\/tmux-mcp"\]$/m);
  assert(text.includes(`image.version="${VERSION}"`) && text.includes(identity.registryName));
  assert(files.get("packages/Containerfile.dockerignore")!.includes(".tools\n"));
});
