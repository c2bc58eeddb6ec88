// Subscriptions of several clients to one resource.
import { assertEquals } from "@std/assert";
import { AppError, notFound } from "../../../src/errors.ts";
import type { ResourceRef } from "../../../src/server/resources/resource_uris.ts";
import type { Resources } from "../../../src/server/resources/resources.ts";
import { Subscriptions } from "../../../src/server/resources/subscriptions.ts";
import { RowCodec } from "../../../src/tmux/row_codec.ts";
import type { Tmux } from "../../../src/tmux/tmux.ts";
import type { Commands } from "../../../src/commands/commands.ts";
import { until } from "../../support/until.ts";

const URI = "tmux://sessions";
const codec = new RowCodec();

/** A tmux server that prints these panes, and a resource with this text. */
function resourcesWith(text: () => string, panes = () => ""): Resources {
  const contents = async () => await Promise.resolve({ uri: URI, mimeType: "text/plain", text: text() });
  const tmux = {
    address: "one",
    codec,
    runIfServer: () => Promise.resolve(panes()),
    clients: { list: () => Promise.resolve([]) },
    machine: {},
  } as unknown as Tmux;
  return {
    find: () => ({ resource: { changes: "objects" }, args: {} }) as unknown as ResourceRef,
    read: contents,
    readUnrecorded: contents,
    connect: () => tmux,
  } as unknown as Resources;
}

Deno.test("a second subscription to a resource leaves a change to the first that it is yet to hear of", async () => {
  let text = "before";
  const resources = resourcesWith(() => text);
  const subscriptions = new Subscriptions({ resources, commands: {} as Commands, changed: () => {} });
  try {
    const heard: string[] = [];
    await subscriptions.subscribe(URI, { updated: (uri) => heard.push(uri) });
    text = "after";
    await subscriptions.subscribe(URI, { updated: () => {} });
    await until(() => heard.length > 0);
    assertEquals(heard, [URI]);
  } finally {
    subscriptions.close();
  }
});

Deno.test("the end of a resource is reported once, whatever is missing of its place", async () => {
  let reads = 0;
  let polls = 0;
  const text = (): string => {
    if (reads++ === 0) return "there";
    throw reads % 2 === 0 ? notFound("pane", "%0") : new AppError("gone", `The server ended (${reads})`);
  };
  const resources = resourcesWith(
    text,
    () => `${codec.format({ id: "%0", place: String(polls++), printed: "" })}\n`,
  );
  const subscriptions = new Subscriptions({ resources, commands: {} as Commands, changed: () => {} });
  try {
    const heard: string[] = [];
    await subscriptions.subscribe(URI, { updated: (uri) => heard.push(uri) });
    await until(() => reads > 3);
    assertEquals(heard, [URI]);
  } finally {
    subscriptions.close();
  }
});
