import { assertEquals } from "@std/assert";
import { PaneListening } from "../../../src/process/linux/listening.ts";
import { ProcFs } from "../../../src/process/linux/procfs.ts";
import { openSystemLibc } from "../system_libc.ts";

Deno.test({
  name: "PaneListening rests after it has read the tables of sockets, for programs that always run",
  ignore: Deno.build.os !== "linux",
  fn() {
    const libc = openSystemLibc();
    const proc = new ProcFs(libc);
    const read: string[] = [];
    const text = proc.text.bind(proc);
    proc.text = (path) => {
      if (path.includes("/net/")) read.push(path.replace(/.*\//, ""));
      return text(path);
    };
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    let ran = 0.5;
    const ports = new PaneListening(proc, Deno.pid, { clock: () => ran });
    // Programs of other tests listen too.
    const listens = (at: number) => ports.poll(at).some(({ port }) => port === listener.addr.port);
    assertEquals([listens(0), listens(1e6), read], [true, true, ["tcp", "tcp6", "tcp", "tcp6"]]);
    assertEquals([listens(1e6 + 1e-3), read.length], [true, 4], "nothing has run");
    ran += 1;
    assertEquals([listens(1e6 + 1e-3), read.length], [true, 4], "it has just been read");
    assertEquals([listens(1e6 + 5000), read.length], [true, 6], "what has run meanwhile counts later");
    ports.close();
    libc.unload();
  },
});
