// Resources as a client reads them, and a session that has something to read.
import { assertEquals, assertRejects } from "@std/assert";
import { McpError } from "./sdk.ts";
import { until } from "./until.ts";
import type { TestClient } from "./world.ts";

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

export async function rig(client: TestClient) {
  const made = await client.ok("create-session", {
    name: "wörk 1",
    width: 80,
    height: 24,
    command: `sh -c 'printf "\\033[31mred\\033[0m\\n"; seq 300; printf the-end; stty -echo; exec cat'`,
  });
  await until(async () => (await client.ok("capture-pane", { paneId: made.paneId })).endsWith("the-end"));
  return { client, ...made } as { client: TestClient; paneId: string; windowId: string; sessionId: string };
}
