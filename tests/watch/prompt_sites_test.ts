// Which waits of a shell count as its prompt, before and after one has been seen.
import { assertEquals } from "@std/assert";
import { PromptSites, type ReadSite } from "../../src/watch/prompt_sites.ts";

/** ksh93 with emacs' keys and with vi's. */
const MEASURED = [{ prompt: 13696, question: 16560 }, { prompt: 31696, question: 34560 }];

function site(depth: number): ReadSite {
  return { asks: false, shell: "1:2:3 10", depth, copied: { shell: "ksh", program: "1:2:3" } };
}

async function mayBe(sites: PromptSites, depth: number): Promise<boolean> {
  await sites.study(site(depth));
  return sites.mayBe(site(depth));
}

Deno.test("a copy tells prompts from questions, also where other libraries move both by some bytes", async () => {
  const measureShell = () => Promise.resolve(MEASURED);
  const depths = [13696, 13680, 14000, 31696, 31760, 16560, 16480, 19904, 34560, 60000];
  const sites = new PromptSites({ measureShell });
  const found = await Promise.all(depths.map((depth) => mayBe(sites, depth)));
  assertEquals(found, [true, true, true, true, true, false, false, false, false, false]);
});

Deno.test("a copy is made once, and not for a prompt that has been seen", async () => {
  let copies = 0;
  const measureShell = () => Promise.resolve(++copies).then(() => MEASURED);
  const sites = new PromptSites({ measureShell });
  await Promise.all([mayBe(sites, 13696), mayBe(sites, 13696)]);
  await mayBe(sites, 16560);
  assertEquals(copies, 1);
  const later = new PromptSites({ measureShell });
  later.learn(site(13680));
  assertEquals([await mayBe(later, 13680), copies], [true, 1]);
  assertEquals([await mayBe(later, 13696), await mayBe(later, 16560), copies], [true, false, 2]);
});

Deno.test("copies that do not answer in time are made again, but not at every command", async () => {
  let copies = 0;
  const measureShell = () =>
    ++copies === 2 ? Promise.resolve(MEASURED) : Promise.reject(new Error("too late"));
  const sites = new PromptSites({ measureShell });
  assertEquals([await mayBe(sites, 16560), await mayBe(sites, 16560), copies], [true, false, 2]);
  const later = new PromptSites({ measureShell });
  for (let commands = 0; commands < 9; commands++) await mayBe(later, 16560);
  assertEquals(copies, 5);
});

Deno.test("without a copy only the prompts that have been seen are prompts", async () => {
  const sites = new PromptSites();
  sites.learn(site(13680));
  assertEquals([await mayBe(sites, 13680), await mayBe(sites, 13696)], [true, false]);
});

Deno.test("bash may be at its prompt a few bytes from a known one, but not after Ctrl-X or in a builtin", () => {
  const sites = new PromptSites();
  const bash = (depth: number, runsCode?: boolean): ReadSite => ({
    ...{ asks: false, shell: "1:2:3", depth, runsCode: () => runsCode },
    copied: { shell: "bash", program: "1:2:3" },
  });
  sites.learn(bash(5328));
  const found = [bash(5360, false), bash(5360, true), bash(5360), bash(5376, false)];
  assertEquals(found.map((each) => sites.mayBe(each)), [true, false, true, false]);
});

for (
  const [what, measureShell] of [
    ["fails", () => Promise.reject(new Error("no tmux"))],
    ["says nothing", () => Promise.resolve([])],
  ] as const
) {
  Deno.test(`where a copy ${what}, any wait in a line editor may be the prompt`, async () => {
    assertEquals(await mayBe(new PromptSites({ measureShell }), 99_999), true);
  });
}
