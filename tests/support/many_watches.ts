// Runs many watches at once, and checks that each reports its own pane's end and how many workers they share.
import { assert, assertEquals } from "@std/assert";
import { Watching } from "./watching.ts";
import { World } from "./world.ts";

/** Number of watches that two workers serve before there are more. */
const SERVED_BY_TWO = 48;
const PANES_PER_SESSION = 10;

interface Opened {
  paneId: string;
  tty: string;
}

/** Opens panes with programs that neither print nor end, ten per session. */
async function openPanes(world: World, count: number): Promise<Opened[]> {
  const opened: Opened[] = [];
  while (opened.length < count) {
    // A fixed name keeps tmux from renaming the window while clients are attached, which can crash tmux 3.3a.
    const open = ["-n", "quiet", "-d", "-P", "-F", "#{pane_id} #{pane_tty}", "exec sleep 600"];
    const more = Array.from({ length: PANES_PER_SESSION - 1 }, () => [";", "new-window", ...open]);
    const listed = await world.tmux("new-session", "-x", "80", "-y", "24", ...open, ...more.flat());
    for (const line of listed.trimEnd().split("\n")) {
      const [paneId = "", tty = ""] = line.split(" ");
      opened.push({ paneId, tty });
    }
  }
  return opened;
}

/** Number of Deno workers among a process's threads. */
async function workersOf(pid: number): Promise<number> {
  let workers = 0;
  for await (const { name } of Deno.readDir(`/proc/${pid}/task`)) {
    const comm = await Deno.readTextFile(`/proc/${pid}/task/${name}/comm`).catch(() => "");
    if (comm.startsWith("worker-")) workers++;
  }
  return workers;
}

async function checkClients(
  watching: Watching,
  { count, workers, atOnce }: { count: number; workers: number; atOnce: boolean },
): Promise<void> {
  const clients = (await watching.clients()).length;
  const guard = 1;
  const least = count / PANES_PER_SESSION;
  const most = (atOnce ? workers * least : workers + least) + guard;
  assert(clients > least && clients <= most, `${clients} clients for ${workers} workers, ${least} sessions`);
}

/** Starts watches, all at once or one after another; each must report its own pane's line and its end. */
export async function watchMany(count: number, { atOnce }: { atOnce: boolean }): Promise<void> {
  await using world = await World.create();
  const client = await world.serve();
  const watching = new Watching(world, client);
  const panes = await openPanes(world, count);
  const start = ({ paneId }: Opened) =>
    client.ok("watch-pane", {
      paneId,
      triggers: "exit,user_input,error,pattern:^word of",
      timeout: 600,
      background: true,
    });
  if (atOnce) await Promise.all(panes.map(start));
  else for (const pane of panes) await start(pane);
  assertEquals((await watching.active()).length, count);

  const workers = await workersOf(client.transport.pid ?? 0);
  const mostWorkers = count > SERVED_BY_TWO ? 12 : 2;
  assert(workers > 0 && workers <= mostWorkers, `${workers} workers`);
  if (await world.attaches()) await checkClients(watching, { count, workers, atOnce });

  for (const { paneId, tty } of panes) await Deno.writeTextFile(tty, `word of ${paneId}\r\n`);
  const told = new Map<string, string>();
  let cursor: string | undefined;
  await watching.until(async () => {
    const page = await client.ok("watch-events", { waitSeconds: 1, limit: 50, ...(cursor && { cursor }) });
    cursor = page.cursor;
    for (const { paneId, detail } of page.events) told.set(paneId, detail);
    return told.size === count;
  });
  for (const { paneId } of panes) assertEquals(told.get(paneId), `Matched: word of ${paneId}`);
  await watching.noClients();
}
