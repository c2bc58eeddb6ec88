// Notifications about resources that a client gets.
import { ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema } from "./sdk.ts";
import type { TestClient } from "./world.ts";

/** Notifications a client gets, to be waited for. */
export class Notices {
  readonly updated: string[] = [];
  listChanged = 0;
  #waiting: (() => void) | undefined;

  constructor({ client }: TestClient) {
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
      this.updated.push(params.uri);
      this.#waiting?.();
    });
    client.setNotificationHandler(ResourceListChangedNotificationSchema, () => {
      this.listChanged++;
      this.#waiting?.();
    });
  }

  async until(holds: () => boolean): Promise<void> {
    const late = setTimeout(() => this.#waiting?.(), 20_000);
    const began = performance.now();
    while (!holds()) {
      if (performance.now() - began > 19_000) throw new Error("No such notification came");
      await new Promise<void>((resolve) => this.#waiting = resolve);
    }
    clearTimeout(late);
  }
}
