// The end of a service: its program gets a Ctrl-C of its own, whatever people do in its pane and beside it.
import { assertEquals } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { until } from "../support/until.ts";
import type { World } from "../support/world.ts";

const test = inTurnOnOneServer("ends of services");

/** Writes a service that leaves a file when Ctrl-C ends it. */
async function writePolite(world: World, name: string): Promise<{ command: string; farewell: string }> {
  const [file, farewell] = [`${world.folder}/${name}.sh`, `${world.folder}/${name}.bye`];
  await Deno.writeTextFile(
    file,
    `trap 'echo bye >${farewell}; exit' INT; echo up; while :; do sleep 0.05; done`,
  );
  return { command: `sh ${file}`, farewell };
}

/** Splits a pane with a program that keeps what is typed into it, and returns a function that reads that and an `x`. */
async function splitKeeper(world: World, paneId: string): Promise<() => Promise<string>> {
  const file = `${world.folder}/kept`;
  const command = `stty raw -echo; exec cat >${file}`;
  const beside = (await world.tmux("split-window", "-d", "-P", "-F", "#{pane_id}", "-t", paneId, command))
    .trim();
  const mode = () => world.tmux("display-message", "-p", "-t", beside, "#{pane_current_command}");
  await until(async () => (await mode()).trim() === "cat");
  return async () => {
    // Arrives after all that was typed before.
    await world.tmux("send-keys", "-t", beside, "x");
    let text = "";
    await until(async () => (text = await Deno.readTextFile(file)).includes("x"));
    return text;
  };
}

test("a service that is stopped in a synchronized window ends alone", async ({ world, client }) => {
  const { command, farewell } = await writePolite(world, "synchronized");
  const web = { name: "web", command, pattern: "^up", timeout: 20 };
  const { paneId } = await client.ok("ensure-service", web);
  const kept = await splitKeeper(world, paneId);
  await world.tmux("set-option", "-w", "-t", paneId, "synchronize-panes", "on");
  assertEquals(await client.ok("stop-service", { name: "web" }), { service: "web", stopped: true, paneId });
  assertEquals(await Deno.readTextFile(farewell), "bye\n");
  assertEquals(await kept(), "x");
});

test("a restart that could not type the command ends nothing", async ({ world, client }) => {
  const { command } = await writePolite(world, "kept");
  const web = { name: "web", command, pattern: "^up", timeout: 20 };
  const { paneId } = await client.ok("ensure-service", web);
  await splitKeeper(world, paneId);
  await world.tmux("set-option", "-w", "-t", paneId, "synchronize-panes", "on");
  for (const refused of [{ ...web, restart: true }, { ...web, command: `${command} again` }]) {
    const { code, text } = await client.fails("ensure-service", refused);
    assertEquals([code, text.includes("goes to other panes too")], ["busy", true]);
    const { services: [listed] } = await client.ok("list-services");
    assertEquals([listed.status, listed.command], ["running", command]);
  }
  assertEquals((await client.ok("ensure-service", web)).status, "already-running");
});

for (
  const [how, act] of [
    ["a person has scrolled back in it", ["copy-mode"]],
    ["its input is off", ["select-pane", "-d"]],
  ] as const
) {
  test(`a service is stopped with Ctrl-C though ${how}`, async ({ world, client }) => {
    const { command, farewell } = await writePolite(world, act[0]);
    const { paneId } = await client.ok("ensure-service", {
      ...{ name: "web", command, pattern: "^up", timeout: 20 },
    });
    await world.tmux(...act, "-t", paneId);
    assertEquals(await client.ok("stop-service", { name: "web" }), { service: "web", stopped: true, paneId });
    assertEquals(await Deno.readTextFile(farewell), "bye\n");
  });
}
