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

Deno.test("a program has its own name, whatever its interpreter's is, and all of it", () => {
  const named: [comm: string, argv: readonly string[], name: string][] = [
    ["show.sh", ["/bin/sh", "./show.sh"], "show.sh"],
    ["show.sh", ["/bin/sh", "-e", "./show.sh", "sh"], "show.sh"],
    ["bash", ["-bash"], "bash"],
    ["python3.11", ["python3"], "python3"],
    ["tmux: client", ["tmux", "attach"], "tmux"],
    ["node-MainThread", ["node", "MainThread.js"], "node"],
    ["git-remote-http", ["/usr/lib/git-core/git-remote-https", "origin"], "git-remote-https"],
    ["git-remote-http", ["/usr/lib/git-core/git-remote-http", "origin"], "git-remote-http"],
    ["\u00fcber-alle-ser\ufffd", ["/bin/sh", "/bin/\u00fcber-alle-ser\u00fc"], "\u00fcber-alle-ser\u00fc"],
    ["\u00fc-alle-servern", ["/bin/sh", "/bin/\u00fc-alle-servern-an"], "\u00fc-alle-servern-an"],
  ];
  for (const [comm, argv, name] of named) assertEquals([comm, commandName(comm, argv)], [comm, name]);
});
