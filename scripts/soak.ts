// `deno task soak`: random calls from several clients on one private tmux server for a long time. Checks that
// nothing crashes, grows or is left behind, and that the user's sessions don't change.
import { parseArgs } from "node:util";
import { descriptorsOf } from "../tests/support/descriptors.ts";
import { type TestClient, World } from "../tests/support/world.ts";
import { numbers } from "../tests/support/random.ts";

const { values } = parseArgs({
  args: Deno.args,
  options: {
    seconds: { type: "string", default: "3600" },
    seed: { type: "string", default: "1" },
    clients: { type: "string", default: "3" },
  },
});
const SECONDS = Number(values.seconds);
const SAMPLE_MS = Math.min(10_000, SECONDS * 1000 / 20);
/** Id of the user's session, the first of its server. */
const USER_SESSION = "$0";
/** A longer call hangs, because no call waits for more than some seconds. */
const CALL_MS = 120_000;
/**
 * Allowed growth of a server between the second and the last quarter of the time, in runs of some minutes.
 */
const GROWTH_KB = 60_000;
/** Allowed growth in descriptors: the server keeps up to 128 outputs on disk, only a few of them at first. */
const GROWTH_FDS = 128 + 40;
const GROWTH_SECONDS = 240;

type Pick = (limit: number) => number;
type Args = Record<string, unknown>;

/** Creates a call on a pane: a tool's name and its arguments. */
type Act = (paneId: string, pick: Pick) => [name: string, args: Args];

const ACTS: Act[] = [
  () => ["list-sessions", {}],
  () => ["list-panes", {}],
  (paneId) => ["get-pane-info", { paneId }],
  (paneId) => ["pane-state", { paneId }],
  (paneId, pick) => ["capture-pane", { paneId, lines: pick(500) }],
  (paneId) => ["capture-since", { paneId }],
  (paneId) => ["snapshot-pane", { paneId }],
  (paneId) => ["screenshot-pane", { paneId, output: "svg" }],
  (paneId, pick) => ["execute-command", { paneId, command: `seq 1 ${pick(5000)}`, timeout: 5 }],
  (paneId, pick) => ["execute-command", { paneId, command: `seq 1 ${pick(300_000)}`, timeout: 2 }],
  (paneId, pick) => ["execute-command", { paneId, command: `exit ${pick(9)}`, timeout: 5 }],
  (paneId) => ["execute-command", { paneId, command: "sleep 0.2; false", timeout: 0 }],
  (paneId) => ["execute-command", { paneId, command: "echo 'open", timeout: 5 }],
  (
    paneId,
  ) => ["start-and-watch", { paneId, command: "echo ready", triggers: "pattern:ready,exit", timeout: 5 }],
  (paneId) => ["watch-pane", { paneId, triggers: "idle:0.2,bell", timeout: 2 }],
  (paneId) => ["watch-pane", { paneId, triggers: "pattern:never", timeout: 3, background: true }],
  () => ["watch-events", {}],
  (paneId) => ["wait-for-text", { paneId, pattern: "\\$", timeout: 1 }],
  (paneId, pick) => ["send-keys", { paneId, keys: ["C-c", "Enter", "Up", "q"][pick(4)] }],
  (paneId, pick) => ["paste-text", { paneId, text: `: ${"x".repeat(pick(3000))}\n` }],
  (paneId) => ["run-in-repl", { paneId, input: "echo repl", timeout: 2 }],
  (paneId) => ["split-pane", { paneId }],
  (paneId) => ["break-pane", { paneId }],
  (paneId) => ["resize-pane", { paneId, width: 40 }],
  (paneId) => ["clear-pane", { paneId }],
  (paneId) => ["kill-pane", { paneId }],
  (paneId) => ["write-to-display", { paneId, text: "shown" }],
  () => ["search-panes", { query: "x" }],
  (_, pick) => ["create-session", { name: `soak-${pick(5)}` }],
  (_, pick) => ["set-buffer", { name: `b${pick(5)}`, content: "y".repeat(pick(20_000)) }],
  (_, pick) => ["delete-buffer", { name: `b${pick(5)}` }],
  (paneId) => ["get-pane-info", { paneId: `${paneId}999` }],
  (paneId) => ["no-such-argument", { paneId }],
];

interface Tally {
  calls: number;
  errors: Map<string, number>;
  /** Unexpected failures. */
  failures: string[];
}

/** Runs one client that makes calls until the time is over. */
async function work(client: TestClient, pick: Pick, until: number, tally: Tally): Promise<void> {
  while (performance.now() < until && tally.failures.length < 10) {
    const { panes } = await client.ok("list-panes");
    const own = panes.filter((pane: { sessionId: string }) => pane.sessionId !== USER_SESSION);
    if (own.length === 0 || own.length > 12) await refresh(client, own);
    const pane = own[pick(Math.max(1, own.length))]?.id ?? "%9999";
    const [name, args] = ACTS[pick(ACTS.length)]!(pane, pick);
    await call(client, { name, args, isCancelled: pick(12) === 0 }, tally);
  }
}

async function refresh(client: TestClient, own: { sessionId: string }[]): Promise<void> {
  const [first] = own;
  if (first === undefined) await client.call("create-session", {});
  else await client.call("kill-session", { sessionId: first.sessionId });
}

