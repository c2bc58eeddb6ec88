// Handles requests about resources, and subscriptions to them.
import type { Server } from "../protocol_server.ts";
import type { RequestHandlers } from "../requests.ts";
import type { Resources } from "./resources.ts";
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from "../sdk.ts";
import type { Subscriptions } from "./subscriptions.ts";
import { bestEffort } from "../../promises.ts";

export function serveResources(requests: RequestHandlers, resources: Resources): void {
  requests.handle("resources/list", async (params, { signal }) => ({
    ...await resources.list(params?.cursor, signal),
  }));
  requests.handle("resources/templates/list", () => ({ resourceTemplates: resources.templates() }));
  requests.handle("resources/read", async ({ uri }, { signal }) => ({
    contents: [{ ...await resources.read(uri, signal) }],
  }));
}

/** Handles the subscription requests, which only sessions have. */
export function serveSubscriptions(server: Server, subscriptions: Subscriptions): void {
  const subscriber = { updated: (uri: string) => void bestEffort(server.sendResourceUpdated({ uri })) };
  server.setRequestHandler(SubscribeRequestSchema, async ({ params: { uri } }) => {
    await subscriptions.subscribe(uri, subscriber);
    return {};
  });
  server.setRequestHandler(UnsubscribeRequestSchema, async ({ params: { uri } }) => {
    await subscriptions.unsubscribe(uri, subscriber);
    return {};
  });
}
