// Marks of other processes: dead, out of sight, of an earlier boot.
import { assert, assertEquals } from "@std/assert";
import { findLibc, openLibc } from "../../src/ffi/libc.ts";
import { ProcessStamp } from "../../src/durable/process_stamp.ts";
import { pollUntil } from "../../src/timer.ts";
import { PIPE_OF } from "../../src/watch/protocol.ts";

Deno.test("a process is of an earlier boot if its pids were this machine's, and it showed no life since", {
  ignore: Deno.build.os !== "linux",
}, () => {
  const libc = openLibc(findLibc());
  using _ = { [Symbol.dispose]: () => libc.unload() };
  const identity = new ProcessStamp(libc, Deno.pid).identity;
  assert(identity);
  const { stamp } = identity;
  const earlier = stamp.replace(/@\S+/, "@00000000-0000-0000-0000-000000000000");
  const foreign = earlier.replace(/\S+@/, "pid:[1]@");
  const booted = Date.now() - 1000 * Number(Deno.readTextFileSync("/proc/uptime").split(" ")[0]);
  const hour = 3_600_000;
  const judged = [[earlier, booted - hour], [earlier, booted + hour], [stamp, booted - hour], [
    foreign,
    0,
  ]] as const;
  assertEquals(judged.map(([each, at]) => identity.isFromEarlierBoot(each, at)), [true, false, false, false]);
  assertEquals([stamp, earlier, foreign].map((each) => identity.isElsewhere(each)), [false, true, true]);
});

Deno.test("a pipe is known from its start, before its shell has become the process that reads", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  const libc = openLibc(findLibc());
  using _ = { [Symbol.dispose]: () => libc.unload() };
  const stamp = new ProcessStamp(libc, Deno.pid);
  const script = `read go; export ${PIPE_OF}=%7; echo begun; exec cat`;
  const child = new Deno.Command("sh", { args: ["-c", script], stdin: "piped", stdout: "piped" }).spawn();
  const known = () => ["%7", "%70"].map((paneId) => stamp.readsPipe(Deno.pid, paneId));
  assert(await pollUntil(() => stamp.readsPipe(Deno.pid, "%7"), { ms: 5000, pauseMs: 10 }));
  assertEquals(known(), [true, false]);
  const input = child.stdin.getWriter();
  await input.write(new TextEncoder().encode("\n"));
  const isCat = () => Deno.readTextFileSync(`/proc/${child.pid}/cmdline`).startsWith("cat");
  assert(await pollUntil(isCat, { ms: 5000, pauseMs: 10 }));
  assertEquals(known(), [true, false]);
  await input.close();
  await child.output();
});
