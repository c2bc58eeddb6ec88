// Processes of pipes, where a descriptor is left to look at them with and where none is.
import { assertEquals } from "@std/assert";
import { PipeProcesses } from "../../../workers/sources/pipe_processes.ts";
import { openSystemLibc } from "../../process/system_libc.ts";

const EMFILE = 24;
/** Larger than any pid. */
const NOBODY = 2 ** 30;

Deno.test({
  name: "whose child a process is, and whether it sleeps, is unknown without a descriptor",
  ignore: Deno.build.os !== "linux",
  fn() {
    const libc = openSystemLibc();
    let isFull = false;
    const processes = new PipeProcesses({
      ...libc,
      open: (path) => isFull ? -1 : libc.open(path),
      errno: () => isFull ? EMFILE : libc.errno(),
    });
    const look = () => [
      processes.isChild(Deno.pid, Deno.ppid),
      processes.isChild(Deno.pid, NOBODY),
      processes.isAsleep(NOBODY),
    ];
    assertEquals(look(), [true, false, true]);
    isFull = true;
    assertEquals(look(), [undefined, undefined, undefined]);
    libc.unload();
  },
});
