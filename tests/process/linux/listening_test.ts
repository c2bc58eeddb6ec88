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
    const poll = (at: number) => ports.poll(at).filter(({ port }) => port === listener.addr.port);
    const found = poll(0);
    assertEquals(found.length, 1);
    assertEquals([poll(1e6), read], [found, ["tcp", "tcp6", "tcp", "tcp6"]]);
    assertEquals([poll(1e6 + 1e-3), read.length], [found, 4], "nothing has run");
    ran += 1;
    assertEquals([poll(1e6 + 1e-3), read.length], [found, 4], "it has just been read");
    assertEquals([poll(1e6 + 5000), read.length], [found, 6], "what has run meanwhile counts later");
    ports.close();
    libc.unload();
  },
});
