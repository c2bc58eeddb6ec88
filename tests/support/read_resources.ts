// Resources as a client reads them, and a session that has something to read.
import { assertEquals, assertRejects } from "@std/assert";
import { McpError } from "./sdk.ts";
import type { TestClient, World } from "./world.ts";

export async function read(client: TestClient, uri: string) {
  const { contents } = await client.client.readResource({ uri });
  assertEquals(contents.length, 1);
  const [{ mimeType, text, uri: answered }] = contents as [{ mimeType: string; text: string; uri: string }];
  assertEquals(answered, uri);
  return { mimeType, text, json: mimeType === "application/json" ? JSON.parse(text) : undefined };
}

export async function code(promise: Promise<unknown>): Promise<number> {
  return (await assertRejects(() => promise, McpError) as McpError).code;
}

export async function rig(world: World, args: string[] = []) {
  const client = await world.serve({ args });
  const made = await client.ok("create-session", {
    name: "wörk 1",
    width: 80,
    height: 24,
    command: `sh -c 'printf "\\033[31mred\\033[0m\\n"; seq 300; printf the-end; stty -echo; exec cat'`,
  });
  for (let tries = 0;; tries++) {
    if ((await client.ok("capture-pane", { paneId: made.paneId })).endsWith("the-end")) break;
    if (tries > 1000) throw new Error("It never printed");
  }
  return { client, ...made } as { client: TestClient; paneId: string; windowId: string; sessionId: string };
}
