// The time that each tmux server of a listing has to answer.
import { assertEquals } from "@std/assert";
import { Servers } from "../../../src/tmux/objects/servers.ts";
import { RowCodec } from "../../../src/tmux/row_codec.ts";
import type { TmuxGateway } from "../../../src/tmux/gateway.ts";

/** Time (ms) that a server has to answer when the servers of a machine are listed; undefined for that of any call. */
async function timeToAnswer(host?: string): Promise<number | undefined> {
  let given: number | undefined;
  const tmux = {
    codec: new RowCodec(),
    machine: {
      ...(host !== undefined && { host }),
      sockets: () => Promise.resolve(["/tmp/tmux-0/default"]),
      version: () => Promise.resolve("3.4"),
    },
    at: () => tmux,
    runIfServer: (
      _: unknown,
      { timeoutMs }: { timeoutMs?: number },
    ) => (given = timeoutMs, Promise.resolve()),
  } as unknown as TmuxGateway;
  await new Servers(tmux).list([], () => true);
  return given;
}

Deno.test("a server on a host has as long to be listed as any call, and a silent one here a second", async () => {
  assertEquals([await timeToAnswer("far"), await timeToAnswer()], [undefined, 1000]);
});
