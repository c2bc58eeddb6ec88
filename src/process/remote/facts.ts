// Judges what the script printed by the same rules as on this machine.

import {
  classify,
  type DescriptorFacts,
  type ProcessFacts,
  type ThreadFacts,
  type Verdict,
} from "../classify.ts";
import { parseEpollMembers, parsePollSet, parseSelectSet } from "../linux/fd_sets.ts";
import { groupInFront, isLive } from "../linux/foreground.ts";
import { commandName } from "../linux/process_name.ts";
import type { RemoteMemory } from "./memory.ts";
import type { RemoteSockets } from "./sockets.ts";
import type { LibuvLoops } from "../linux/libuv.ts";
import { goneInspection, type PaneInspection, type PaneProcess, type ReadSleep } from "../probe.ts";
import { parseBlockedCall, type ProcessStat } from "../linux/procfs.ts";
import { readSleep } from "../linux/read_sleep.ts";
import { waitsAtPrompt } from "../shell_wait.ts";
import { findInteractiveShell } from "../shells.ts";
import { arrivingWork, timerOf } from "../linux/readers.ts";
import { findPassedTo, innerSessionOf } from "../linux/relays.ts";
import { isOf32Bits, type SyscallTable } from "../linux/syscalls.ts";
import { type InspectionSheet, parseSheet, type SheetProcess, type SheetThread } from "./sheet.ts";

/** Facts about a pane from one inspection. */
export interface RemoteInspection {
  inspection: PaneInspection;
  /** The pane's process, and those in front of it. */
  processes: readonly ProcessStat[];
  /** A program on another terminal, behind the one that reads this terminal; it is inspected in its place. */
  behind?: { relay: string; pane: PaneProcess };
}

/** Context for judging the facts of an inspection. */
export interface RemoteContext {
  calls: SyscallTable;
  memory: RemoteMemory;
  sockets: RemoteSockets;
  loops: LibuvLoops;
}

/** Parses the inspections in the output of `tm_inspect`, by the pane's pid. */
export function parseRemoteInspections(
  text: string,
  panes: readonly PaneProcess[],
  context: RemoteContext,
): Map<number, RemoteInspection> {
  const sheets = text.split(/^L /m).slice(1).map((part) =>
    [Number.parseInt(part, 10), parseSheet(part)] as const
  );
  return new Map(sheets.map(([pid, sheet]) => {
    const tty = panes.find(({ panePid }) => panePid === pid)?.tty ?? "";
    return [pid, judge({ panePid: pid, tty }, sheet, context)];
  }));
}

function judge(
  { panePid, tty }: PaneProcess,
  sheet: InspectionSheet,
  context: RemoteContext,
): RemoteInspection {
  const { pane, mode } = sheet;
  if (pane === undefined || !isLive(pane)) return { inspection: goneInspection(panePid), processes: [] };
  const group = groupInFront(pane);
  const live = sheet.processes.filter(({ stat }) => isLive(stat));
  const members = membersOf(group, live);
  const facts = [...members, ...live.filter((each) => !members.includes(each))].map((each) =>
    factsOf(each, { ...context, pane, inGroup: members.includes(each) })
  );
  const judged = classify({ terminal: tty, processes: facts, ...(mode && { mode }) });
  const { reader, passedTo, beside: what, ...verdict } = judged;
  const first = members[0]?.stat ?? pane;
  const leader = first.pid === group ? members[0] : undefined;
  const inspection = {
    panePid,
    foregroundPid: first.pid,
    foregroundCmd: commandName(first.comm, first.pid === group ? sheet.argv : []),
    foregroundGroup: group,
    isAlive: true,
    ...verdict,
    ...(leader && findShell(leader, { sheet, verdict: judged, calls: context.calls })),
    ...(what !== undefined &&
      { beside: { what, ranMs: members.reduce((ms, { stat }) => ms + stat.ranMs, 0) } }),
  };
  const relay = live.find(({ stat }) => stat.pid === reader);
  const inner = relay && innerSessionOf(relay.stat, relay.children, passedTo);
  return {
    inspection,
    processes: [pane, ...members.map(({ stat }) => stat)],
    ...(relay && inner && { behind: { relay: relay.stat.comm, pane: inner } }),
  };
}

/** Returns the members of a process group: its leader, then the others by age. */
function membersOf(group: number, processes: readonly SheetProcess[]): SheetProcess[] {
  return processes.filter(({ stat }) => stat.group === group).toSorted((a, b) =>
    a.stat.pid === group ? -1 : b.stat.pid === group ? 1 : Number(a.stat.startTime) - Number(b.stat.startTime)
  );
}

function findShell(
  leader: SheetProcess,
  { sheet: { argv, executable }, verdict, calls }: {
    sheet: InspectionSheet;
    verdict: Verdict;
    calls: SyscallTable;
  },
): Pick<PaneInspection, "shell" | "sleep" | "blocksChildren" | "isPrompt"> {
  const shell = leader.stat.forked
    ? undefined
    : findInteractiveShell({ argv, ...(executable !== "" && { executable }) });
  if (shell === undefined) return {};
  const sleep = sleepOf(leader, { calls, program: executable });
  const { waitingForInput, reader, edited, evidence } = verdict;
  const { blocksChildren } = leader.stat;
  const asked = { sleep: () => sleep, blocksChildren: () => blocksChildren };
  const wait = { shell, shellPid: leader.stat.pid, reader, edited, evidence, ...asked };
  const seen = { shell, blocksChildren, ...(sleep && { sleep }) };
  return { ...seen, ...(waitingForInput && { isPrompt: waitsAtPrompt(wait) }) };
}

