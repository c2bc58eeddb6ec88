// A process whose main thread hangs is ended, even if no other process is left to end it.
import { assertEquals } from "@std/assert";

const FOLDER = new URL("../../", import.meta.url);

/** How a program ends whose watchdog has one second of patience. */
async function end(main: string): Promise<Deno.CommandStatus> {
  const code = `import { findLibc } from "${FOLDER}src/ffi/libc.ts";
    import { openLibc } from "${FOLDER}src/ffi/libc.ts";
    import { Watchdog } from "${FOLDER}src/process/watchdog.ts";
    const watchdog = new Watchdog(openLibc(findLibc()), 1);
    ${main}`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-lock", "--config", new URL("deno.json", FOLDER).pathname, code],
    stdin: "null",
  }).spawn();
  const late = setTimeout(() => child.kill("SIGKILL"), 120_000);
  const status = await child.status;
  clearTimeout(late);
  return status;
}

Deno.test("a main thread that hangs is ended by the kernel", async () => {
  assertEquals((await end("for (;;);")).signal, "SIGVTALRM");
});

Deno.test("a main thread that comes back to its event loop continues, however much it computes", async () => {
  const rounds = "for (let round = 0; round < 8; round++)";
  const work = "const until = performance.now() + 250; while (performance.now() < until);";
  const status = await end(`${rounds} { ${work} await new Promise((r) => setTimeout(r, 1)); } Deno.exit(3);`);
  assertEquals([status.signal, status.code], [null, 3]);
});

Deno.test("a watchdog that is called off ends nothing", async () => {
  const work = "const until = performance.now() + 2000; while (performance.now() < until);";
  const status = await end(`watchdog[Symbol.dispose](); ${work} Deno.exit(3);`);
  assertEquals([status.signal, status.code], [null, 3]);
});
