// Waits for what a screen shows, where no new line shows it.
import { assertEquals } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import type { TestClient, World } from "../support/world.ts";
import { until } from "../support/until.ts";

const test = inTurnOnOneServer("screens");

/** A pane with this on its screen; `draws` prints what comes next. */
async function screen(client: TestClient, world: World, shown: string) {
  const gate = `${world.folder}/draws-${crypto.randomUUID()}`;
  const wait = `while [ ! -e ${gate} ]; do sleep 0.05; done; cat ${gate}; exec sleep 600`;
  const { paneId } = await client.ok("create-session", {
    width: 40,
    height: 10,
    command: `stty -echo; printf '${shown}'; ${wait}`,
  });
  await until(async () => (await client.ok("capture-pane", { paneId })) !== "");
  const draws = async (text: string): Promise<void> => {
    // The shell prints the file as soon as it is there.
    await Deno.writeTextFile(`${gate}.new`, text);
    await Deno.rename(`${gate}.new`, gate);
  };
  return { paneId, draws };
}

for (const [name, enter] of [["main", ""], ["alternate", "\\033[?1049h"]]) {
  test(`wait-for-text: a line of the ${name} screen that is redrawn in part counts`, async ({ client, world }) => {
    const { paneId, draws } = await screen(client, world, `${enter}\\033[3;1HProgress 10%%\\033[10;1H`);
    const found = client.ok("wait-for-text", { paneId, pattern: "Progress 20%", timeout: 20 });
    await until(async () => (await world.readers()).length > 0);
    await draws("\x1b[3;10H2\x1b[10;1H");
    const { outcome, matchedLines } = await found;
    assertEquals([outcome, matchedLines], ["matched", ["Progress 20%"]]);
  });
}

test("wait-for-text, search-panes: a blank at a prompt's end is text, whenever it was printed", async ({ client, world }) => {
  const { paneId } = await screen(client, world, "Password: ");
  for (const pattern of ["Password: ", "^Password: $", "Password:$"]) {
    const regex = /[$^]/.test(pattern);
    const wait = { paneId, pattern, regex, timeout: 0 };
    assertEquals((await client.ok("wait-for-text", wait)).matchedLines, ["Password:"], pattern);
    const search = { paneIds: [paneId], pattern, regex };
    assertEquals((await client.ok("search-panes", search)).total, 1, pattern);
  }
});

test("capture-since keeps a no-break space at a line's end", async ({ client, world }) => {
  const { paneId, draws } = await screen(client, world, "begun\\n");
  const { cursor } = await client.ok("capture-since", { paneId });
  await draws("> \u00a0\nnext\n");
  await until(async () => (await client.ok("capture-pane", { paneId })).includes("next"));
  assertEquals((await client.ok("capture-since", { cursor })).lines, ["> \u00a0", "next"]);
});

test("snapshot-pane, wait-for-content-change: a screen that a person clears has changed", async ({ client, world }) => {
  const { paneId } = await screen(client, world, "begun\\n");
  const { version } = await client.ok("snapshot-pane", { paneId });
  const next = client.ok("snapshot-pane", { paneId, seen: version, waitSeconds: 600 });
  const changed = client.ok("wait-for-content-change", { paneId, timeout: 600 });
  await until(async () => (await world.readers()).length > 0);
  await world.tmux("send-keys", "-R", "-t", paneId);
  assertEquals((await next).content, "");
  assertEquals((await changed).changed, true);
});

test("wait-for-content-change: a choice that moves by its color is a change", async ({ client, world }) => {
  const { paneId, draws } = await screen(client, world, "\\033[7mYes\\033[m No");
  const changed = client.ok("wait-for-content-change", { paneId, timeout: 60 });
  await until(async () => (await world.readers()).length > 0);
  await draws("\x1b[1;1HYes \x1b[7mNo\x1b[m");
  assertEquals((await changed).changed, true);
});
