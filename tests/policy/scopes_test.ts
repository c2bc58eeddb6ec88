// Sessions, panes, sockets and paths that calls may see and touch.
import { assertEquals } from "@std/assert";
import * as t from "./fixture.ts";
import { call, deny, outcome, PANES, policyWith, tool } from "./fixture.ts";

const LIVE = { serverKey: "1-2", panes: PANES };
const DESTRUCTIVE = { safety: "destructive" } as const;

Deno.test("allow-lists ignored by half of the tools", async () => {
  for (const allowedSessions of [["dev"], ["$1"]]) {
    const policy = policyWith({ allowedSessions, ...DESTRUCTIVE });
    for (const each of [t.capturePane, t.renamePane, t.sendKeys, t.killPane]) {
      assertEquals(await outcome(policy, call(each, { paneId: "%1", keys: "x" })), "allowed", each.name);
      await deny(policy, call(each, { paneId: "%4", keys: "x" }), 'pane "%4"', "security.allowed_sessions");
    }
  }
  const panes = policyWith({ allowedPanes: ["%1"], ...DESTRUCTIVE });
  assertEquals(await outcome(panes, call(t.killPane, { paneId: "%1" })), "allowed");
  await deny(panes, call(t.capturePane, { paneId: "%2" }), "security.allowed_panes");
});

Deno.test("a denial of another's service does not tell its pane", async () => {
  const policy = policyWith({ allowedSessions: ["dev"], ...DESTRUCTIVE });
  const stopService = tool("stop-service", {
    groups: ["kill"],
    effect: "destroy",
    targets: ({ name }) => [{ kind: "service", name }],
  });
  const setting = 'security.allowed_sessions = ["dev"]';
  assertEquals(
    await outcome(policy, call(stopService, { name: "db" })),
    `denied: Cannot stop service "db": ${setting}`,
  );
  assertEquals(await outcome(policy, call(stopService, { name: "web" })), "allowed");
});

Deno.test("an empty list allows nothing", async () => {
  await deny(
    policyWith({ allowedSessions: [] }),
    call(t.capturePane, { paneId: "%1" }),
    "security.allowed_sessions = []",
  );
  await deny(
    policyWith({ allowedPanes: [] }),
    call(t.capturePane, { paneId: "%1" }),
    "security.allowed_panes = []",
  );
});

Deno.test("a linked window is in scope by any link, and killed only if all are", async () => {
  const policy = policyWith({ allowedSessions: ["ops"], ...DESTRUCTIVE });
  assertEquals(await outcome(policy, call(t.capturePane, { paneId: "%3" })), "allowed");
  await deny(policy, call(t.killPane, { paneId: "%3" }), "security.allowed_sessions");
  await deny(policy, call(t.killWindow, { windowId: "@2" }), "security.allowed_sessions");
  assertEquals(await outcome(policy, call(t.killWindow, { windowId: "@3" })), "allowed");
  assertEquals(await outcome(policy, call(t.killSession, { sessionId: "ops" })), "allowed");
});

Deno.test("a container is destroyed only if all in it is in scope", async () => {
  const policy = policyWith({ allowedPanes: ["%1"], ...DESTRUCTIVE });
  await deny(policy, call(t.killWindow, { windowId: "@1" }), "security.allowed_panes");
  await deny(policy, call(t.killSession, { sessionId: "$1" }), "security.allowed_panes");
  await deny(policy, call(t.killServer, {}), "security.allowed_panes");
  const setGlobal = tool("set-option", { effect: "change", targets: () => [{ kind: "server" }] });
  await deny(policy, call(setGlobal, {}), "the tmux server");
  assertEquals(
    await outcome(policy, call(tool("list-panes", { targets: () => [{ kind: "server" }] }), {})),
    "allowed",
  );
});

