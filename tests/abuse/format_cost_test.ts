// No format that is allowed keeps tmux busy, or ends it: tried on panes that make formats slow.
import { assert, assertEquals } from "@std/assert";
import { type TestClient, World } from "../support/world.ts";
import { numbers } from "../support/random.ts";
import { randomFormat } from "./format_texts.ts";

const FORMATS = 400;
/** Limit of tmux's CPU time in one call; `/proc` counts in hundredths of a second. */
const MOST_MS = 200;
/** tmux answers within this, or hangs. */
const DEADLINE = { timeout: 20_000 };

/** Sets a title of a million characters, fills a history, and stands in a folder whose name is no UTF-8. */
const LOUD =
  `d=$(printf 'caf\\351'); mkdir "$d"; cd "$d"; printf '\\033]2;%s\\033\\\\' "$(head -c 900000 /dev/zero | tr '\\0' x)"; seq 20000; echo ready; exec cat`;

/** Panes with a long title, a long path and long options. */
async function furnish(world: World, client: TestClient): Promise<string> {
  const path = [world.folder, ...Array.from({ length: 12 }, () => "x".repeat(250))].join("/");
  await Deno.mkdir(path, { recursive: true });
  const paneId = (await world.tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-c", path, LOUD)).trim();
  await world.tmux("set-option", "-g", "@long", "x".repeat(10_000));
  await world.tmux("set-buffer", "x".repeat(10_000));
  for (let i = 0; i < 12; i++) {
    await world.tmux(i % 3 === 0 ? "new-window" : i % 3 === 1 ? "split-window" : "new-session", "-d", "cat");
  }
  await client.ok("wait-for-text", { paneId, pattern: "ready", timeout: 30 });
  // tmux takes neither as it is.
  await world.tmux("rename-session", "-t", paneId, "a\u0378b");
  await world.tmux("select-pane", "-t", paneId, "-T", "a\u0378b");
  return paneId;
}

/** Ends tmux by force with the scope: one that a format keeps busy would not end otherwise. */
async function endable(world: World): Promise<Disposable & { pid: string }> {
  const pid = (await world.tmux("display-message", "-p", "#{pid}")).trim();
  return { pid, [Symbol.dispose]: () => Deno.kill(Number(pid), "SIGKILL") };
}

/** CPU time of a process so far (ms). */
async function cpuMs(pid: string): Promise<number> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

Deno.test("no format that expand-format takes keeps tmux busy", async () => {
  await using world = await World.create();
  const client = await world.serve({ args: ["--safety", "readonly"] });
  const paneId = await furnish(world, client);
  using tmux = await endable(world);
  const below = numbers(20_25);
  let taken = 0;
  for (let tried = 0; tried < FORMATS; tried++) {
    const format = randomFormat(below);
    const before = await cpuMs(tmux.pid);
    const { isError } = await client.call("expand-format", { format, paneId }, DEADLINE);
    if (!isError) taken++;
    const spent = await cpuMs(tmux.pid) - before;
    assert(spent <= MOST_MS, `${spent} ms of tmux for ${format}`);
  }
  assert(taken > FORMATS / 5, `only ${taken} were taken`);
});

const ENDLESS = {
  "loops in loops": "#{P:".repeat(22) + "x" + "}".repeat(22),
  "substitutions that grow": "#{s/a/aaaaaaaaaa/:".repeat(10) + "#{l:a}" + "}".repeat(10),
  "a wide padding": "#{p2000000000:x}",
  "counts in counts": "#{m/r:((a{1,255}){1,255}){1,255},aaaa}",
  "many digits": "#{e|/|f|2000000000:1,3}",
  "a loop over sessions with a second part": "#{S:a,b}",
  "the time of a client where nobody is attached": "#{client_activity}",
  "the time of a buffer where there is none": "#{t:buffer_created}",
  "the width of a character without one": "#{w:#{l:\u0378}}",
  "the end of a text with such a character": "#{=-5:#{l:\u0378}}",
};

Deno.test("a format that would take tmux with it is refused, to read and as an option", async (t) => {
  await using world = await World.create();
  await world.tmux("new-session", "-d", "-s", "main", "cat");
  using _tmux = await endable(world);
  const client = await world.serve();
  const [{ id: paneId, windowId }] = (await client.ok("list-panes")).panes;
  for (const [name, format] of Object.entries(ENDLESS)) {
    const passed = await t.step(name, async () => {
      assertEquals((await client.fails("expand-format", { format, paneId })).code, "denied");
      for (const option of ["automatic-rename-format", "pane-border-format", "@mine"]) {
        assertEquals(
          (await client.fails("set-option", { option, value: format, target: windowId })).code,
          "denied",
        );
      }
      const status = { option: "status-left", value: `%H${format}`, target: "main" };
      assertEquals((await client.fails("set-option", status)).code, "denied");
    });
    if (!passed) return;
  }
  assertEquals((await client.ok("list-sessions")).sessions.length, 1);
});
