// Handles requests about resources and sends the updates of subscriptions.
import type { Resources } from "./resources.ts";
import type { Server } from "./protocol_server.ts";
import {
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "./sdk.ts";
import type { Subscriptions } from "./subscriptions.ts";

export function serveResources(server: Server, resources: Resources, subscriptions: Subscriptions): void {
  server.setRequestHandler(ListResourcesRequestSchema, async ({ params }, { signal }) => {
    return { ...await resources.list(params?.cursor, signal) };
  });
  server.setRequestHandler(
    ListResourceTemplatesRequestSchema,
    () => ({ resourceTemplates: resources.templates() }),
  );
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }, { signal }) => ({
    contents: [{ ...await resources.read(uri, signal) }],
  }));
  server.setRequestHandler(SubscribeRequestSchema, async ({ params: { uri } }) => {
    await subscriptions.subscribe(uri);
    return {};
  });
  server.setRequestHandler(UnsubscribeRequestSchema, async ({ params: { uri } }) => {
    await subscriptions.unsubscribe(uri);
    return {};
  });
}
