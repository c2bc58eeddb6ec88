// Questions of an ssh client on the terminal, and its state once it is through.

import { assert, assertEquals, assertMatch } from "@std/assert";
import type { PaneInspection } from "../../src/process/probe.ts";
import { createProbe } from "../../src/process/create_probe.ts";
import { type Pane, PaneServer, settle } from "./panes.ts";
import { LoopbackSshd } from "../support/sshd.ts";
import { remoteSight } from "./remote_sight.ts";
import { openSystemLibc } from "./system_libc.ts";

/** Words of a client that logs in. */
function session({ key }: LoopbackSshd): string[] {
  return ["-o", "StrictHostKeyChecking=no", "-i", key, "-tt", "root@127.0.0.1", "sleep", "500"];
}

const ROWS: readonly [
  name: string,
  options: (sshd: LoopbackSshd) => string[],
  kind: string,
  evidence: RegExp,
][] = [
  ["an unknown host key", () => ["root@127.0.0.1"], "line", /^read\(\d+\) on/],
  [
    "a password",
    () => ["-o", "StrictHostKeyChecking=no", "-o", "PubkeyAuthentication=no", "root@127.0.0.1"],
    "password",
    /^read\(\d+\) on/,
  ],
  [
    "a session: raw for as long as it lasts, whatever runs on the far side",
    session,
    "raw",
    /^p?poll on/,
  ],
];

Deno.test({
  name: "an ssh client waits for",
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
  async fn(t) {
    const libc = openSystemLibc();
    const probe = createProbe(libc);
    await using server = await PaneServer.start();
    await using sshd = await LoopbackSshd.start(server.home);
    for (const [name, options, kind, evidence] of ROWS) {
      await t.step(name, async () => {
        const pane: Pane = await server.open(sshd.client(...options(sshd)));
        const good = (inspection: PaneInspection) =>
          inspection.inputKind === kind && evidence.test(inspection.evidence);
        const inspection = await settle(() => probe.inspect(pane), good);
        assertEquals(inspection.inputKind, kind, `${inspection.evidence}\n${await server.screen(pane)}`);
        assertMatch(inspection.evidence, evidence);
        assertEquals(inspection.foregroundCmd, "ssh");
        await server.close(pane);
      });
    }
    libc.unload();
  },
});

Deno.test({
  name: "an ssh reads a terminal that is not its own: the master of a shared connection, and below sshpass",
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
  async fn(t) {
    const libc = openSystemLibc();
    const probe = createProbe(libc);
    await using server = await PaneServer.start();
    await using sshd = await LoopbackSshd.start(server.home);
    await using remote = remoteSight();
    const open = (name: string, ...options: string[]) => {
      const shared = [`ControlPath=${server.home}/${name}`, ...options].flatMap((option) => ["-o", option]);
      return server.open(sshd.client(...shared, ...session(sshd)));
    };
    const seesWait = async (pane: Pane, evidence: RegExp, command = "ssh") => {
      for (const inspect of [() => probe.inspect(pane), () => remote.inspector.inspect(pane)]) {
        const found = await settle<PaneInspection>(inspect, ({ evidence: text }) => evidence.test(text));
        assertEquals([found.inputKind, found.foregroundCmd], ["raw", command], found.evidence);
        assert(found.beside, found.evidence);
        assertMatch(found.evidence, evidence);
      }
    };
    await t.step("in the background", async () => {
      await seesWait(await open("a", "ControlMaster=auto", "ControlPersist=1"), /^p?poll on .* by ssh/);
    });
    await t.step("in another pane", async () => {
      await seesWait(await open("b", "ControlMaster=yes"), /^p?poll on (?!.* by )/);
      await seesWait(await open("b"), /^p?poll on .* by ssh/);
    });
    await t.step("with a terminal that sshpass gave it", async () => {
      const pane = await server.open(["sshpass", "-p", "unused", ...sshd.client(...session(sshd))]);
      await seesWait(pane, /^p?poll on .* by ssh/, "sshpass");
    });
    libc.unload();
  },
});
