// Sends this server's log to the client, from the level that the client asked for.
import { LOG_LEVELS } from "./envelope.ts";
import type { Server } from "./protocol_server.ts";
import { type LoggingLevel, SetLevelRequestSchema } from "./sdk.ts";
import { bestEffort } from "../promises.ts";

export class ClientLog {
  readonly #server: Server;
  /** Undefined until the client sets a level; it gets no messages before. */
  #least: number | undefined;

  constructor(server: Server) {
    this.#server = server;
    server.setRequestHandler(SetLevelRequestSchema, ({ params: { level } }) => {
      this.#least = LOG_LEVELS.indexOf(level);
      return {};
    });
  }

  write(level: LoggingLevel, data: string): void {
    if (this.#least === undefined || LOG_LEVELS.indexOf(level) < this.#least) return;
    const message = { method: "notifications/message", params: { level, logger: "tmux-mcp", data } };
    // Ignore the failure: the client may be gone.
    void bestEffort(this.#server.notification(message));
  }
}
