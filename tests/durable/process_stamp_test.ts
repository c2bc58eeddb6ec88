// Marks of other processes: dead, out of sight, of an earlier boot.
import { assert, assertEquals } from "@std/assert";
import { findLibc, openLibc } from "../../src/ffi/libc.ts";
import { ProcessStamp } from "../../src/durable/process_stamp.ts";

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
