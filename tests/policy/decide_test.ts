// The one decision of a call: tiers, ownership, own pane, switches, readiness.
import { assertEquals } from "@std/assert";
import * as t from "./fixture.ts";
import { call, deny, outcome, policyWith, tool } from "./fixture.ts";

const OURS = {
  "%1": "tmux-mcp:default",
  "$1": "tmux-mcp:default",
  "@1": "tmux-mcp:default",
  "%2": "tmux-mcp:other",
};

Deno.test("readonly lets nothing but reading through", async () => {
  const policy = policyWith({ safety: "readonly" });
  assertEquals(await outcome(policy, call(t.capturePane, { paneId: "%1" })), "allowed");
  const rest = [t.renamePane, t.executeCommand, t.killPane];
  for (const each of rest) {
    await deny(policy, call(each, { paneId: "%1", command: "ls" }), "--safety readonly");
  }
  const screenshot = tool("screenshot-pane", { groups: ["capture"], effectOf: () => "change" });
  await deny(policy, call(screenshot, { paneId: "%1" }), "--safety readonly");
});

Deno.test("mutating destroys only what this server made", async () => {
  const policy = policyWith();
  const world = { owners: OURS };
  assertEquals(await outcome(policy, call(t.killPane, { paneId: "%1" }, world)), "allowed");
  assertEquals(await outcome(policy, call(t.killSession, { sessionId: "dev" }, world)), "allowed");
  assertEquals(await outcome(policy, call(t.killWindow, { windowId: "@1" }, world)), "allowed");
  await deny(policy, call(t.killPane, { paneId: "%2" }, world), 'Cannot kill pane "%2"', "--safety mutating");
  await deny(policy, call(t.killPane, { paneId: "%3" }, world), "--safety mutating");
  await deny(policy, call(t.killWindow, { windowId: "@2" }, world), 'window "@2"', "--safety mutating");
  await deny(policy, call(t.killServer, {}, world), "--safety mutating");
  await deny(policy, call(t.detachClient, { clientTty: "/dev/pts/1" }, world), "--safety mutating");
  await deny(policy, call(t.detachClient, { clientTty: "/dev/pts/99" }, world), "--safety mutating");
  await deny(
    policy,
    call(tool("destroy-all", { effect: "destroy", targets: () => [] }), {}),
    "--safety mutating",
  );
  const other = policyWith({ instance: "other" });
  await deny(other, call(t.killPane, { paneId: "%1" }, world), "--safety mutating");
  assertEquals(await outcome(other, call(t.killPane, { paneId: "%2" }, world)), "allowed");
});

Deno.test("destructive destroys anything but the own pane", async () => {
  const policy = policyWith({ safety: "destructive" });
  assertEquals(await outcome(policy, call(t.killServer, {})), "allowed");
  assertEquals(await outcome(policy, call(t.detachClient, { clientTty: "/dev/pts/1" })), "allowed");
  const world = { caller: { kind: "pane", paneId: "%3" }, owners: OURS } as const;
  await deny(policy, call(t.killPane, { paneId: "%3" }, world), 'Cannot kill pane "%3": it runs this server');
  await deny(policy, call(t.killWindow, { windowId: "@2" }, world), '"%3" in it runs this server');
  await deny(policy, call(t.killSession, { sessionId: "$1" }, world), "runs this server");
  await deny(policy, call(t.killSession, { sessionId: "ops" }, world), "runs this server");
  await deny(policy, call(t.killServer, {}, world), "runs this server");
  await deny(
    policy,
    call(t.sendKeys, { paneId: "%3", keys: "x" }, world),
    "Cannot type into",
    "runs this server",
  );
  assertEquals(await outcome(policy, call(t.killPane, { paneId: "%2" }, world)), "allowed");
  assertEquals(await outcome(policy, call(t.renamePane, { paneId: "%3" }, world)), "allowed");
});

Deno.test("a server that cannot tell its own pane refuses what could hold it", async () => {
  const policy = policyWith({ safety: "destructive" });
  const world = { caller: { kind: "unknown" } } as const;
  await deny(policy, call(t.killServer, {}, world), "may contain the pane");
  await deny(policy, call(t.killSession, { sessionId: "$1" }, world), "may contain the pane");
  assertEquals(await outcome(policy, call(t.killPane, { paneId: "%2" }, world)), "allowed");
});

Deno.test("a buffer is ours while the running server remembers setting it", async () => {
  const policy = policyWith();
  await deny(policy, call(t.deleteBuffer, { name: "a" }), 'Cannot delete buffer "a"', "--safety mutating");
  policy.remember({ serverKey: "1-2", buffers: new Map([["a", "1 1"]]) });
  assertEquals(await outcome(policy, call(t.deleteBuffer, { name: "a" })), "allowed");
  policy.remember({ serverKey: "1-2", buffers: new Map([["a", "0 1"]]) });
  await deny(policy, call(t.deleteBuffer, { name: "a" }), "--safety mutating");
  policy.remember({ serverKey: "9-9", buffers: new Map([["b", "1 1"]]) });
  await deny(policy, call(t.deleteBuffer, { name: "b" }), "--safety mutating");
});

