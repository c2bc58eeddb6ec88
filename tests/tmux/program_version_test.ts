// Which versions are served, however tmux spells them; what is too old is refused on both ways to a server.
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { createExec } from "../../src/tmux/client.ts";
import { encodeMessage, MESSAGE } from "../../src/tmux_protocol/imsg.ts";
import { openSocketLibc } from "../../src/ffi/sockets.ts";
import { checkVersion } from "../../src/tmux_exec/version.ts";
import { readVersion } from "../../src/tmux/program_version.ts";
import { fakeServer, untilClosed } from "../tmux_protocol/fake_server.ts";
import { findLibcPath } from "./private_tmux.ts";

function isServed(version: string): boolean {
  try {
    checkVersion(version, "");
    return true;
  } catch (error) {
    assertEquals((error as AppError).code, "unsupported");
    return false;
  }
}

Deno.test("3.2 and newer are served, in every spelling", () => {
  for (const version of ["3.2", "3.2a", "3.3a", "3.10", "next-3.8", "openbsd-7.4", "master", "4.0-rc"]) {
    assertEquals([version, isServed(version)], [version, true]);
  }
  for (const version of ["3.1c", "2.9a", "1.8", "next-3.1", "3.0a"]) {
    assertEquals([version, isServed(version)], [version, false]);
  }
});

/** A tmux that says it is this version, and `ran` to anything else. */
async function tmuxOf(version: string, folder: string): Promise<string> {
  const bin = `${folder}/tmux`;
  const script = `#!/bin/sh\n[ "$1" = -V ] && echo "tmux ${version}" || echo ran\n`;
  await Deno.writeTextFile(bin, script, { mode: 0o755 });
  return bin;
}

Deno.test("a program that is too old runs nothing, says what to install, and may be replaced meanwhile", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const bin = await tmuxOf("3.1c", folder);
    const { exec } = createExec({ bin, socketArgs: [], env: { PATH: "/usr/bin:/bin" } });
    const error = await assertRejects(() => exec([["list-sessions"]]), AppError) as AppError;
    assertEquals(error.message, "tmux 3.1c is too old: 3.2 or newer is needed");
    assertStringIncludes(error.hint ?? "", "apt install tmux");
    await tmuxOf("3.5a", folder);
    assertEquals(new TextDecoder().decode((await exec([["list-sessions"]])).stdout), "ran\n");
    assertEquals(await readVersion({ bin, env: {} }), "3.5a");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a running server that is too old is refused, and the command does not reach it", async () => {
  await using server = await fakeServer(async (conn) => {
    await conn.write(encodeMessage(MESSAGE.writeOpen, 1, 1, 0));
    await conn.read(new Uint8Array(100));
    await conn.write(encodeMessage(MESSAGE.write, 1, new TextEncoder().encode("é3.0a")));
    await conn.write(encodeMessage(MESSAGE.exit, 0));
    await untilClosed(conn);
  });
  using libc = openSocketLibc(findLibcPath());
  const { exec } = createExec({ bin: "tmux", socketArgs: ["-S", server.path], env: {} }, libc);
  const error = await assertRejects(() => exec([["kill-server"]]), AppError) as AppError;
  assertEquals([error.code, server.clients], ["unsupported", 1]);
  assertStringIncludes(error.hint ?? "", "End that server");
});

Deno.test("a link's own name before the version is that of tmux", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const bin = `${folder}/tm`;
    await Deno.writeTextFile(bin, `#!/bin/sh\necho "tm 3.3a"\n`, { mode: 0o755 });
    assertEquals(await readVersion({ bin, env: {} }), "3.3a");
    const other = `${folder}/cat`;
    await Deno.rename(bin, other);
    await assertRejects(() => readVersion({ bin: other, env: {} }), AppError, "reports no version: tm 3.3a");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
