// A call about a service has one deadline, whatever it waits for.
import { assertEquals, assertMatch } from "@std/assert";
import { inTurnOnServers } from "../support/one_server.ts";
import { until } from "../support/until.ts";

const test = inTurnOnServers(2, "deadlines of services");

test("a call for a service that another call is still starting ends in time", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "-s", "keep", "cat");
  const profile = `${world.folder}/hung.sh`;
  await Deno.writeTextFile(profile, "while :; do read -t 1000 <> <(:); done\n");
  await world.tmux("set-option", "-g", "default-command", `exec bash --rcfile ${profile}`);
  const web = { name: "web", command: "sleep 600", timeout: 600 };
  const starting = new AbortController();
  const first = client.call("ensure-service", web, { signal: starting.signal }).catch(() => {});
  await until(async () => (await client.ok("list-services")).services.length === 1);
  const { code, text } = await client.fails("ensure-service", { ...web, timeout: 1 });
  assertEquals(code, "busy");
  assertMatch(text, /"web": another call is still starting it after 1 s/);
  starting.abort();
  await first;
  await until(async () => (await client.ok("list-services")).services.length === 0);
});

test("a service starts once its shell's start-up files no longer end it", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "-s", "keep", "cat");
  await world.tmux("set-option", "-g", "remain-on-exit", "on");
  const profile = `${world.folder}/broken.sh`;
  await Deno.writeTextFile(profile, "exit 3\n");
  await world.tmux("set-option", "-g", "default-command", `exec bash --rcfile ${profile}`);
  const web = { name: "web", command: "echo up; sleep 600", pattern: "^up", timeout: 20 };
  const { event, paneId } = await client.ok("ensure-service", web);
  assertEquals(event, "exit");
  assertEquals((await client.ok("list-services")).services[0].status, "ended");
  await Deno.writeTextFile(profile, "");
  const again = await client.ok("ensure-service", web);
  assertEquals([again.status, again.reason, again.ready, again.paneId], ["restarted", "ended", true, paneId]);
});

test("a service is no longer being started though tmux did not answer as its command began", async ({ world }) => {
  const slow = `${world.folder}/slow`;
  const silent = `if mkdir ${world.folder}/asked; then exec sleep 60; fi 2>/dev/null`;
  await Deno.writeTextFile(
    slow,
    `#!/bin/sh\ncase "$*" in *'"begun":true'*) ${silent} ;; esac\nexec tmux "$@"\n`,
    { mode: 0o700 },
  );
  const client = await world.serve({ args: ["--tmux-bin", slow, "--tmux-protocol=false"] });
  const web = { name: "unnoted", command: "sleep 600", pattern: "never", timeout: 0 };
  assertEquals((await client.ok("ensure-service", web)).event, "timeout");
  assertEquals((await client.ok("ensure-service", web)).status, "already-running");
});

test("the time that a running program takes to end is part of a restart's timeout", async ({ client }) => {
  const web = { name: "stubborn", command: "trap '' INT; sleep 600", pattern: "never", timeout: 0 };
  await client.ok("ensure-service", web);
  const { event, detail } = await client.ok("ensure-service", { ...web, restart: true, timeout: 6 });
  assertEquals(event, "timeout");
  // A program that ignores Ctrl-C is ended after 5 s.
  assertMatch(detail, /^No trigger fired in (0|0\.\d|1) s$/);
});

test("the time that before_script takes is part of apply-workspace's timeout", async ({ client }) => {
  const workspace = {
    "session_name": "slow",
    "before_script": "sleep 2",
    windows: [{ panes: [{ shell_command: ["sleep 600"], ready: { pattern: "never" } }] }],
  };
  const { ready, windows } = await client.ok("apply-workspace", { workspace, timeout: 3 });
  assertEquals(ready, false);
  assertMatch(windows[0].panes[0].detail, /^No trigger fired in (0|0\.\d|1) s$/);
});
