// Which clients let go of a pane before its program is started again, even if one leaves meanwhile.
import { assertEquals, assertRejects } from "@std/assert";
import { AppError } from "../../../src/errors.ts";
import { Clients } from "../../../src/tmux/objects/clients.ts";
import type { Command } from "../../../src/tmux_exec/exec.ts";
import { RowCodec } from "../../../src/tmux/row_codec.ts";
import type { TmuxGateway } from "../../../src/tmux/gateway.ts";
import { Rows, type RowSource } from "../../../src/tmux/rows.ts";

const PERSON = { name: "/dev/pts/1", pid: 1 };
const OWN = { name: "client-2", pid: 2 };
const ALIKE = { name: "tmux-mcp/3.abc", pid: 3 };

function clientsOf(...lists: { name: string; pid: number }[][]): Clients {
  const runIfServer = ([command]: Command[]) => {
    const format = command!.at(-1)!;
    const rows = (lists.shift() ?? []).map(({ name, pid }) =>
      `${format.replace("#{client_name}", name).replace("#{client_pid}", `${pid}`)}\n`
    );
    return Promise.resolve(rows.join(""));
  };
  const server = { codec: new RowCodec(), runIfServer, ownClients: () => new Set([OWN.pid]) };
  const rows = new Rows(server as unknown as RowSource);
  return new Clients({ ...server, rows } as unknown as TmuxGateway);
}

const pause = (name: string): Command => ["refresh-client", "-t", name, "-A", "%1:pause"];

Deno.test("clients of this program and of others like it let go, and a person's do not", async () => {
  const first = await clientsOf([PERSON, OWN, ALIKE]).letGo("%1", (first) => Promise.resolve(first));
  assertEquals(first, [pause(OWN.name), pause(ALIKE.name)]);
});

Deno.test("where a client has left since it was listed, those that are there now let go", async () => {
  const told: Command[][] = [];
  const act = (first: Command[]): Promise<string> => {
    told.push(first);
    return first.length === 2
      ? Promise.reject(new AppError("not-found", `Cannot find client "${OWN.name}"`))
      : Promise.resolve("done");
  };
  assertEquals(await clientsOf([OWN, ALIKE], [ALIKE]).letGo("%1", act), "done");
  assertEquals(told, [[pause(OWN.name), pause(ALIKE.name)], [pause(ALIKE.name)]]);
});

Deno.test("what else is wrong is said at once", async () => {
  await assertRejects(() => clientsOf([]).letGo("%1", () => Promise.reject(new Error("no"))), Error, "no");
});
