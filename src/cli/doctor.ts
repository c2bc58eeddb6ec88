// `tmux-mcp doctor`: checks what works on this machine, and prints fixes for the rest.
import { Engine } from "../engine.ts";
import { findLibc } from "../ffi/libc.ts";
import { VERSION } from "../version.ts";
import { checkClients } from "./checks/clients.ts";
import { failedCheck, type Finding, formatFinding } from "./checks/finding.ts";
import { checkHosts } from "./checks/hosts.ts";
import { checkPermissions } from "./checks/permissions.ts";
import { checkShells, checkSsh, checkTmux } from "./checks/programs.ts";
import { checkRecords } from "./checks/records.ts";
import { checkRights } from "./checks/rights.ts";
import { checkSettings } from "./checks/settings.ts";
import {
  checkProfile,
  checkProtocol,
  checkServer,
  checkServerSocket,
  checkTerminal,
} from "./checks/surroundings.ts";
import { checkWatching } from "./checks/trial.ts";
import type { Invocation } from "./invocation.ts";

/** Prints each finding as soon as it is known. Returns 1 if the server can't work here. */
export async function runDoctor(invocation: Invocation): Promise<number> {
  const { os, arch } = Deno.build;
  invocation.print(`tmux-mcp ${VERSION}, Deno ${Deno.version.deno}, ${os} ${arch}\n\n`);
  let works = true;
  for await (const finding of examine(invocation)) {
    invocation.print(formatFinding(finding));
    if (finding.verdict === "fails") works = false;
  }
  invocation.print(
    works ? "\nThe server can work here" : "\nThe server cannot work here until you fix what fails",
  );
  return works ? 0 : 1;
}

async function* examine(invocation: Invocation): AsyncGenerator<Finding> {
  const tmux = await checkTmux(invocation);
  yield tmux;
  const uid = tmux.verdict === "fails" ? undefined : yield* examineEngine(invocation);
  yield* checkSettings(invocation, uid);
  yield await checkShells(invocation);
  yield await checkSsh(invocation);
  yield checkProtocol(invocation);
  yield* checkProfile(invocation);
  yield checkTerminal(invocation);
  yield* await checkClients(invocation);
}

/** Checks that need tmux and the C library, which knows this user. */
async function* examineEngine(invocation: Invocation): AsyncGenerator<Finding, number | undefined> {
  const { config: { options }, environment: env, sshEnvironment: sshEnv } = invocation;
  let engine: Engine;
  try {
    yield checkPermissions(invocation, findLibc());
    engine = new Engine({ options, env, sshEnv });
  } catch (error) {
    yield failedCheck(error, "C library");
    return undefined;
  }
  try {
    yield { name: "C library", verdict: "works", says: engine.libc.path };
    yield checkServerSocket(engine);
    yield await checkServer(engine, options);
    yield* await checkHosts(engine, invocation);
    yield checkRights(engine.libc);
    yield await checkRecords(engine, options, env);
    yield await checkWatching(invocation);
    return engine.uid;
  } finally {
    await engine.close();
  }
}
