// The live view as a person sees it: its page in a headless Chromium, with the reference bridge of MCP Apps between
// page and server. Not in the gate, which is not to need a browser: `deno task browser`.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { AppHost } from "../support/app_host.ts";
import { Chromium } from "../support/chromium.ts";
import { type TestClient, World } from "../support/world.ts";

async function shellPane(client: TestClient, size = { width: 60, height: 10 }): Promise<string> {
  const { paneId } = await client.ok("create-session", { ...size, command: "PS1='$ ' exec sh" });
  await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 30 });
  return paneId;
}

const view = (paneId: string) => ({ tool: "open-live-view", args: { paneId } });

Deno.test("in Chromium: a pane as it is, what changes in it, its size, and its end", async () => {
  await using world = await World.create();
  await using browser = await Chromium.start();
  const client = await world.serve();
  const paneId = await shellPane(client);
  const host = await AppHost.show(browser, client, view(paneId));
  await client.ok("send-keys", {
    paneId,
    keys: "printf '\\033[31mred\\033[m%s\\n' der 日本🚀x",
    enter: true,
  });
  await host.untilShown("redder");
  await host.untilShown("red日本🚀x");
  assertEquals(
    await host.evaluate("document.querySelector('.xterm-rows .xterm-fg-1').textContent"),
    "red",
  );
  await host.until("document.querySelector('.xterm-cursor') !== null");
  assert(host.heights.at(-1)! > 100, `${host.heights}`);

  await world.tmux("resize-window", "-t", paneId, "-x", "40", "-y", "8");
  await host.until("document.getElementById('name').textContent.includes('40×8')");
  assertEquals(await host.evaluate("document.querySelectorAll('.xterm-rows > div').length"), 8);

  await world.tmux("kill-pane", "-t", paneId);
  await host.until("document.getElementById('screen').classList.contains('ended')");
});

Deno.test("in Chromium: what is typed into the view arrives in the pane, keys as its program wants them", async () => {
  await using world = await World.create();
  await using browser = await Chromium.start();
  const client = await world.serve();
  const { paneId } = await client.ok("create-session", {
    ...{ width: 60, height: 10, command: "printf '\\033[?1h'; stty raw -echo; exec od -An -c -w1 -v" },
  });
  await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 30 });
  const host = await AppHost.show(browser, client, view(paneId));
  await host.until("document.getElementById('name').textContent !== ''");
  await host.focus();
  // xterm.js would type arrows for it.
  await host.page.send("Input.dispatchMouseEvent", {
    type: "mouseWheel",
    x: 60,
    y: 60,
    deltaX: 0,
    deltaY: 99,
  });
  for (const key of "aé") await host.press(key);
  await host.press("ArrowUp", { keyCode: 38 });
  await host.press("c", { modifiers: 2, keyCode: 67 });
  await host.press("Enter", { keyCode: 13 });
  await host.until(
    "/^\\s*a.*303.*251.*033.*O.*A.*003.*\\\\r/.test(document.querySelector('.xterm-rows').textContent)",
  );
});

Deno.test("in Chromium: where policy lets nobody type, the view says so and types nothing", async () => {
  await using world = await World.create();
  await using browser = await Chromium.start();
  const paneId = await shellPane(await world.serve());
  const client = await world.serve({ args: ["--safety", "readonly"] });
  const host = await AppHost.show(browser, client, view(paneId));
  await host.untilShown("$");
  await host.focus();
  await host.press("x");
  await host.untilState("Not typed: the server's settings don't allow it");
  assertEquals((await client.ok("snapshot-pane", { paneId })).content, "$");
});

Deno.test("in Chromium: after a refusal the next text is typed, and the view says so", async () => {
  await using world = await World.create();
  await using browser = await Chromium.start();
  const client = await world.serve();
  const paneId = await shellPane(client);
  const host = await AppHost.show(browser, client, view(paneId));
  await host.untilShown("$");
  await host.focus();
  await world.tmux("copy-mode", "-t", paneId);
  await host.press("x");
  await host.untilState("The pane is busy: nothing was typed");
  await world.tmux("send-keys", "-t", paneId, "-X", "cancel");
  await host.press("y");
  await host.untilState("What you type goes to the pane");
  await host.untilShown("$ y");
});

Deno.test("in Chromium: a view that nobody sees asks for nothing, and continues when it shows again", async () => {
  await using world = await World.create();
  await using browser = await Chromium.start();
  const client = await world.serve();
  const paneId = await shellPane(client);
  const host = await AppHost.show(browser, client, view(paneId));
  await host.waiting;
  await host.page.evaluate("frame.style.display = 'none'");
  const { length } = host.calls;
  for (let shown = "$ "; shown.length < 7;) {
    await client.ok("send-keys", { paneId, keys: "x" });
    await client.ok("wait-for-text", { paneId, pattern: shown += "x", timeout: 30 });
    // Timers of hidden frames are slow: that the page's own has fired is seen by one of its kind.
    await host.evaluate("new Promise((resolve) => setTimeout(resolve, 100))");
  }
  // The frame may have seen itself a last time.
  assert(host.calls.length <= length + 1, `${host.calls.length - length}`);
  await host.page.evaluate("frame.style.display = 'block'");
  await client.ok("send-keys", { paneId, keys: " again" });
  await host.untilShown(`$ ${"x".repeat(5)} again`);
});

Deno.test("in Chromium: a client that lets the page call nothing shows the answer, and is asked again only when clicked", async () => {
  await using world = await World.create();
  await using browser = await Chromium.start();
  const client = await world.serve();
  const paneId = await shellPane(client);
  await client.ok("send-keys", { paneId, keys: "still" });
  await client.ok("wait-for-text", { paneId, pattern: "$ still", timeout: 30 });
  const host = await AppHost.show(browser, client, { ...view(paneId), refuses: true });
  await host.untilShown("$ still");
  await host.untilState("Not allowed");
  host.refuses = false;
  const [x, y] = await host.evaluate(`(() => {
    const { x, y } = document.getElementById("again").getBoundingClientRect();
    return [x + 5, y + 5];
  })()`) as [number, number];
  assertEquals(host.calls, []);
  await host.click(x, y);
  await host.untilState("Live");
  await client.ok("send-keys", { paneId, keys: "moving" });
  await host.untilShown("$ stillmoving");
});

Deno.test("in Chromium: a view of a pane out of scope says why, and one that is closed lets go", async () => {
  await using world = await World.create();
  await using browser = await Chromium.start();
  const maker = await world.serve();
  const [mine, other] = [await shellPane(maker), await shellPane(maker)];
  const config = `${world.folder}/config.toml`;
  await Deno.writeTextFile(config, `[security]\nallowed_panes = ["${mine}"]\n`);
  const client = await world.serve({ args: ["--config", config] });
  const denied = await AppHost.show(browser, client, view(other));
  await denied.untilState("The server's settings hide this pane");
  assertStringIncludes(
    await denied.evaluate("document.getElementById('state').title") as string,
    "security.allowed_panes",
  );

  const host = await AppHost.show(browser, client, { ...view(mine), hostContext: { theme: "light" } });
  await host.untilShown("$");
  assertEquals(
    await host.evaluate("getComputedStyle(document.getElementById('screen')).backgroundColor"),
    "rgb(255, 255, 255)",
  );
  const { signal, over } = await host.waiting;
  await host.bridge.teardownResource({});
  await over;
  assert(signal.aborted);
});
