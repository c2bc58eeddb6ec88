// The benchmark runs another server beside this one; the test does not judge what it measures.
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";

const SCRIPTS = fromFileUrl(new URL("../../scripts/", import.meta.url));
const ADAPTER = fromFileUrl(new URL("toy_adapter.ts", import.meta.url));

async function bench(...args: string[]): Promise<{ stdout: string; stderr: string; success: boolean }> {
  const output = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", `${SCRIPTS}bench.ts`, ...args],
    stdin: "null",
  }).output();
  const [stdout, stderr] = [output.stdout, output.stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { stdout: stdout!, stderr: stderr!, success: output.success };
}

Deno.test("bench measures a peer beside this server, and leaves out what the peer lacks", async () => {
  const { stdout, stderr, success } = await bench(
    "--json",
    "--runs=2",
    "--rounds=2",
    `--peer=${ADAPTER}`,
    "primitives",
    "execute",
    "modern",
  );
  assert(success, stderr);
  const found: { name: string; servers: object; ratios: Record<string, number> }[] = JSON.parse(stdout);
  const by = new Map(found.map((each) => [each.name, each]));
  for (const name of ["list-sessions", "capture-pane"]) {
    assertEquals(Object.keys(by.get(name)?.servers ?? {}), ["tmux-mcp", "toy-peer"], name);
    assert(Number.isFinite(by.get(name)?.ratios["toy-peer"]), stdout);
  }
  for (const name of ["pane-state", "execute true", "a line printed to a task that shows it"]) {
    assertEquals(Object.keys(by.get(name)?.servers ?? {}), ["tmux-mcp"], name);
  }
});

Deno.test("bench refuses an unknown measure, flag, count, adapter and commit in one line", async () => {
  for (
    const [word, said] of [
      ["fastness", "fastness"],
      ["--run=3", "--run=3"],
      ["--runs=0", '"0" for --runs'],
      ["--rounds=two", '"two" for --rounds'],
      ["--peer=/dev/null", "no adapter"],
      ["--peer=/no/such/adapter.ts", "/no/such/adapter.ts"],
      ["--against=no-such-commit", "no-such-commit"],
    ]
  ) {
    const { success, stderr } = await bench(word!, "list");
    assert(!success && stderr.includes(said!), stderr);
    assertEquals(stderr.trim().split("\n").length, 1, stderr);
  }
});
