// No text given to any parameter of any tool is ever expanded as a tmux format: as it is on the wire, so new tools too.
import { assert, assertEquals } from "@std/assert";
import { type TestClient, World } from "../support/world.ts";
import { exists } from "./stage.ts";

/** A job and a time; a format that shows itself, and one that runs the job of an option. */
const TEXTS = ["#(touch canary)Q%YQ", "Q#{l:expanded}Q#{E:@job}"];
const EXPANDED = /QexpandedQ|Q20\d\dQ/;

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** A value with the text in it wherever the schema takes any text; undefined where it takes none. */
function carrying(schema: Schema, text: string): unknown {
  if (schema.enum !== undefined) return undefined;
  if ([schema.type].flat().includes("string")) return text;
  const branch = schema.anyOf?.map((each) => carrying(each, text)).find((value) => value !== undefined);
  if (branch !== undefined) return branch;
  if (schema.items !== undefined) {
    const item = carrying(schema.items, text);
    return item === undefined ? undefined : [item];
  }
  const more = schema.additionalProperties;
  return typeof more === "object" && carrying(more, text) !== undefined ? { NAME: text } : undefined;
}

interface Objects {
  readonly sessionId: string;
  readonly windowId: string;
  readonly paneId: string;
  readonly otherPaneId: string;
}

/** Values of required parameters other than the one that is tried. */
function plain(name: string, schema: Schema, there: Objects): unknown {
  if (/^(?:sourceP|p)aneId$/.test(name)) return there.paneId;
  if (name === "targetPaneId") return there.otherPaneId;
  if (name === "windowId") return there.windowId;
  if (/sessionId$/i.test(name)) return there.sessionId;
  if (name === "hex") return "41";
  if (name === "option") return "@mine";
  if (name === "layout") return "tiled";
  if (name === "triggers") return "idle:1";
  if (schema.enum !== undefined) return schema.enum[0];
  const type = [schema.type ?? schema.anyOf?.[0]?.type].flat()[0];
  return { string: "x", number: 0, integer: 0, boolean: false, array: [], object: {} }[type ?? "string"];
}

/** Nothing is waited for. */
const SHORT: Readonly<Record<string, unknown>> = { timeout: 0, waitSeconds: 0 };

async function furnish(world: World): Promise<Objects> {
  const format = "#{session_id} #{window_id} #{pane_id}";
  const split = ["split-window", "-P", "-F", "#{pane_id}", "-t", "made:", "cat"];
  const made = await world.tmux(
    ...["new-session", "-d", "-s", "made", "-P", "-F", format, "cat", ";", ...split],
  );
  const [sessionId = "", windowId = "", paneId = "", otherPaneId = ""] = made.trim().split(/\s/);
  return { sessionId, windowId, paneId, otherPaneId };
}

async function end(world: World, { sessionId }: Objects): Promise<void> {
  await world.tmux("kill-session", "-t", sessionId).catch(() => {});
}

/** All that has a name on the server, and what is set on it. */
async function state(world: World): Promise<string> {
  return await world.tmux(
    ...[
      "list-panes",
      "-a",
      "-F",
      "#{session_id} #{window_id} #{pane_id} #{pane_in_mode}#{pane_dead} " +
      "#{session_name} #{window_name} #{pane_title} #{pane_start_command} #{pane_current_path}",
    ],
    ...[";", "list-buffers", ";", "show-environment", "-g"],
  );
}

/** True if both panes are where they were made, and take keys. */
function isIntact(shown: string, { sessionId, windowId, paneId, otherPaneId }: Objects): boolean {
  return [paneId, otherPaneId].every((pane) => shown.includes(`${sessionId} ${windowId} ${pane} 00 `));
}

interface Tried {
  world: World;
  client: TestClient;
  tool: string;
  parameter: string;
}

/** Returns the state of tmux afterwards. */
async function tryParameter(
  { world, client, tool, parameter }: Tried,
  inputSchema: Schema,
  there: Objects,
): Promise<string> {
  const { properties = {}, required = [] } = inputSchema;
  const expands = tool === "expand-format" && parameter === "format";
  const check = (told: string): void =>
    assert(expands || !EXPANDED.test(told), `${tool} expanded ${parameter}: ${EXPANDED.exec(told)?.[0]}`);
  for (const text of TEXTS) {
    const { content, _meta } = await client.call(tool, {
      ...Object.fromEntries(required.map((name) => [name, plain(name, properties[name]!, there)])),
      ...Object.fromEntries(Object.entries(SHORT).filter(([name]) => name in properties)),
      [parameter]: carrying(properties[parameter]!, text),
    });
    assert(_meta?.["tmux-mcp/error"]?.code !== "internal", `${tool} ${parameter}: ${content[0]?.text}`);
    check(JSON.stringify(content));
  }
  const shown = await state(world);
  check(shown);
  assert(!await exists(`${world.folder}/canary`), `${tool} ran a job out of ${parameter}`);
  return shown;
}

/** `socket` is read for every tool in one place, and costs a connection: tried on those that may start a server, and some others. */
const ON_SOCKETS = [
  ...["create-session", "start-and-watch", "ensure-service", "apply-workspace"],
  ...["list-panes", "list-servers", "kill-server"],
];

function textParameters(tool: string, { properties = {} }: Schema): string[] {
  return Object.entries(properties).flatMap(([name, each]) =>
    carrying(each, "x") === undefined || (name === "socket" && !ON_SOCKETS.includes(tool)) ? [] : [name]
  );
}

/** A text for a socket's name can have started a server there. */
async function endServers({ env }: World): Promise<void> {
  for (const text of TEXTS) {
    await new Deno.Command("tmux", { args: ["-L", text, "kill-server"], env, clearEnv: true, stderr: "null" })
      .output();
  }
}

Deno.test("no text of any parameter of any tool is expanded", async (t) => {
  await using world = await World.create();
  await world.tmux("new-session", "-d", "-s", "stays", "cat");
  await world.tmux("set-option", "-g", "@job", "#(touch canary)");
  const client = await world.serve({ args: ["--safety", "destructive", "--prompts-as-tools"] });
  let tried = 0;
  try {
    for (const { name: tool, inputSchema } of (await client.client.listTools()).tools) {
      const schema = inputSchema as Schema;
      await t.step(tool, async () => {
        let there: Objects | undefined;
        for (const parameter of textParameters(tool, schema)) {
          there ??= await furnish(world);
          const shown = await tryParameter({ world, client, tool, parameter }, schema, there);
          tried++;
          if (isIntact(shown, there)) continue;
          await end(world, there);
          there = undefined;
        }
        if (there !== undefined) await end(world, there);
      });
    }
  } finally {
    await endServers(world);
  }
  assert(tried > 150, `only ${tried} parameters take text`);
  await t.step("a job that tmux does expand would have run", async () => {
    for (let left = 200; left > 0 && !await exists(`${world.folder}/canary`); left--) {
      await world.tmux("display-message", "-p", "#(touch canary)");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assertEquals(await exists(`${world.folder}/canary`), true);
  });
});
