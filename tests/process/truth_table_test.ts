// Real programs in real panes: what is said of each must be true.

import { assert, assertEquals, assertMatch } from "@std/assert";
import { LIBC_CANDIDATES, openLibc } from "../../src/process/libc.ts";
import { createProbe, type PaneLook, type Probe } from "../../src/process/probe.ts";
import { NOBODY, type Pane, PaneServer, settle } from "./panes.ts";
import { type Program, PROGRAMS } from "./programs.ts";

const BATCH = 8;

const users = Deno.uid() === 0 ? [0, NOBODY] : [Deno.uid() ?? 0];

function openSystemLibc() {
  const candidates = LIBC_CANDIDATES[`${Deno.build.os}-${Deno.build.arch}`] ?? [];
  const path = candidates.find((candidate) => {
    try {
      return Deno.statSync(candidate).isFile;
    } catch {
      return false;
    }
  });
  assert(path, "no libc found");
  return openLibc(path);
}

function matches(look: PaneLook, program: Program): boolean {
  return look.inputKind === program.kind && program.evidence.test(look.evidence);
}

async function start(server: PaneServer, probe: Probe, program: Program): Promise<Pane> {
  if (program.argv) return await server.open(program.argv);
  const pane = await server.open(["bash", "--norc", "--noprofile"]);
  await settle(() => probe.look(pane), (look) => look.waitingForInput);
  await server.type(pane, program.typed ?? "");
  if (program.then) {
    await settle(
      () => probe.look(pane),
      (look) => look.foregroundPid !== pane.panePid && look.waitingForInput,
    );
    await server.press(pane, program.then);
  }
  return pane;
}

for (const uid of users) {
  Deno.test({
    name: `the truth about ${PROGRAMS.length} programs of user ${uid}`,
    ignore: Deno.build.os !== "linux",
    async fn(t) {
      const only = Deno.env.get("ONLY");
      const libc = openSystemLibc();
      const probe = createProbe(libc);
      await using server = await PaneServer.start(uid);
      const programs = PROGRAMS.filter(({ name }) => only === undefined || name.includes(only));
      for (let at = 0; at < programs.length; at += BATCH) {
        const batch = programs.slice(at, at + BATCH);
        const panes = await Promise.all(batch.map((program) => start(server, probe, program)));
        for (const [index, program] of batch.entries()) {
          const pane = panes[index]!;
          await t.step(program.name, async () => {
            const look = await settle(() => probe.look(pane), (seen) => matches(seen, program));
            const screen = matches(look, program) ? "" : await server.screen(pane);
            assertEquals(
              [look.inputKind, look.waitingForInput],
              [program.kind, program.kind !== "none"],
              `${look.evidence}\n${screen}`,
            );
            assertMatch(look.evidence, program.evidence);
            assertEquals(look.shell, program.shell);
            if (program.cmd) assertEquals(look.foregroundCmd, program.cmd);
          });
        }
        await Promise.all(panes.map((pane) => server.close(pane)));
      }
      libc.unload();
    },
  });
}
