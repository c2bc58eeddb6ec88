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

/** Makes a fifo once every descriptor is in use, and prints the code of the error. */
const WITHOUT_DESCRIPTOR = `
import { openFifos } from ${JSON.stringify(import.meta.resolve("../../src/ffi/fifos.ts"))};
const [libcPath, folder] = Deno.args;
const fifos = openFifos(libcPath);
try {
  for (;;) Deno.openSync("/dev/null");
} catch {
  try {
    fifos.make(folder);
  } catch (error) {
    console.log(error.code);
  }
}`;

Deno.test({
  name: "a fifo that finds no descriptor left says so, and leaves no name",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const folder = await Deno.makeTempDir();
    const script = `${folder}/script.ts`;
    const fifoFolder = `${folder}/fifos`;
    await Deno.mkdir(fifoFolder);
    await Deno.writeTextFile(script, WITHOUT_DESCRIPTOR);
    try {
      const { stdout } = await new Deno.Command("sh", {
        args: [
          ...["-c", 'ulimit -n 64; exec "$@"', "sh", Deno.execPath(), "run", "-A", "--quiet", "--no-check"],
          ...["--no-config", script, findLibcPath(), fifoFolder],
        ],
        stderr: "inherit",
      }).output();
      assertEquals(new TextDecoder().decode(stdout), "busy\n");
      assertEquals([...Deno.readDirSync(fifoFolder)], []);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
