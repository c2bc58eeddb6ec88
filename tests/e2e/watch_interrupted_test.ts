// Watches whose view of a pane is interrupted: what the pane printed meanwhile is read from its history.
import { assertEquals } from "@std/assert";
import { inTurnOnOneServer, type Served } from "../support/one_server.ts";
import type { ServerTransport } from "../support/sdk.ts";
import { readResult, Watching } from "../support/watching.ts";
import type { World } from "../support/world.ts";

/** Has tmux stop sending to the clients that read the pane. */
type Interrupt = (world: World, paneId: string) => Promise<void>;

const INTERRUPTIONS: Readonly<Record<string, Interrupt>> = {
  "whose clients are detached": async (world, paneId) => {
    const session = (await world.tmux("display-message", "-p", "-t", paneId, "#{session_id}")).trim();
    await world.tmux("detach-client", "-s", session);
  },
  "whose client tmux pauses": async (world, paneId) => {
    const listed = await world.tmux("list-clients", "-F", "#{client_name} #{client_flags}");
    const readers = listed.split("\n").filter((row) => row.includes("pause-after"));
    for (const row of readers) {
      await world.tmux("refresh-client", "-t", row.split(" ")[0]!, "-A", `${paneId}:pause`);
    }
    // tmux 3.3a holds a %pause back until it has something else to say.
    await world.tmux("rename-window", "-t", paneId, "paused");
  },
};

const count = (from: number, to: number): string =>
  `i=${from}; while [ $i -le ${to} ]; do echo line $i; i=$((i+1)); done`;
const numbers = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`).join("\n");

interface Scene {
  /** Output of the pane while the server is stopped and interrupted, as shell commands; its last line is `over`. */
  meanwhile: string;
  /** Its later output. */
  then?: string;
  historyLimit?: number;
}

/** The result of a watch for a line that begins with END, on a pane that prints 30 lines before it is interrupted. */
async function interrupted(
  { world, client }: Served,
  interrupt: Interrupt,
  { meanwhile, then = ":", historyLimit }: Scene,
) {
  const watching = new Watching(world, client);
  await world.tmux("new-session", "-d", "-s", "keep", "cat");
  if (historyLimit) await world.tmux("set-option", "-g", "history-limit", `${historyLimit}`);
  const script = ["stty -echo", "echo", count(1, 30), "read word", meanwhile, "read word", then, "exec cat"];
  const paneId = await watching.waitingPane(script.join("; "));
  const { result } = await watching.watch({ paneId, triggers: "pattern:^END" });
  await watching.go(paneId);
  const shows = (line: string) =>
    watching.until(async () => (await watching.screen(paneId)).split("\n").includes(line));
  await shows("line 30");
  const { pid } = client.transport as ServerTransport;
  Deno.kill(pid!, "SIGSTOP");
  try {
    await interrupt(world, paneId);
    await watching.go(paneId);
    await shows("over");
  } finally {
    Deno.kill(pid!, "SIGCONT");
  }
  await watching.go(paneId);
  return readResult(await result);
}

const test = inTurnOnOneServer("interrupted watches");

for (const [which, interrupt] of Object.entries(INTERRUPTIONS)) {
  test(`a pane ${which} is watched without a line lost or doubled`, async (served) => {
    if (!await served.world.attaches()) return;
    const meanwhile = `${count(31, 90)}; echo over`;
    const { event, output, outputTruncated } = await interrupted(served, interrupt, {
      meanwhile,
      then: "echo END",
    });
    assertEquals(event, "pattern:^END");
    assertEquals([output, outputTruncated], [`\n${numbers(1, 90)}\nover\nEND`, undefined]);
  });

  test(`a line that a pane ${which} prints meanwhile fires its trigger`, async (served) => {
    if (!await served.world.attaches()) return;
    const { event, output, outputTruncated } = await interrupted(served, interrupt, {
      meanwhile: "echo END; echo over",
    });
    assertEquals(event, "pattern:^END");
    assertEquals([output, outputTruncated], [`\n${numbers(1, 30)}\nEND\nover`, undefined]);
  });

  test(`a pane ${which} has a gap where it prints more than its history holds`, async (served) => {
    if (!await served.world.attaches()) return;
    const meanwhile = `${count(31, 2000)}; echo over`;
    const { totalLines, outputTruncated } = await interrupted(served, interrupt, {
      meanwhile,
      // Its place is not known, so what it prints before it is read again is lost.
      then: "while echo END; do sleep 0.1; done",
      historyLimit: 200,
    });
    assertEquals([totalLines < 100, outputTruncated], [true, true]);
  });
}
