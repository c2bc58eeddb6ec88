// A follow as its owner holds it, with workers that do nothing by themselves.
import { assertEquals, assertRejects } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import type { FollowSpec } from "../../src/watch/protocol.ts";
import { SupervisedFollow } from "../../src/watch/supervised_follow.ts";
import type { FollowHandlers, WorkerHandle } from "../../src/watch/worker_handle.ts";

const SPEC = { server: {}, panes: [{ paneId: "%1" }] } as unknown as FollowSpec;

class Rig {
  readonly told: string[] = [];
  readonly served: FollowSpec[] = [];
  readonly follow: SupervisedFollow;
  handlers!: FollowHandlers;

  constructor() {
    this.follow = new SupervisedFollow({
      watchId: "w1",
      spec: SPEC,
      handlers: {
        failed: ({ message }) => this.told.push(message),
        gap: ({ paneId }) => this.told.push(`gap ${paneId}`),
      },
      serve: (spec, handlers) => {
        this.served.push(spec);
        this.handlers = handlers;
        return { worker: {} as WorkerHandle, end: (atOnce) => this.told.push(`end ${atOnce}`) };
      },
      refused: () => this.told.push("refused"),
      over: () => this.told.push("over"),
    });
  }
}

Deno.test("a follow that is stopped before it has begun keeps nobody waiting", async () => {
  const rig = new Rig();
  rig.follow.stop();
  await assertRejects(() => rig.follow.ready, AppError, "The watch has ended");
  rig.follow.stop();
  assertEquals(rig.told, ["over", "end false"]);
});

Deno.test("a follow that fails is over, and says why to whoever waits and to its owner", async () => {
  const rig = new Rig();
  rig.handlers.failed(new AppError("gone", "No such pane"));
  await assertRejects(() => rig.follow.ready, AppError, "No such pane");
  assertEquals(rig.told, ["over", "end false", "No such pane"]);
});

Deno.test("a follow for which no client stays goes on without one and reports what was missed", async () => {
  const rig = new Rig();
  rig.handlers.ready();
  await rig.follow.ready;
  const refusal = new AppError("unsupported", "It is ended again and again");
  rig.handlers.refused?.(refusal);
  assertEquals(rig.told, ["refused", "end true", "gap %1"]);
  assertEquals([rig.served[1]?.server.unattached, rig.served[1]?.resumed], [true, true]);
  rig.handlers.refused?.(refusal);
  assertEquals(rig.told.slice(3), ["over", "end false", "It is ended again and again"]);
});
