import { assert, assertEquals } from "@std/assert";
import { openFifos } from "../../src/ffi/fifos.ts";
import { openSocketLibc } from "../../src/ffi/sockets.ts";
import { findLibcPath } from "../tmux/private_tmux.ts";

Deno.test({
  name: "a fifo is this user's alone, and holds what a flood writes while its reader rests",
  ignore: Deno.build.os !== "linux",
  async fn() {
    using libc = openSocketLibc(findLibcPath());
    using fifos = openFifos(findLibcPath());
    const folder = await Deno.makeTempDir();
    const fifo = fifos.make(folder);
    assert(fifo);
    const writer = libc.openWrite(fifo.path, 0);
    assert("fd" in writer);
    try {
      assertEquals((await Deno.stat(fifo.path)).mode! & 0o777, 0o600);
      fifo.hide();
      assertEquals([...Deno.readDirSync(folder)], []);
      libc.write(writer.fd, new Uint8Array(200_000));
      assertEquals(fifo.read(new Uint8Array(1 << 18)), 200_000);
      assertEquals(fifo.read(new Uint8Array(8)), "none yet");
      assertEquals(fifos.make(`${folder}/nowhere`), undefined);
    } finally {
      fifo.close();
      libc.closeFile(writer.fd);
      await Deno.remove(folder, { recursive: true });
    }
  },
});
