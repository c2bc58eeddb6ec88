// A control client that tmux no longer answers is given up; one of a tmux that answers nobody is not.
import { assertEquals } from "@std/assert";
import type { Attacher } from "../../src/tmux/socket/attacher.ts";
import { ControlClient, type ControlTarget } from "../../src/tmux/control_client.ts";
import type { ControlChannel } from "../../src/tmux/control_channel.ts";
import { privateTmux } from "./private_tmux.ts";

const SPOKEN = { path: "/", version: "" };
const ATTACHED = "%begin 1 1 0\n%end 1 1 0\n";

/** A client that has attached and is told nothing more. */
function muteClient(target: ControlTarget): ControlClient {
  const over = Promise.withResolvers<void>();
  const channel: ControlChannel = {
    handle: { kind: "socket", pid: 0, fds: [] },
    write() {},
    finish: () => over.resolve(),
    read(take) {
      take(new TextEncoder().encode(ATTACHED));
      return over.promise;
    },
    end() {
      over.resolve();
      return over.promise;
    },
  };
  return new ControlClient({
    target,
    attacher: { attach: () => channel } as unknown as Attacher,
    sessionId: "$0",
    flags: [],
    output() {},
    notification() {},
    closed() {},
    silentMs: 100,
  });
}

Deno.test("a control client that tmux does not answer, though it answers others, is given up", async () => {
  await using tmux = await privateTmux();
  const client = muteClient({ ...tmux.target, spoken: SPOKEN });
  await client.attached;
  const reply = await client.send("display-message -p ''");
  assertEquals([reply.failed, reply.text, client.closed], [true, "the control client ended", true]);
});

Deno.test("a control client of a tmux that answers nobody is kept", async () => {
  await using tmux = await privateTmux();
  const asked = Promise.withResolvers<void>();
  const target: ControlTarget = {
    ...tmux.target,
    spoken: SPOKEN,
    get bin() {
      asked.resolve();
      return "/nonexistent";
    },
  };
  const client = muteClient(target);
  await client.attached;
  const answer = client.send("display-message -p ''");
  await asked.promise;
  assertEquals(client.closed, false);
  await client.close();
  assertEquals((await answer).failed, true);
});
