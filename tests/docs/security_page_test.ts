// docs/security.md, docs/watching.md and the guides name options that exist, and say truly what the denylist sees.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { flagOf } from "../../src/config/option_row.ts";
import { ROWS } from "../../src/config/table.ts";
import { AppError } from "../../src/errors.ts";
import { CommandFilter } from "../../src/policy/command_filter.ts";

const KEYS = new Set(ROWS.map(([, { key }]) => key));
const FLAGS = new Set(ROWS.map(([, row]) => flagOf(row)));
const DENO_FLAGS = /^--allow-(?:run|ffi|env|read|write)$/;

async function read(page: string): Promise<string> {
  return await Deno.readTextFile(fromFileUrl(new URL(`../../docs/${page}`, import.meta.url)));
}

function keysIn(text: string): Set<string> {
  const sections = [...new Set([...KEYS].map((key) => key.split(".")[0]))].join("|");
  return new Set([...text.matchAll(new RegExp(`\`((?:${sections})\\.[\\w.]+)`, "g"))].map(([, key]) => key!));
}

const guides = [...Deno.readDirSync(fromFileUrl(new URL("../../docs/guides", import.meta.url)))]
  .map(({ name }) => `guides/${name}`).sort();

for (const page of ["security.md", "watching.md", ...guides]) {
  Deno.test(`every option that ${page} names exists`, async () => {
    const text = await read(page);
    assertEquals([...keysIn(text)].filter((key) => !KEYS.has(key)), []);
    const flags = [...text.matchAll(/`(--[\w-]+)/g)].map(([, flag]) => flag!);
    assertEquals(flags.filter((flag) => !FLAGS.has(flag) && !DENO_FLAGS.test(flag)), []);
  });
}

Deno.test("security.md says something of every option of [security] and [audit]", async () => {
  const named = keysIn(await read("security.md"));
  assertEquals([...KEYS].filter((key) => /^(?:security|audit)\./.test(key) && !named.has(key)), []);
});

Deno.test("the denylist stops what security.md says, and does not see what it says", async () => {
  const blocks = [...(await read("security.md")).matchAll(/^```sh\n(.*?)\n```/gms)].map(([, block]) =>
    block!
  );
  const [stopped, unseen] = blocks.map((block) => block.split("\n"));
  assert(stopped && unseen && blocks.length === 2);
  const filter = new CommandFilter({
    filterMode: "denylist",
    filterPatterns: ["^rm\\b"],
    filterEnvironment: [],
  });
  for (const command of stopped) await assertRejects(() => filter.checkCommand(command, "bash"), AppError);
  for (const command of unseen) await filter.checkCommand(command, "bash");
});
