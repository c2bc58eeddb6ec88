import { assertEquals, assertMatch } from "@std/assert";
import type { PaneInspection } from "../../../src/process/probe.ts";
import { until } from "../../support/until.ts";
import { PaneServer, settle } from "../panes.ts";
import { py } from "../program.ts";
import { remoteSight } from "../remote_sight.ts";

Deno.test({
  name: "memory that a shell with 32-bit arithmetic (mksh) did not print is asked for",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using server = await PaneServer.start();
    await using remote = remoteSight({ bin: "mksh" });
    const pane = await server.open(["bash", "--norc", "--noprofile"]);
    const seen = await settle<PaneInspection>(
      () => remote.inspector.inspect(pane),
      ({ waitingForInput }) => waitingForInput,
    );
    assertEquals([seen.inputKind, seen.isPrompt], ["raw", true]);
    assertMatch(seen.evidence, /^pselect6 on /);
  },
});

/** The second would end the shell if it were run; the third has the fields of a group that is in front. */
const HOSTILE = ["ev\nil", "x `kill\t$$`\n", "x) S 1 1 1\ny"];

/** Starts a program under this name, which its parent leaves to init. */
async function startNamed(name: string): Promise<AsyncDisposable> {
  const lines = py(
    "import ctypes, time",
    `ctypes.CDLL(None).prctl(15, ${JSON.stringify(name)}.encode())`,
    "time.sleep(100)",
  );
  const { stdout } = await new Deno.Command("sh", {
    args: ["-c", '"$0" "$@" >/dev/null 2>&1 & echo $!', ...lines],
  }).output();
  const pid = Number(new TextDecoder().decode(stdout));
  await until(async () => await Deno.readTextFile(`/proc/${pid}/comm`) === `${name}\n`);
  return { [Symbol.asyncDispose]: () => Promise.resolve(Deno.kill(pid, "SIGKILL")) };
}

Deno.test({
  name: "no process's name ends the shell, is run there, or passes for what the kernel says",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using _named = new AsyncDisposableStack();
    for (const name of HOSTILE) _named.use(await startNamed(name));
    await using server = await PaneServer.start();
    for (const bin of ["sh", "bash", "mksh", "busybox"]) {
      await using remote = remoteSight({ bin, args: bin === "busybox" ? ["sh"] : [] });
      const pane = await server.open(["cat"]);
      const inspect = () => remote.inspector.inspect(pane);
      const seen = await settle<PaneInspection>(inspect, ({ waitingForInput }) => waitingForInput);
      assertEquals([bin, seen.foregroundCmd, seen.inputKind], [bin, "cat", "line"], seen.evidence);
    }
  },
});
