// Arguments that every ssh of a connection is started with.
import { assert } from "@std/assert";
import { SshLink } from "../../../src/tmux/ssh/link.ts";
import { parseSshWords } from "../../../src/tmux/ssh/words.ts";

Deno.test("a session that sshd leaves no room for has a connection of its own, given up like the shared one", () => {
  const link = new SshLink({ host: "far", words: parseSshWords("far"), env: {}, folder: () => "/nowhere" });
  const args = link.via.args.join(" ");
  assert(args.includes("-o ServerAliveInterval=5 -o ServerAliveCountMax=2"), args);
  assert(args.includes("-o BatchMode=yes") && args.includes("-o ControlMaster=no"), args);
});
