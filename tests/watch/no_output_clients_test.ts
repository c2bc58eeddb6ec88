// Clients that take no output, where a client can't be attached: no descriptor is left, or there is no tmux.
import { assertEquals, assertThrows } from "@std/assert";
import { noDescriptor } from "../../src/errors.ts";
import type { Attacher } from "../../src/tmux_protocol/attacher.ts";
import type { ControlChannel } from "../../src/tmux_exec/control_channel.ts";
import { NoOutputClients } from "../../src/watch/no_output_clients.ts";
import type { ServerRef } from "../../src/watch/protocol.ts";
import { until } from "../support/until.ts";

const SERVER: ServerRef = {
  bin: "false",
  socketArgs: [],
  env: {},
  // A version whose clients attach with one command.
  verified: { path: "/", version: "3.3a" },
};
const ATTACHED = new TextEncoder().encode("%begin 1 1 0\n%end 1 1 0\n");

/** A tmux to which clients can't always be attached. */
class Tmux implements AsyncDisposable {
  readonly clients: NoOutputClients;
  /** Number of the next clients that can't be attached. */
  failures = 0;
  attached = 0;
  /** Ends the client that attached last, as `detach-client` does. */
  detach: () => void = () => {};

  constructor() {
    this.clients = new NoOutputClients({ attach: () => this.#attach() } as unknown as Attacher);
  }

  #attach(): ControlChannel {
    if (this.failures > 0) {
      this.failures--;
      throw noDescriptor("Cannot attach");
    }
    const over = Promise.withResolvers<void>();
    this.detach = over.resolve;
    return {
      handle: { kind: "socket", pid: ++this.attached, fds: [] },
      write: () => over.resolve(),
      read: (take) => {
        take(ATTACHED);
        return over.promise;
      },
      end: () => Promise.resolve(over.resolve()),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.clients.close();
  }
}

/** Ends the client and settles once it is known to have ended. */
async function lose(tmux: Tmux): Promise<void> {
  await until(() => tmux.clients.pids().length === 1);
  tmux.detach();
  await until(() => tmux.clients.pids().length === 0);
}

Deno.test("a client that can't be attached again is tried until it can", async () => {
  await using tmux = new Tmux();
  tmux.clients.hold(SERVER, "$0", 0);
  tmux.failures = 2;
  await lose(tmux);
  await until(() => tmux.clients.pids().length === 1);
  assertEquals([tmux.attached, tmux.failures], [2, 0]);
});

Deno.test("a session whose client can't be attached is not held", async () => {
  await using tmux = new Tmux();
  tmux.failures = 1;
  assertThrows(() => tmux.clients.hold(SERVER, "$0", 0), Error, "Cannot attach");
  tmux.clients.hold(SERVER, "$1", 0)({ atOnce: true });
  await until(() => tmux.clients.pids().length === 0);
});

Deno.test("a session keeps its turn to be attached again while another one can't be", async () => {
  await using tmux = new Tmux();
  tmux.clients.hold(SERVER, "$0", 0);
  await lose(tmux);
  tmux.failures = 1;
  assertThrows(() => tmux.clients.hold(SERVER, "$1", 0), Error, "Cannot attach");
  await until(() => tmux.clients.pids().length === 1);
});