async function call(
  client: TestClient,
  { name, args, isCancelled }: { name: string; args: Args; isCancelled: boolean },
  tally: Tally,
): Promise<void> {
  const abort = new AbortController();
  tally.calls++;
  const answer = client.call(name, args, { signal: abort.signal, timeout: CALL_MS });
  if (isCancelled) setTimeout(() => abort.abort(), 50);
  try {
    const { isError, content, _meta } = await answer;
    if (!isError) return;
    const code = _meta?.["tmux-mcp/error"]?.code ?? "none";
    tally.errors.set(code, (tally.errors.get(code) ?? 0) + 1);
    if (code === "internal" || code === "none") {
      tally.failures.push(`${name} ${JSON.stringify(args).slice(0, 200)}: ${content[0]?.text}`);
    }
  } catch (error) {
    const isKnown = isCancelled || name === "no-such-argument";
    if (isKnown) return;
    const state = await client.call("pane-state", { paneId: args["paneId"] }).catch(String);
    tally.failures.push(`${name} ${JSON.stringify(args).slice(0, 200)}: ${error}; ${JSON.stringify(state)}`);
  }
}

async function statusOf(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`).catch(() => "");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
}

async function userState(world: World): Promise<string> {
  const format =
    "#{pane_id} #{pane_pid} #{window_id} #{window_name} #{pane_width}x#{pane_height} #{pane_in_mode}";
  const panes = await world.tmux("list-panes", "-s", "-t", "=user:", "-F", format);
  return panes + await world.tmux("show-options", "-t", "=user:");
}

async function pipesOf(world: World): Promise<string> {
  return await world.tmux("list-panes", "-a", "-F", "#{pane_pipe}");
}

/** Polls, because tmux takes a moment to notice that a pipe has ended. */
async function isTrueSoon(isSo: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < 100; tries++) {
    if (await isSo()) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Growth of a server between the second and the last quarter. */
function growth(samples: readonly number[]): number {
  const quarter = Math.floor(samples.length / 4);
  return median(samples.slice(-quarter)) - median(samples.slice(quarter, 2 * quarter));
}

function say(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

async function soak(): Promise<string[]> {
  await using world = await World.create();
  await world.tmux("new-session", "-d", "-s", "user", "-x", "100", "-y", "30", "cat");
  await world.tmux("new-window", "-d", "-t", "=user:", "-n", "mine", "cat");
  const before = await userState(world);
  const tmuxPid = Number(await world.tmux("display-message", "-p", "#{pid}"));
  const count = Number(values.clients);
  const clients = await Promise.all(Array.from({ length: count }, () => world.serve()));
  const pids = clients.map(({ transport }) => transport.pid ?? 0);
  const samples = pids.map((): number[] => []);
  const descriptors = pids.map((): number[] => []);
  const tally: Tally = { calls: 0, errors: new Map(), failures: [] };
  const until = performance.now() + SECONDS * 1000;
  const sampling = setInterval(async () => {
    for (const [index, pid] of pids.entries()) {
      samples[index]!.push(await statusOf(pid));
      descriptors[index]!.push((await descriptorsOf(pid)).length);
    }
    const memory = samples.map((of) => `${Math.round((of.at(-1) ?? 0) / 1024)} MB`).join(", ");
    const fds = descriptors.map((of) => of.at(-1)).join(", ");
    const tmux = Math.round(await statusOf(tmuxPid) / 1024);
    say(`${tally.calls} calls, servers ${memory}, descriptors ${fds}, tmux ${tmux} MB`);
  }, SAMPLE_MS);
  const seed = Number(values.seed);
  const works = clients.map((client, index) => work(client, numbers(seed * 1000 + index), until, tally));
  for (const result of await Promise.allSettled(works)) {
    if (result.status === "rejected") tally.failures.push(String(result.reason));
  }
  clearInterval(sampling);
  const { failures } = tally;
  if (SECONDS >= GROWTH_SECONDS) {
    for (const grown of samples.map(growth).filter((kb) => kb > GROWTH_KB)) {
      failures.push(`A server grew by ${grown} kB`);
    }
    for (const grown of descriptors.map(growth).filter((fds) => fds > GROWTH_FDS)) {
      failures.push(`A server holds ${grown} more descriptors`);
    }
  }
  for (const { client } of clients) await client.close();
  say(`${tally.calls} calls; errors ${JSON.stringify(Object.fromEntries(tally.errors))}`);
  if (await statusOf(tmuxPid) === 0) return [...failures, "tmux ended"];
  const left = await world.tmux("list-clients");
  if (left !== "") failures.push(`Clients are left: ${left}`);
  if (!await isTrueSoon(async () => !(await pipesOf(world)).includes("1"))) failures.push("Pipes are left");
  const after = await userState(world);
  if (after !== before) failures.push(`The user's session is not as it was: ${before} now ${after}`);
  if (Number(await world.tmux("display-message", "-p", "#{pid}")) !== tmuxPid) {
    failures.push("tmux is another");
  }
  return failures;
}

const failures = await soak();
for (const failure of failures) say(`FAILED ${failure}`);
Deno.exit(failures.length === 0 ? 0 : 1);
