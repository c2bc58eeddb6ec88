import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { LoggingMessageNotificationSchema } from "../support/sdk.ts";
import { RawClient } from "../support/raw_client.ts";
import { World } from "../support/world.ts";

Deno.test("lines that a client may send", async (t) => {
  await using world = await World.create();
  await using client = new RawClient(world);
  await client.initialize();

  await t.step("a malformed line is answered, and the next request too", async () => {
    await client.line('{"jsonrpc": "2.0", "id": 2, "method": ');
    assertEquals((await client.next()).error?.code, -32700);
    await client.line('{"id": 3, "nothing": true}');
    assertEquals((await client.next()).error?.code, -32600);
    assertEquals((await client.call(4, "list-sessions")).result.structuredContent, { sessions: [] });
  });

  await t.step("a blank line is no message, and gets no answer", async () => {
    await client.text("\n \r\n");
    await client.send({ id: 2, method: "ping" });
    assertEquals((await client.next()).id, 2);
  });

  await t.step("a 5 MB argument is refused with a clear error, and the server lives on", async () => {
    const answer = await client.call(2, "create-session", { name: "x".repeat(5_000_000) });
    assertEquals(answer.result.isError, true);
    assertEquals(answer.result._meta["tmux-mcp/error"].code, "invalid-argument");
    assert(answer.result.content[0].text.length < 1000, "the error repeats the argument");
    const inherited = await client.call(3, "list-sessions", { constructor: 1 });
    assertMatch(
      inherited.result.content[0].text,
      /^(Unknown|Unrecognized|Invalid) .*constructor(?!.*native code)/,
    );
    const long = await client.call(4, "get-session-info", { sessionId: "x".repeat(70_000) });
    assertMatch(long.result.content[0].text, /^Invalid sessionId of 70000 characters: expected at most/);
    assert(long.result.content[0].text.length < 2000, "the error repeats all of the name");
    assertEquals((await client.call(3, "list-sessions")).result.structuredContent, { sessions: [] });
  });

  await t.step(
    "null arguments count as no arguments; params of a wrong shape are invalid, in one line that names them",
    async () => {
      const ask = async (id: number, params?: Record<string, unknown>) => {
        await client.send({ id, method: "tools/call", ...(params ? { params } : {}) });
        return await client.answer(id);
      };
      const { result } = await ask(2, { name: "list-sessions", arguments: null });
      assertEquals(result.structuredContent, { sessions: [] });
      for (
        const [id, params] of [[3, { name: "list-panes", arguments: [1] }], [4, { arguments: {} }], [
          5,
        ]] as const
      ) {
        const { error } = await ask(id, params);
        assertEquals([id, error?.code], [id, -32602]);
        assertMatch(error?.message ?? "", /^params[.a-z]*: Invalid input: expected \w+, received \w+$/);
      }
    },
  );

  await t.step("an unknown tool is a protocol error, an unknown argument names the valid ones", async () => {
    const { error: unknown } = await client.call(2, "list-everything");
    assertEquals(unknown?.code, -32602);
    assertMatch(unknown!.message, /^Unknown tool "list-everything"/);
    const { result } = await client.call(3, "list-panes", { pane: "%1" });
    assertEquals(result._meta["tmux-mcp/error"].code, "invalid-argument");
    assertMatch(result.content[0].text, /Unknown argument "pane".*windowId/);
    assertEquals((await client.call(4, "list-panes", { wait_for_previous: true })).result.isError, undefined);
  });

  await t.step(
    "a cursor or an argument to complete that does not exist is named, with what to send instead",
    async () => {
      const complete = {
        ref: { type: "ref/prompt", name: "run-and-wait" },
        argument: { name: "pane", value: "" },
      };
      const template = { ...complete, ref: { type: "ref/resource", uri: "tmux://nothing/{here}" } };
      const wrong: [method: string, params: Record<string, unknown>, says: RegExp][] = [
        ["resources/list", { cursor: "zz" }, /^Invalid cursor "zz": .*leave it out/],
        [
          "completion/complete",
          complete,
          /^Cannot complete argument "pane" of prompt "run-and-wait": expected .*paneId/,
        ],
        ["completion/complete", template, /"tmux:\/\/nothing\/\{here\}": there is no such template/],
      ];
      for (const [method, params, says] of wrong) {
        const id = String(says);
        await client.send({ id, method, params });
        const { error } = await client.answer(id);
        assertEquals(error?.code, -32602);
        assertMatch(error!.message, says);
      }
    },
  );

  await t.step(
    "stringified arguments are read: numbers, booleans, objects; so are numbers for text, and null for nothing",
    async () => {
      const { result } = await client.call(2, "create-session", {
        name: "s",
        width: "90",
        suppressHistory: "true",
        environment: '{"COLOUR":"blue"}',
      });
      const { paneId } = result.structuredContent;
      const { panes } = (await client.call(3, "list-panes")).result.structuredContent;
      assertEquals(panes.map((pane: { id: string; width: number }) => [pane.id, pane.width]), [[paneId, 90]]);
      assertStringIncludes(await world.tmux("show-environment", "-t", "s"), "COLOUR=blue");
      const made = await client.call(4, "create-session", {
        name: 8080,
        startDirectory: null,
        environment: { PORT: 8080, DEBUG: true },
      });
      assertEquals(made.result.structuredContent.sessionName, "8080");
      const variables = await world.tmux("show-environment", "-t", "=8080");
      assertStringIncludes(variables, "PORT=8080");
      assertStringIncludes(variables, "DEBUG=true");
    },
  );

  await t.step("cancelling works for request id 0 too", async () => {
    const made = await client.call(1, "create-session", { command: "cat" });
    const { paneId } = made.result.structuredContent;
    await client.send({
      id: 0,
      method: "tools/call",
      params: { name: "watch-pane", arguments: { paneId, triggers: "bell" } },
    });
    for (let id = 10;; id++) {
      if ((await client.call(id, "watch-events")).result.structuredContent.active.length > 0) break;
    }
    await client.send({ method: "notifications/cancelled", params: { requestId: 0 } });
    const { result } = await client.call(2, "watch-events", { waitSeconds: 20 });
    assertEquals(result.structuredContent.events[0].event, "cancelled");
    assertEquals(result.structuredContent.active, []);
  });

  await t.step("an id that is used again right after its cancellation gets its answer", async () => {
    const call = (name: string, args: Record<string, unknown>) => ({
      id: 20,
      method: "tools/call",
      params: { name, arguments: args },
    });
    const messages = [
      call("watch-events", { waitSeconds: 60 }),
      { method: "notifications/cancelled", params: { requestId: 20 } },
      call("list-sessions", {}),
    ];
    await client.text(messages.map((each) => `${JSON.stringify({ jsonrpc: "2.0", ...each })}\n`).join(""));
    const { result } = await client.answer(20);
    assert("sessions" in result.structuredContent);
  });
});

