// Words that ssh hands to a login shell arrive as they were, whatever shell that is.
import { assertEquals } from "@std/assert";
import { shellWord } from "../../../src/shell/quoting.ts";
import { remoteCommand } from "../../../src/tmux/ssh/command.ts";

const AWKWARD = [
  ...[
    "",
    " ",
    "'",
    '"',
    "\\",
    "`id`",
    "$(id)",
    "${HOME}",
    "$HOME",
    ";",
    "a;",
    "&&",
    "|",
    "!",
    "!!",
    "#x",
    "~",
    "*",
  ],
  ...[
    "-n",
    "--",
    "%s",
    "%",
    "%%",
    "\n",
    "a\nb\n",
    "\t",
    "\r",
    "\x02\x7f",
    "\\0101",
    "\\n",
    "é",
    "日本",
    "{a,b}",
    "[x]",
  ],
];

for (const shell of ["bash", "dash", "zsh", "fish", "ksh", "mksh", "busybox sh", "tcsh"]) {
  const [bin = "", ...args] = shell.split(" ");
  const ignore = !await isThere(bin);
  Deno.test({
    name: `every awkward word reaches a program through ${shell}`,
    ignore,
    fn: async () => {
      const line = remoteCommand(`exec ${["printf", "%s\\001", ...AWKWARD].map(shellWord).join(" ")}`);
      const { stdout } = await new Deno.Command(bin, {
        args: [...args, "-c", line],
        env: { PATH: "/usr/bin:/bin", HOME: "/nonexistent" },
        clearEnv: true,
        stdin: "null",
      }).output();
      assertEquals(new TextDecoder().decode(stdout).split("\x01").slice(0, -1), AWKWARD);
    },
  });
}

async function isThere(bin: string): Promise<boolean> {
  try {
    return (await new Deno.Command("which", { args: [bin], stdout: "null", stderr: "null" }).output())
      .success;
  } catch {
    return false;
  }
}
