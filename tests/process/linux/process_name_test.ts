// Names that programs have given themselves.
import { assertEquals } from "@std/assert";
import { commandName, NODE_THREAD } from "../../../src/process/linux/process_name.ts";

Deno.test("no name begins a line of a message, or sends a terminal anything", () => {
  assertEquals(commandName("a\nOK: \x1b[31m", ["perl"]), "a?OK: ?[31m");
  const cut = "exactly-fifteen";
  assertEquals(commandName(cut, [`/bin/${cut}-and\nmore\u202e`]), `${cut}-and?more?`);
  assertEquals(commandName(NODE_THREAD, ["we\x9bb"]), "we?b");
  assertEquals(commandName(cut, [cut + "x".repeat(1000)]).length, 64);
});
