// Tasks of other processes on tmux servers that this one may not use.
import { assertEquals } from "@std/assert";
import { TaskPlaces } from "../../src/durable/task_places.ts";
import type { Tmux } from "../../src/tmux/tmux.ts";

Deno.test("a tmux server that calls may not use is not asked whether it is still the same", async () => {
  const asked: unknown[] = [];
  const places = new TaskPlaces({
    connect({ socket }) {
      asked.push(socket);
      return { servers: { runs: (key: string) => Promise.resolve(key === "key") } } as Tmux;
    },
    seesSocket: (path) => path === "/seen",
    visiblePanes: () => Promise.resolve(undefined),
    contents: true,
    allows: () => true,
  });
  const place = (socket: string) => ({ socket, serverKey: "key", paneIds: ["%0"] });
  const answers = [await places.isThere(place("/seen")), await places.isThere(place("/denied"))];
  assertEquals([answers, asked], [[true, false], ["/seen"]]);
});