Deno.test("listings show what is in scope, and new panes of calls in scope", () => {
  const view = policyWith({ allowedSessions: ["ops"] }).scope.view(LIVE);
  assertEquals([...view!.sessionIds], ["$2"]);
  assertEquals([...view!.windowIds], ["@2", "@3"]);
  assertEquals([...view!.paneIds], ["%3", "%4", "%5"]);
  const policy = policyWith({ allowedPanes: ["%1"] });
  policy.remember({ serverKey: "1-2", paneIds: ["%2"] });
  policy.remember({ serverKey: "other", paneIds: ["%3"] });
  assertEquals([...policy.scope.view(LIVE)!.paneIds], ["%1", "%2"]);
  assertEquals(policyWith().scope.view(LIVE), undefined);
});

Deno.test("with allowed_sessions a new session needs a listed name", async () => {
  const policy = policyWith({ allowedSessions: ["dev"] });
  assertEquals(await outcome(policy, call(t.createSession, { name: "dev" })), "allowed");
  await deny(policy, call(t.createSession, { name: "new" }), '"new"', "security.allowed_sessions");
  await deny(policy, call(t.createSession, {}), "without a name", "security.allowed_sessions");
  const panes = policyWith({ allowedPanes: ["%1"] });
  await deny(panes, call(t.createSession, { name: "a" }), "create session", "security.allowed_panes");
  const rename = tool("rename-session", {
    effect: "change",
    groups: ["rename"],
    targets: () => [{ kind: "new-session", name: "a" }],
  });
  await deny(panes, call(rename, {}), 'rename to "a"', "security.allowed_panes");
});

Deno.test("clients out of scope are not detached", async () => {
  const policy = policyWith({ allowedSessions: ["dev"], ...DESTRUCTIVE });
  assertEquals(await outcome(policy, call(t.detachClient, { clientTty: "/dev/pts/1" })), "allowed");
  assertEquals(
    (await outcome(policy, call(t.detachClient, { clientTty: "/dev/pts/2" }))).split(":")[0],
    "not-found",
  );
  const ops = policyWith({ allowedSessions: ["ops"], ...DESTRUCTIVE });
  assertEquals(
    await outcome(ops, call(t.detachClient, { clientTty: "/dev/pts/1" })),
    "denied: " +
      'Cannot detach session "$1": security.allowed_sessions = ["ops"]',
  );
});

Deno.test("other sockets", async () => {
  const policy = policyWith({ allowedSockets: ["default", "/tmp/mine"] });
  const servers = tool("list-servers", { targets: ({ extra }) => [{ kind: "socket", socket: extra }] });
  const at = (socketPath: string): Promise<string> =>
    outcome(policy, call(t.capturePane, { paneId: "%1" }, { socketPath }));
  assertEquals(await at("/tmp/tmux-0/default"), "allowed");
  assertEquals(await at("/tmp/mine"), "allowed");
  assertEquals((await at("/tmp/tmux-0/other")).split(":")[0], "denied");
  assertEquals(await outcome(policy, call(servers, { extra: "/tmp/mine" })), "allowed");
  await deny(policy, call(servers, { extra: "/tmp/other" }), "/tmp/other", "security.allowed_sockets");
});

Deno.test("buffers read and write any file", async () => {
  const save = (path: string, settings = {}, host?: string): Promise<string> =>
    outcome(policyWith(settings), call(t.saveBuffer, { path }, host === undefined ? {} : { host }));
  assertEquals(await save("/home/me/work/a/b"), "allowed");
  assertEquals(await save("a"), "allowed");
  for (
    const path of [
      "/etc/passwd",
      "/home/me/work/../etc/passwd",
      "/home/me/workshop/a",
      "/home/me/work/x/../../etc/a",
      "/link/x",
    ]
  ) {
    assertEquals((await save(path)).split(":")[0], "denied", path);
  }
  assertEquals(await save("/etc/a", { allowedBufferPaths: ["/etc"] }), "allowed");
  assertEquals((await save("/home/me/work/a", { allowedBufferPaths: ["/etc"] })).split(":")[0], "denied");
  assertEquals((await save("/home/me/work/a", {}, "far")).split(":")[0], "denied");
  assertEquals(await save("/srv/a", { allowedBufferPaths: ["/srv"] }, "far"), "allowed");
  assertEquals((await save("/srv/../etc", { allowedBufferPaths: ["/srv"] }, "far")).split(":")[0], "denied");
});
