import { assertEquals } from "@std/assert";
import { parseWaitStatus, signalName } from "../../src/process/signals.ts";

Deno.test("parseWaitStatus() tells codes from signals, with or without a core dump", () => {
  assertEquals(parseWaitStatus(3 << 8, "linux"), { exitCode: 3 });
  assertEquals(parseWaitStatus(0, "linux"), { exitCode: 0 });
  assertEquals(parseWaitStatus(0xff00, "linux"), { exitCode: 255 });
  assertEquals(parseWaitStatus(15, "linux"), { exitSignal: "SIGTERM" });
  assertEquals(parseWaitStatus(11 | 0x80, "linux"), { exitSignal: "SIGSEGV" });
  assertEquals(parseWaitStatus(35, "linux"), { exitSignal: "SIG35" });
});

Deno.test("signal names differ by system where the numbers do", () => {
  assertEquals([signalName(10, "linux"), signalName(10, "darwin")], ["SIGUSR1", "SIGBUS"]);
  assertEquals([signalName(17, "linux"), signalName(17, "darwin")], ["SIGCHLD", "SIGSTOP"]);
  assertEquals([signalName(18, "linux"), signalName(19, "darwin")], ["SIGCONT", "SIGCONT"]);
});