/** Returns the read that a process's first thread sleeps in; undefined if the kernel hides it. */
function sleepOf(
  { stat, threads }: SheetProcess,
  { calls, program }: { calls: SyscallTable; program: string },
): ReadSleep | "awake" | undefined {
  const { call } = threads.get(String(stat.pid)) ?? { call: "" };
  if (call === "") return undefined;
  const blocked = parseBlockedCall(call);
  if (blocked && isOf32Bits(blocked)) return undefined;
  return readSleep({
    blocked,
    call: blocked && calls.describe(blocked.number),
    stack: stat.stack,
    program: `${program} ${stat.codeBytes}`,
  });
}

interface Judging extends RemoteContext {
  pane: ProcessStat;
  inGroup: boolean;
}

function factsOf(process: SheetProcess, judging: Judging): ProcessFacts {
  const { stat } = process;
  const asleep = stat.state === "S" || stat.threads > 1;
  const terminal = new Set(process.terminal);
  const { terminal: device } = judging.pane;
  if (stat.terminal === device || stat.terminal === 0) { for (const fd of process.devTty) terminal.add(fd); }
  const first = String(stat.thread);
  const listed = [...process.threads.values()].toSorted((a, b) =>
    Number(b.id === first) - Number(a.id === first)
  );
  const threads = asleep
    ? listed.map((thread) => threadFacts(thread, { ...judging, process, terminal }))
    : [];
  const facts = { pid: stat.pid, name: stat.comm, state: stat.state, threads, inGroup: judging.inGroup };
  if (process.descriptors === 0 || !threads.some(({ opaque }) => opaque)) return facts;
  return { ...facts, descriptors: descriptorsOf(process, terminal) };
}

function descriptorsOf(
  { threads, devTty, otherSources, otherReads }: SheetProcess,
  terminal: ReadonlySet<number>,
): DescriptorFacts {
  const members = [...threads.values()].flatMap((thread) => parseEpollMembers(thread.members.join("\n")));
  return {
    holdsTerminal: terminal.size > 0,
    epollsTerminal: members.some((fd) => terminal.has(fd)),
    opensTerminal: devTty.some((fd) => terminal.has(fd)),
    otherSources,
    otherReads,
  };
}

interface ThreadJudging extends RemoteContext {
  process: SheetProcess;
  terminal: ReadonlySet<number>;
}

function threadFacts(thread: SheetThread, judging: ThreadJudging): ThreadFacts {
  const { process, terminal, calls, memory, sockets, loops } = judging;
  const { stat, masters } = process;
  const opaque = { opaque: true, ...(thread.sleepsIn !== "" && { sleepsIn: thread.sleepsIn }) };
  if (thread.call === "") return opaque;
  const blocked = parseBlockedCall(thread.call);
  if (blocked === undefined) return {};
  if (isOf32Bits(blocked)) return opaque;
  const call = calls.describe(blocked.number);
  const shape = call.shape !== "restart" ? call.shape : thread.sleepsIn.includes("poll") ? "poll" : "other";
  const waited = waitsFor(thread, { shape, args: blocked.args, fdArgument: call.fdArgument });
  if (waited === undefined) return { ...opaque, call: call.name };
  const name = shape === "poll" && call.shape === "restart" ? "poll" : call.name;
  const terminalFd = waited.find((fd) => terminal.has(fd));
  if (terminalFd === undefined) return { call: name };
  const loop = {
    process: `${stat.pid} ${stat.startTime}`,
    args: blocked.args,
    read: memory.readerOf(stat.pid, thread.id),
  };
  const hasStopped = shape === "epoll" && loops.wants(loop, terminalFd) === false;
  const links = waited.length < 2 ? [] : waited.map((fd) => process.links.get(fd) ?? "");
  const listening = (inodes: readonly string[]) => sockets.listening(stat.pid, inodes);
  const beside = arrivingWork(links, listening) ?? timerOf(call, blocked.args);
  const passedTo = findPassedTo(stat.comm, { ...call, shape }, () => waited.map((fd) => masters.get(fd)));
  if (hasStopped) return { call: name };
  return {
    call: name,
    terminalFd,
    ...(beside !== undefined && { beside }),
    ...(passedTo !== undefined && { passedTo }),
  };
}

/** Descriptors that the call reads or waits to read; undefined if its set is unknown. */
function waitsFor(
  { set, members }: SheetThread,
  { shape, args, fdArgument }: { shape: string; args: readonly bigint[]; fdArgument: number },
): number[] | undefined {
  switch (shape) {
    case "read":
      return [Number(BigInt.asIntN(32, args[fdArgument] ?? 0n))];
    case "poll":
      return set && parsePollSet(set);
    case "select":
      return args[1] === 0n ? [] : set && parseSelectSet(set, Number(args[0] ?? 0n));
    case "epoll":
      return parseEpollMembers(members.join("\n"));
    case "opaque":
      return undefined;
    default:
      return [];
  }
}
