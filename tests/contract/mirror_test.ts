// A unit test's path mirrors the path of the file that it tests.
import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";

const root = fromFileUrl(new URL("../..", import.meta.url));
/** Folders for what is tested whole: laws, real clients, packages, pages, scripts. */
const WHOLE = /^(?:abuse|browser|contract|docs|e2e|packages|scripts|soak|views)\//;

async function filesUnder(folder: string, prefix = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(`${folder}/${prefix}`)) {
    if (isDirectory) found.push(...await filesUnder(folder, `${prefix}${name}/`));
    else if (name.endsWith(".ts")) found.push(`${prefix}${name}`);
  }
  return found;
}

/** Unit tests without a file: `tmux/rows_test.ts` and `tmux/rows_of_panes_test.ts` test `tmux/rows.ts`. */
function astray(tests: readonly string[], sources: readonly string[]): string[] {
  const tested = new Set(sources.map((source) => source.replace(/\.ts$/, "")));
  return tests.filter((test) => {
    const words = test.replace(/_test\.ts$/, "").split("_");
    return !words.some((_, at) => tested.has(words.slice(0, at + 1).join("_")));
  });
}

Deno.test("each unit test stands where the file does that it tests", async () => {
  const workers = (await filesUnder(`${root}/workers`)).map((path) => `workers/${path}`);
  const sources = [...await filesUnder(`${root}/src`), ...workers];
  const tests = (await filesUnder(`${root}/tests`)).filter((path) => path.endsWith("_test.ts"));
  const units = tests.filter((path) => !WHOLE.test(path));
  assertEquals(units.length > 100, true);
  assertEquals(astray(units, sources), []);
});

Deno.test("a unit test of no file is named", () => {
  const sources = ["tmux/rows.ts", "tmux/row_codec.ts"];
  const tests = ["tmux/rows_test.ts", "tmux/rows_of_panes_test.ts", "tmux/columns_test.ts", "rows_test.ts"];
  assertEquals(astray(tests, sources), ["tmux/columns_test.ts", "rows_test.ts"]);
});
