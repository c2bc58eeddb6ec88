import { assert, assertEquals, assertThrows } from "@std/assert";
import { openLibc } from "../../src/ffi/libc.ts";
import type { PaneInspection } from "../../src/process/probe.ts";
import { createProbe } from "../../src/process/create_probe.ts";
import { readTerminalMode, writeTerminal } from "../../src/process/terminal.ts";
import { PaneServer, settle } from "./panes.ts";
import { findSystemLibc, openSystemLibc } from "./system_libc.ts";

Deno.test("a worker that may load libc by path, and nothing else, sees what we see", async () => {
  const libc = openSystemLibc();
  const probe = createProbe(libc);
  await using server = await PaneServer.start();
  const pane = await server.open(["cat"]);
  const expected = await settle(() => probe.inspect(pane), (inspection) => inspection.inputKind === "line");
  const permissions = {
    ffi: [findSystemLibc()],
    read: false,
    run: false,
    env: false,
    net: false,
    write: false,
    sys: false,
  };
  const worker = new Worker(new URL("probe_worker.ts", import.meta.url), {
    type: "module",
    deno: { permissions: { ...permissions, import: false } },
  });
  const seen = await new Promise<PaneInspection>((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message));
    };
    worker.postMessage({ libc: findSystemLibc(), pane });
  });
  worker.terminate();
  assertEquals(seen, expected);
  libc.unload();
});

Deno.test("writeTerminal() shows text and never waits for a stopped terminal", async () => {
  const libc = openSystemLibc();
  await using server = await PaneServer.start();
  const pane = await server.open(["sleep", "600"]);
  const text = new TextEncoder().encode("shown, not typed\r\n");
  assertEquals(writeTerminal(libc, pane.tty, text), text.length);
  const screen = await settle(() => server.screen(pane), (shown) => shown.includes("shown"));
  assertEquals(screen, "shown, not typed");
  await server.press(pane, "C-s");
  const flood = new Uint8Array(1 << 20).fill(0x2e);
  assert(writeTerminal(libc, pane.tty, flood)! < flood.length);
  assertEquals(writeTerminal(libc, "/dev/pts/no-such", text), undefined);
  libc.unload();
});

Deno.test("readTerminalMode() counts what was typed and not read", async () => {
  const libc = openSystemLibc();
  const probe = createProbe(libc);
  await using server = await PaneServer.start();
  const pane = await server.open(["sleep", "600"]);
  const takesLines = { ...(Deno.build.os === "linux" && { takesLines: true }) };
  const mode = { canonical: true, echo: true, edited: false, pending: 0, ...takesLines };
  assertEquals(readTerminalMode(libc, pane.tty), mode);
  await server.type(pane, "12345");
  const inspection = await settle(
    () => probe.inspect(pane),
    ({ evidence }) => evidence.startsWith("6 bytes unread"),
  );
  assertEquals(inspection.evidence, `6 bytes unread on ${pane.tty}`);
  assertEquals(readTerminalMode(libc, "/dev/null"), undefined);
  libc.unload();
});

Deno.test("a pane whose process ended is gone, and its terminal, which another may have by now, is left alone", async () => {
  const libc = openSystemLibc();
  const probe = createProbe(libc);
  await using server = await PaneServer.start();
  const pane = await server.open(["cat"]);
  await settle(() => probe.inspect(pane), (inspection) => inspection.waitingForInput);
  assertEquals([probe.foregroundGroup(pane.panePid), probe.groupAlive(pane.panePid)], [pane.panePid, true]);
  await server.close(pane);
  const inspection = await settle(() => probe.inspect(pane), (seen) => !seen.isAlive);
  assertEquals([inspection.isAlive, inspection.inputKind, inspection.evidence], [
    false,
    "none",
    `process ${pane.panePid} is gone`,
  ]);
  assertEquals(probe.foregroundGroup(pane.panePid), undefined);
  // tmux 3.8 no longer knows its pid.
  assertEquals(probe.inspect({ ...pane, panePid: 0 }).evidence, "the pane is dead");
  libc.unload();
});

Deno.test("openLibc() throws on a file that is no library", () => {
  assertThrows(() => openLibc("/etc/hostname"));
});

Deno.test("errno() tells why a call failed", { ignore: Deno.build.os !== "linux" }, () => {
  const libc = openSystemLibc();
  const ENOENT = 2;
  const ENOTDIR = 20;
  libc.open("/no/such/file");
  assertEquals(libc.errno(), ENOENT);
  libc.open("/dev/null/child");
  assertEquals(libc.errno(), ENOTDIR);
  libc.unload();
});
