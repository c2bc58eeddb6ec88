// Processes of this machine as it reports them.
import { assertEquals } from "@std/assert";
import { openLibc } from "../../src/ffi/libc.ts";
import { LocalMachine } from "../../src/machines/local.ts";
import { ProcFs } from "../../src/process/linux/procfs.ts";
import type { ProcessInspector } from "../../src/process/process_inspector.ts";
import { createProbe } from "../../src/process/create_probe.ts";
import { findSystemLibc, openSystemLibc } from "../process/system_libc.ts";

for (const [shell, bin, pairs] of [["fish", "fish", 1], ["ksh", "ksh93", 2], ["yash", "yash", 1]] as const) {
  Deno.test({
    name: `a copy of ${shell} shows where it waits, and leaves nothing; a program that PATH lacks is not run`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      const libc = openSystemLibc();
      const TMPDIR = await Deno.makeTempDir();
      const env = { PATH: Deno.env.get("PATH")!, TMPDIR, LANG: "C.UTF-8" };
      const inspector = createProbe(libc);
      const machine = new LocalMachine({ bin: "tmux", env, socketFolder: "/nowhere", libc, inspector });
      try {
        const path = await programPath(bin);
        const program = new ProcFs(libc).identity(path)!.inode;
        const found = await machine.measureShell(shell, program);
        assertEquals(found.map(({ prompt, question }) => prompt < question), Array(pairs).fill(true));
        assertEquals(await machine.measureShell(shell, "0:0:0"), []);
        assertEquals(await Array.fromAsync(Deno.readDir(TMPDIR)), []);
      } finally {
        await Deno.remove(TMPDIR, { recursive: true });
        libc.unload();
      }
    },
  });
}

async function programPath(name: string): Promise<string> {
  for (const folder of Deno.env.get("PATH")!.split(":")) {
    const path = `${folder}/${name}`;
    if ((await Deno.stat(path).catch(() => undefined))?.isFile) return path;
  }
  throw new Error(`no ${name}`);
}

Deno.test("a folder may be given below the home folder, and must be one that can be opened", async () => {
  const home = await Deno.makeTempDir();
  const libc = openSystemLibc();
  try {
    await Deno.mkdir(`${home}/a~`);
    const options = { bin: "tmux", env: { HOME: home }, socketFolder: "/nowhere" };
    const machine = new LocalMachine({ ...options, libc, inspector: {} as ProcessInspector });
    const folders = ["~", "~/a~", "~/none", "~nobody", `${home}/a~`].map((path) => machine.folder(path));
    assertEquals(await Promise.all(folders), [home, `${home}/a~`, undefined, undefined, `${home}/a~`]);
    await Deno.symlink(`${home}/loop`, `${home}/loop`);
    // tmux would start in the home folder instead.
    for (const path of ["n".repeat(300), "loop"]) {
      assertEquals(await machine.folder(`${home}/${path}`), undefined);
    }
  } finally {
    libc.unload();
    await Deno.remove(home, { recursive: true });
  }
});

const LIBC = findSystemLibc();

Deno.test({
  name: "a folder that Deno does not let the server inspect is left to tmux",
  permissions: { read: false, ffi: [LIBC] },
  async fn() {
    const libc = openLibc(LIBC);
    const options = { bin: "tmux", env: {}, socketFolder: "/nowhere" };
    const machine = new LocalMachine({ ...options, libc, inspector: {} as ProcessInspector });
    assertEquals(await machine.folder("/private"), "/private");
    libc.unload();
  },
});