Deno.test("a missing tmux still answers tools/list, and calls fail with tmux-unavailable", async () => {
  await using world = await World.create();
  await using client = new RawClient(world, ["--tmux-bin", "/nowhere/tmux"]);
  await client.initialize();
  await client.send({ id: 2, method: "tools/list" });
  assert((await client.answer(2)).result.tools.length > 10);
  const { result } = await client.call(3, "list-sessions");
  assertEquals(result._meta["tmux-mcp/error"].code, "tmux-unavailable");
  const ref = { type: "ref/prompt", name: "run-and-wait" };
  const completing = { ref, argument: { name: "paneId", value: "" } };
  for (const [method, params] of [["resources/list", {}], ["completion/complete", completing]]) {
    await client.send({ id: 4, method, params });
    const { code, message, data } = (await client.answer(4)).error!;
    assertMatch(message, /no such program\. Correct its path/);
    assertEquals([code, data.code], [-32603, "tmux-unavailable"]);
  }
});

Deno.test("when stdin closes the server ends, its clients go and the panes stay", async () => {
  await using world = await World.create();
  await world.tmux("new-session", "-d", "-s", "mine", "cat");
  await using client = new RawClient(world);
  await client.initialize();
  const { panes } = (await client.call(2, "list-panes")).result.structuredContent;
  await client.call(3, "watch-pane", { paneId: panes[0].id, triggers: "bell", background: true });
  const isAttached = await world.attaches();
  const clients = await world.tmux("list-clients", "-F", "#{client_control_mode}");
  const piped = (): Promise<string> => world.tmux("list-panes", "-a", "-F", "#{pane_pipe}");
  assertEquals([clients.includes("1"), (await piped()).trim()], isAttached ? [true, "0"] : [false, "1"]);
  assertEquals((await client.hangUp()).code, 0);
  assertEquals(await world.tmux("list-clients"), "");
  for (let tries = 0; (await piped()).includes("1"); tries++) assert(tries < 1000, "The pipe stays");
  assertEquals((await world.tmux("list-panes", "-a", "-F", "#{pane_id}")).trim(), panes[0].id);
});

Deno.test("the handshake returns the version asked for if it is known, else the latest; ping works before it ends", async () => {
  await using world = await World.create();
  const clientInfo = { name: "raw", version: "1" };
  for (const [asked, answered] of [["2025-06-18", "2025-06-18"], ["1999-01-01", "2025-11-25"]]) {
    await using client = new RawClient(world);
    await client.send({
      id: 1,
      method: "initialize",
      params: { protocolVersion: asked, capabilities: {}, clientInfo },
    });
    const { result } = await client.answer(1);
    assertEquals(result.protocolVersion, answered);
    assertEquals(result.serverInfo.name, "tmux-mcp");
    assert(result.instructions.length > 100);
    assertEquals(Object.keys(result.capabilities).sort(), [
      "completions",
      "logging",
      "prompts",
      "resources",
      "tools",
    ]);
    await client.send({ id: 2, method: "ping" });
    assertEquals((await client.answer(2)).result, {});
    await client.send({ id: 3, method: "logging/setLevel", params: { level: "debug" } });
    assertEquals((await client.answer(3)).result, {});
    await client.send({ id: 4, method: "logging/setLevel", params: { level: "loud" } });
    assertEquals((await client.answer(4)).error?.code, -32602);
  }
});

Deno.test("a client that sets a log level gets failed calls from info on, and every call with debug", async () => {
  await using world = await World.create();
  const { client } = await world.serve();
  const logged: { level: string; data: unknown }[] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params));
  const call = (name: string, args = {}) => client.callTool({ name, arguments: args });
  await call("pane-state", { paneId: "%99" });
  assertEquals(logged, [], "nothing is sent that nobody asked for");
  await client.setLoggingLevel("info");
  await call("list-sessions");
  await call("pane-state", { paneId: "%99" });
  assertEquals(logged.map(({ level }) => level), ["info"]);
  assertMatch(String(logged[0]?.data), /^pane-state not-found in \d+ ms$/);
  await client.setLoggingLevel("debug");
  await call("list-sessions");
  assertEquals(logged.map(({ level }) => level), ["info", "debug"]);
});