Deno.test("what is typed into a dead, copying or missing pane is refused before it is typed", async () => {
  const policy = policyWith();
  const typing = (paneId: string): Promise<string> =>
    outcome(policy, call(t.sendKeys, { paneId, keys: "x" }));
  assertEquals(await typing("%1"), "allowed");
  assertEquals((await typing("%4")).split(":")[0], "gone");
  assertEquals((await typing("%5")).split(":")[0], "busy");
  assertEquals((await typing("%99")).split(":")[0], "not-found");
});

Deno.test("keys into a synchronized pane must not reach the own pane", async () => {
  const world = { caller: { kind: "pane", paneId: "%7" } } as const;
  await deny(
    policyWith(),
    call(t.sendKeys, { paneId: "%6", keys: "x" }, world),
    'pane "%7"',
    "runs this server",
  );
  const scoped = policyWith({ allowedPanes: ["%6"] });
  await deny(scoped, call(t.sendKeys, { paneId: "%6", keys: "x" }), 'pane "%7"', "security.allowed_panes");
});

Deno.test("copying the own pane's output is not refused as typing", async () => {
  const world = { caller: { kind: "pane", paneId: "%7" } } as const;
  const targets = ({ paneId }: Record<string, unknown>) => [{ kind: "pane", id: `${paneId}` } as const];
  const pipe = tool("pipe-pane", { groups: ["capture"], effect: "input", targets });
  await deny(policyWith(), call(pipe, { paneId: "%7" }, world), 'Cannot use pane "%7"', "runs this server");
});

Deno.test("parameters that run commands are closed with the commands", async () => {
  const split = tool("split-pane", { groups: ["split"], effect: "change" });
  const policy = policyWith({ allowExecuteCommand: false, allowRawMode: false });
  const setting = "security.allow_execute_command = false";
  assertEquals(await outcome(policy, call(split, { paneId: "%1" })), "allowed");
  await deny(policy, call(split, { paneId: "%1", command: "ls" }), setting);
  await deny(policy, call(split, { paneId: "%1", environment: { A: "1" } }), setting);
  const option = tool("set-option", {
    groups: ["options"],
    effect: "change",
    targets: () => [],
    shellText: ({ value }) => [{ kind: "opaque", text: value }],
  });
  await deny(policy, call(option, { value: "#(ls)" }), setting);
  await deny(
    policy,
    call(tool("pipe-pane", { groups: ["options"], effect: "input" }), { paneId: "%1" }),
    setting,
  );
  const raw = policyWith({ allowRawMode: false });
  await deny(
    raw,
    call(t.executeCommand, { paneId: "%1", command: "ls", rawMode: true }),
    "security.allow_raw_mode",
  );
  await deny(
    raw,
    call(t.executeCommand, { paneId: "%1", command: "ls", noEnter: true }),
    "security.allow_raw_mode",
  );
  assertEquals(
    await outcome(raw, call(t.executeCommand, { paneId: "%1", command: "ls", rawMode: false })),
    "allowed",
  );
});

Deno.test("attach and direction of a new window go with the tools that select and move one", async () => {
  const window = tool("create-window", { groups: ["create"], effect: "change", targets: () => [] });
  const selecting = call(window, { attach: true });
  for (const items of [["@move"], ["@create"]]) {
    const policy = policyWith({
      scope: "all",
      tools: { mode: items[0] === "@move" ? "deny" : "allow", items },
    });
    await deny(policy, selecting, "Cannot take attach: security.tools");
    await deny(policy, call(window, { direction: "after" }), "Cannot take direction: security.tools");
    assertEquals(await outcome(policy, call(window, { attach: false })), "allowed");
  }
  const named = policyWith({ scope: "all", tools: { mode: "allow", items: ["create-window"] } });
  assertEquals(await outcome(named, selecting), "allowed");
});

Deno.test("rawMode and noEnter go with the tools that type", async () => {
  const closed = ["deny @raw-input", "deny @interactive", "allow @execute @list"];
  const open = ["deny @special-keys", "allow @execute @interactive", "allow execute-command"];
  for (const list of [...closed, ...open]) {
    const [mode, ...items] = list.split(" ") as ["allow" | "deny", ...string[]];
    const policy = policyWith({ scope: "all", tools: { mode, items } });
    for (const typing of ["rawMode", "noEnter"]) {
      const asked = call(t.executeCommand, { paneId: "%1", command: "", [typing]: true });
      if (closed.includes(list)) await deny(policy, asked, `Cannot take ${typing}: security.tools`);
      else assertEquals(await outcome(policy, asked), "allowed", list);
    }
  }
});

Deno.test("security.enabled = false lifts [security], and neither tier nor own pane", async () => {
  const policy = policyWith({
    securityEnabled: false,
    allowKill: false,
    allowedPanes: [],
    filterMode: "allowlist",
    tools: { mode: "allow", items: [] },
  });
  const world = { owners: OURS, caller: { kind: "pane", paneId: "%2" } } as const;
  assertEquals(await outcome(policy, call(t.killPane, { paneId: "%1" }, world)), "allowed");
  assertEquals(
    await outcome(policy, call(t.executeCommand, { paneId: "%1", command: "ls" }, world)),
    "allowed",
  );
  await deny(policy, call(t.killPane, { paneId: "%3" }, world), "--safety mutating");
  await deny(policy, call(t.killPane, { paneId: "%2" }, world), "runs this server");
});
