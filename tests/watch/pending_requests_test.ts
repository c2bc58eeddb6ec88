// Requests to a worker whose reply is late or never comes.
import { assertEquals, assertRejects } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { PendingRequests } from "../../src/watch/pending_requests.ts";
import type { ServerRef } from "../../src/watch/protocol.ts";
import { until } from "../support/until.ts";

const PATIENCE_MS = 20;

/** A tmux that is this script, in a folder of its own. */
async function scripted(folder: string, script: string): Promise<ServerRef> {
  const bin = `${folder}/tmux`;
  await Deno.writeTextFile(bin, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
  return { bin, socketArgs: [], env: { PATH: "/usr/bin:/bin" } };
}

Deno.test("a request waits for a late reply as long as tmux answers others", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tmux-mcp-test-" });
  // It still runs when the late reply comes.
  const server = await scripted(folder, `echo asked >>${folder}/log; exec sleep 0.3`);
  const pending = new PendingRequests(PATIENCE_MS);
  const ids: number[] = [];
  const read: string[] = [];
  const onRead = (printed: string) => read.push(printed);
  const reply = pending.ask({ watchId: "w", server, onRead, post: (id) => ids.push(id) });
  const asked = () => Deno.readTextFile(`${folder}/log`).catch(() => "");
  await until(async () => (await asked()).split("\n").length > 3);
  const late = {
    kind: "reply",
    watchId: "w",
    paneId: "%0",
    id: ids[0]!,
    failed: false,
    text: "late",
  } as const;
  pending.resolve(late);
  assertEquals([await reply, read, pending.size], [late, ["late"], 0]);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a request is given up once tmux answers nobody, and its reply is no longer read", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tmux-mcp-test-" });
  const server = await scripted(folder, "exec sleep 1000");
  const pending = new PendingRequests(PATIENCE_MS);
  const read: string[] = [];
  const request = { watchId: "w", server, onRead: (printed: string) => read.push(printed), post: () => {} };
  const { code } = await assertRejects(
    () => pending.ask(request),
    AppError,
    "No answer from tmux in 5000 ms",
  );
  assertEquals([code, pending.size], ["timeout", 1]);
  pending.resolve({ kind: "reply", watchId: "w", paneId: "%0", id: 1, failed: false, text: "late" });
  assertEquals([read, pending.size], [[], 0]);
  await Deno.remove(folder, { recursive: true });
});
