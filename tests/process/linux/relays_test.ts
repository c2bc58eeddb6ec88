import { assertEquals } from "@std/assert";
import { commandName } from "../../../src/process/linux/process_name.ts";
import { deviceNumber } from "../../../src/process/linux/device_numbers.ts";
import type { ProcessStat } from "../../../src/process/linux/proc.ts";
import type { ProcFs } from "../../../src/process/linux/procfs.ts";
import { findInnerSession, TerminalServers } from "../../../src/process/linux/relays.ts";

const OUTER = deviceNumber(136, 4);

function stat(pid: number, rest: Partial<ProcessStat>): ProcessStat {
  return {
    pid,
    thread: pid,
    comm: "sudo",
    state: "S",
    parent: 1,
    group: pid,
    session: 1,
    terminal: OUTER,
    foregroundGroup: pid,
    forked: false,
    threads: 1,
    ranMs: 0,
    startTime: "1",
    stack: "0",
    codeBytes: 0,
    exitStatus: 0,
    blocksChildren: false,
    traceable: true,
    ...rest,
  };
}

function table(...stats: ProcessStat[]): ProcFs {
  return {
    stat: (pid: number) => stats.find((each) => each.pid === pid),
    children: ({ pid }: ProcessStat) => stats.filter(({ parent }) => parent === pid).map((each) => each.pid),
    processes: () => stats.map(({ pid }) => pid),
    descriptorIdentity: () => undefined,
  } as unknown as ProcFs;
}

Deno.test("findInnerSession() finds the session a relay leads on a pty of its own, high numbers too", () => {
  const relay = stat(10, {});
  const monitor = stat(11, { parent: 10, session: 11, terminal: deviceNumber(136, 300) });
  assertEquals(findInnerSession(table(relay, monitor), relay), { panePid: 11, tty: "/dev/pts/300" });
  const recorder = { ...relay, comm: "asciinema" };
  assertEquals(findInnerSession(table(recorder, monitor), recorder)?.panePid, 11);
});

Deno.test("findInnerSession() leaves alone what reads for itself, and relays without a pty", () => {
  const session = { session: 11, terminal: deviceNumber(136, 5) };
  const vim = stat(10, { comm: "vim" });
  assertEquals(findInnerSession(table(vim, stat(11, { parent: 10, ...session })), vim), undefined);
  const sudo = stat(10, {});
  for (const child of [{ session: 1 }, { session: 11, terminal: 0 }, { ...session, session: 9 }]) {
    assertEquals(findInnerSession(table(sudo, stat(11, { parent: 10, ...child })), sudo), undefined);
  }
});

Deno.test("TerminalServers finds the server of a client, and none for other programs", () => {
  const server = stat(20, { comm: "tmux: server", terminal: 0 });
  const servers = new TerminalServers(
    table(server, stat(21, { comm: "emacs", terminal: 0 }), stat(22, { comm: "emacs" })),
  );
  assertEquals(servers.of([stat(10, { comm: "tmux: client" })]), [server]);
  assertEquals(servers.of([stat(10, { comm: "emacsclient" })])?.map(({ pid }) => pid), [21]);
  assertEquals(servers.of([stat(10, { comm: "screen" })]), []);
  assertEquals(servers.of([stat(10, { comm: "vim" })]), undefined);
  assertEquals(servers.of([]), undefined);
});

Deno.test("TerminalServers finds the one that asks for a passphrase for any of a group", () => {
  const asks = stat(20, { comm: "pinentry-curses", terminal: 0 });
  const group = [stat(10, { comm: "git" }), stat(11, { comm: "gpg" })];
  assertEquals(new TerminalServers(table(asks)).of(group), [asks]);
  // gpg-agent can be ssh's agent.
  assertEquals(new TerminalServers(table(asks)).of([stat(10, { comm: "ssh" })]), [asks]);
  assertEquals(new TerminalServers(table(asks)).of([stat(10, { comm: "ssh-keygen" })]), [asks]);
});

Deno.test("commandName() is the kernel's, corrected where it was cut or added to", () => {
  const cases: [comm: string, argv: string[], name: string][] = [
    ["cat", ["cat"], "cat"],
    ["bash", ["-bash"], "bash"],
    ["deploy.sh", ["/bin/bash", "./deploy.sh"], "deploy.sh"],
    ["a-very-long-nam", ["/usr/bin/a-very-long-name-indeed"], "a-very-long-name-indeed"],
    ["a-very-long-scr", ["/bin/sh", "/srv/a-very-long-script"], "a-very-long-script"],
    ["node-MainThread", ["/usr/bin/node", "app.js"], "node"],
    ["MainThread", ["node", "app.js"], "node"],
    ["tmux: client", ["tmux", "attach"], "tmux"],
    ["kworker", [], "kworker"],
    ["odd", [""], "odd"],
  ];
  for (const [comm, argv, name] of cases) assertEquals(commandName(comm, argv), name);
});
