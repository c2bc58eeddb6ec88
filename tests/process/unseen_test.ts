import { assertEquals } from "@std/assert";
import { findLibc, openLibc } from "../../src/ffi/libc.ts";
import { isUnseen } from "../../src/process/unseen.ts";

Deno.test({
  name: "a process is unseen that has no pid here, or another in its own namespace, or none in /proc",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const libc = openLibc(findLibc());
    const file = await Deno.makeTempFile();
    try {
      const open = (path: string) => libc.open(path === "/proc/77/status" ? file : path);
      const shown = Object.assign(Object.create(libc), { open });
      const isUnseenWith = async (pids: string): Promise<boolean> => {
        await Deno.writeTextFile(file, `NStgid:\t77\t5\nNSpid:\t${pids}\nNSpgid:\t77\t5\n`);
        return isUnseen(shown, 77);
      };
      assertEquals([isUnseen(shown, 0), await isUnseenWith("77\t5"), await isUnseenWith("77")], [
        true,
        true,
        false,
      ]);
      // A sandbox may have the /proc of another namespace, or none.
      for (const pid of ["1", undefined]) {
        const readLink = (path: string) => path === "/proc/self" ? pid : libc.readLink(path);
        assertEquals(isUnseen(Object.assign(Object.create(libc), { readLink }), Deno.pid), true);
      }
      assertEquals(isUnseen(libc, Deno.pid), false);
      // macOS tells no pid.
      const elsewhere = Object.assign(Object.create(libc), { platform: { ...libc.platform, os: "darwin" } });
      assertEquals(isUnseen(elsewhere, 0), false);
    } finally {
      await Deno.remove(file);
      libc.unload();
    }
  },
});
