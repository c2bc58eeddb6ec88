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
  // Servers take turns in the first run only: each turn starts a server and a tmux.
  const runs = [["--runs=2", "--rounds=2", "primitives"], ["--runs=1", "--rounds=1", "execute", "modern"]];
  const by = new Map<string, { servers: object; ratios: Record<string, number> }>();
  for (const args of runs) {
    const { stdout, stderr, success } = await bench("--json", `--peer=${ADAPTER}`, ...args);
    assert(success, stderr);
    for (const { name, ...found } of JSON.parse(stdout)) by.set(name, found);
  }
  for (const name of ["list-sessions", "capture-pane"]) {
    assertEquals(Object.keys(by.get(name)?.servers ?? {}), ["tmux-mcp", "toy-peer"], name);
    assert(Number.isFinite(by.get(name)?.ratios["toy-peer"]), JSON.stringify(by.get(name)));
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
