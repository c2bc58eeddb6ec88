// Ports that a pane's programs listen on: pane-state reports them, and the port trigger waits for them.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Far, remoteTest } from "../support/remote.ts";
import { readResult, Watching } from "../support/watching.ts";
import { World } from "../support/world.ts";
import { freePort } from "../support/free_port.ts";

const isLinux = Deno.build.os === "linux";
const mayUnshare = isLinux && Deno.uid() === 0;

/** A node program that listens, where `address` is JavaScript. */
function node(port: number, address = "'127.0.0.1'"): string {
  return `node -e "require('net').createServer().listen(${port}, ${address})"`;
}

Deno.test({ name: "the port trigger and pane-state's listening", ignore: !isLinux }, async (t) => {
  await using world = await World.create();
  const client = await world.serve();
  const watching = new Watching(world, client);
  const paneId = await watching.shellPane();
  const listening = async (paneId: string) => (await client.ok("pane-state", { paneId })).listening;

  await t.step("nothing listens in a pane with a shell", async () => {
    assertEquals(await listening(paneId), []);
  });

  await t.step("start-and-watch fires port:N for its own command, and tells who listens where", async () => {
    const port = freePort();
    const { event, detail } = await client.ok("start-and-watch", {
      paneId,
      command: node(port),
      triggers: `port:${port},exit`,
      timeout: 20,
    });
    assertEquals(event, `port:${port}`);
    assertMatch(detail, new RegExp(`^node listens on 127\\.0\\.0\\.1:${port}$`));
    const [found, ...others] = await listening(paneId);
    assertEquals([found.port, found.address, found.command, others], [port, "127.0.0.1", "node", []]);
    assertEquals(typeof found.pid, "number");
    const again = await client.ok("watch-pane", { paneId, triggers: `port:${port}`, timeout: 10 });
    assertEquals(again.event, `port:${port}`, "it listens already");
    await client.ok("send-keys", { paneId, keys: "C-c", literal: false });
    await client.ok("watch-pane", { paneId, triggers: "shell", timeout: 20 });
    assertEquals(await listening(paneId), []);
  });

  await t.step("a server that is ready answers in 400 bytes", async () => {
    const port = freePort();
    const ready = await client.ok("start-and-watch", {
      command: `python3 -m http.server ${port}`,
      triggers: `port:${port},exit`,
      timeout: 20,
    });
    assertEquals(ready.event, `port:${port}`);
    assert(JSON.stringify(ready).length <= 400, JSON.stringify(ready));
    assertEquals(ready.paneState, { foregroundCmd: "python3", isAlive: true, waitingForInput: false });
    await client.ok("kill-session", { sessionId: ready.sessionId });
  });

  await t.step("any port counts, IPv6 too, of a program that its parents left behind", async () => {
    const port = freePort();
    await client.ok("execute-command", {
      paneId,
      command: `(sh -c "exec ${node(port, "'::1'").replaceAll('"', '\\"')}" &)`,
    });
    const { event, detail } = await client.ok("watch-pane", { paneId, triggers: "port", timeout: 20 });
    assertEquals(event, "port");
    assert(detail.endsWith(`listens on [::1]:${port}`), detail);
  });

  await t.step("what listened before does not count for a command", async () => {
    const port = freePort();
    const { event, detail } = await client.ok("start-and-watch", {
      paneId,
      command: `sh -c "sh -c 'python3 -m http.server ${port}'"`,
      triggers: "port",
      timeout: 20,
    });
    assertEquals(event, "port");
    assert(detail.endsWith(`listens on 0.0.0.0:${port}`), detail);
    const all = await listening(paneId);
    assertEquals(all.length, 2);
    // It would outlive its pane.
    Deno.kill(all.find(({ address }: { address: string }) => address === "::1").pid);
  });

  await t.step("a port that somebody else listens on is not the pane's", async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr as Deno.NetAddr;
    const other = await watching.pane("sleep 600");
    const result = client.call("watch-pane", { paneId: other, triggers: `port:${port}`, timeout: 0.5 });
    assertEquals(readResult(await result).event, "timeout");
    assertEquals(await listening(other), []);
  });

  await t.step({
    name: "a port in another network namespace is said to be in one",
    ignore: !mayUnshare,
    async fn() {
      const paneId = await watching.shellPane();
      const { event, detail } = await client.ok("start-and-watch", {
        paneId,
        command: `unshare -n ${node(8000, "'0.0.0.0'")}`,
        triggers: "port:8000,exit",
        timeout: 20,
      });
      assertEquals(event, "port:8000");
      assertMatch(detail, /listens on 0\.0\.0\.0:8000 in another network namespace, net:\[\d+\]$/);
      const { listening } = await client.ok("pane-state", { paneId });
      assertMatch(listening[0].namespace, /^net:\[\d+\]$/);
    },
  });

  await t.step("what no port is is refused", async () => {
    for (const trigger of ["port:0", "port:65536", "port:http", "port:"]) {
      const { code, text } = await client.fails("watch-pane", { paneId, triggers: trigger });
      assertEquals([trigger, code], [trigger, "invalid-argument"]);
      assertMatch(text, /: expected port:NUMBER, from 1 to 65535\. Valid triggers: exit/);
    }
  });
});

remoteTest("ports of a pane on a host are asked for there", async () => {
  await using remote = await Far.create();
  const client = await remote.serve();
  const host = "far";
  const { paneId } = await client.ok("create-session", { host, command: "exec bash --norc --noprofile" });
  await client.ok("watch-pane", { host, paneId, triggers: "user_input", timeout: 100 });
  const [old, port] = [freePort(), freePort()];
  await client.ok("execute-command", { host, paneId, command: `${node(old)} &` });
  await client.ok("watch-pane", { host, paneId, triggers: `port:${old}`, timeout: 100 });
  const command = `sh -c "${node(port, "'::'").replaceAll('"', '\\"')}; true"`;
  const { event, detail } = await client.ok("start-and-watch", {
    ...{ host, paneId, command, triggers: "port,exit", timeout: 100 },
  });
  assertEquals(event, "port");
  assert(detail.endsWith(`listens on [::]:${port}`), detail);
  const { listening } = await client.ok("pane-state", { host, paneId });
  const seen = listening.map((each: Record<string, unknown>) => [each.port, each.address, each.command]);
  assertEquals(seen.sort(), [[old, "127.0.0.1", "node"], [port, "::", "node"]].sort());
});
