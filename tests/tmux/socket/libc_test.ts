import { assert, assertEquals } from "@std/assert";
import { openSocketLibc } from "../../../src/tmux/socket/libc.ts";
import { findLibcPath } from "../private_tmux.ts";

Deno.test({
  name: "a widened fifo holds what a flood writes while its reader rests",
  ignore: Deno.build.os !== "linux",
  async fn() {
    using libc = openSocketLibc(findLibcPath());
    const folder = await Deno.makeTempDir();
    const path = `${folder}/fifo`;
    assert(libc.makeFifo(path));
    const reader = libc.openRead(path);
    const writer = libc.openWrite(path, 0);
    assert("fd" in reader && "fd" in writer);
    try {
      libc.widenFifo(reader.fd);
      libc.write(writer.fd, new Uint8Array(200_000));
      assertEquals(libc.readNow(reader.fd, new Uint8Array(1 << 18)), 200_000);
      assertEquals(libc.readNow(reader.fd, new Uint8Array(8)), "none yet");
    } finally {
      libc.closeFile(reader.fd);
      libc.closeFile(writer.fd);
      await Deno.remove(folder, { recursive: true });
    }
  },
});
