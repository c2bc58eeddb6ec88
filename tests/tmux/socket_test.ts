import { assertEquals } from "@std/assert";
import { findSocketPath, withUsableFolders } from "../../src/tmux/socket.ts";
import { createProcessExec } from "../../src/tmux/spawn.ts";

Deno.test("the path follows tmux's own rules", () => {
  const inTmux = { TMUX: "/run/x/other,123,0", TMUX_TMPDIR: "/run/user/7" };
  assertEquals(findSocketPath([], {}, 7), "/tmp/tmux-7/default");
  assertEquals(findSocketPath([], { TMUX_TMPDIR: "/run/user/7" }, 7), "/run/user/7/tmux-7/default");
  assertEquals(findSocketPath([], { TMUX_TMPDIR: "", TMUX: "" }, 0), "/tmp/tmux-0/default");
  assertEquals(findSocketPath([], inTmux, 7), "/run/x/other");
  assertEquals(findSocketPath(["-L", "work"], inTmux, 7), "/run/user/7/tmux-7/work");
  assertEquals(findSocketPath(["-S", "/a/b"], inTmux, 7), "/a/b");
});

Deno.test("arguments that name no one socket name none", () => {
  for (const args of [["-S"], ["-L", ""], ["-L", "a", "-S", "b"], ["-C", "x"]]) {
    assertEquals(findSocketPath(args, {}, 7), undefined);
  }
});

Deno.test("tmux looks where we do", async () => {
  const folder = await Deno.makeTempDir();
  const env = { PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin", TMUX_TMPDIR: folder };
  try {
    for (const socketArgs of [[], ["-L", "work"], ["-S", `${folder}/mine`]]) {
      const { stderr } = await createProcessExec({ bin: "tmux", socketArgs, env })([["list-sessions"]]);
      assertEquals(stderr.includes(`${findSocketPath(socketArgs, env, Deno.uid() ?? -1)}`), true, stderr);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a TMUX_TMPDIR that leads nowhere counts as none, as tmux has it", async () => {
  const folder = await Deno.makeTempDir();
  const pathIn = (tmpdir: string): string | undefined =>
    findSocketPath([], withUsableFolders({ HOME: "/", TMUX_TMPDIR: tmpdir }), 7);
  try {
    assertEquals(pathIn(folder), `${folder}/tmux-7/default`);
    assertEquals(pathIn(`${folder}/gone`), "/tmp/tmux-7/default");
    assertEquals(withUsableFolders({ HOME: "/", TMUX_TMPDIR: `${folder}/gone` }), { HOME: "/" });
    assertEquals(withUsableFolders({ TMPDIR: `${folder}/gone` }), {});
    assertEquals(withUsableFolders({ TMPDIR: folder }), { TMPDIR: folder });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test({
  name: "a TMUX_TMPDIR that Deno does not let the server inspect is used",
  permissions: { read: false },
  fn() {
    assertEquals(withUsableFolders({ TMUX_TMPDIR: "/private" }), { TMUX_TMPDIR: "/private" });
  },
});
