// Programs of many languages that listen on a port: the trigger names each, and pane-state lists it.
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { LoopbackSshd } from "../support/sshd.ts";
import { Watching } from "../support/watching.ts";
import { World } from "../support/world.ts";
import { freePort } from "../support/free_port.ts";

const GO = `package main
import ("net"; "os")
func main() { l, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1]); if err != nil { panic(err) }; l.Accept() }
`;
const RUST = `fn main() {
  let port = std::env::args().nth(1).unwrap();
  std::net::TcpListener::bind(format!("127.0.0.1:{port}")).unwrap().accept().unwrap();
}
`;
const DENO = "Deno.listen({ hostname: '127.0.0.1', port: Number(Deno.args[0]) }); setInterval(() => {}, 1e6)";

interface Place {
  folder: string;
  /** The command that logs in to this machine. */
  ssh: string;
}

interface Program {
  /** A program that has to be installed; `prepare` makes it ready. */
  needs: string;
  prepare?(folder: string): Promise<string[]>;
  command(port: number, place: Place): string;
  /** Name of the process that listens. */
  listens: string;
}

const PROGRAMS: readonly Program[] = [
  {
    needs: "node",
    listens: "node",
    command: (port) => `node -e 'require("http").createServer().listen(${port})'`,
  },
  { needs: "python3", listens: "python3", command: (port) => `python3 -m http.server ${port}` },
  { needs: "socat", listens: "socat", command: (port) => `socat TCP-LISTEN:${port},fork,reuseaddr -` },
  {
    needs: "go",
    listens: "listen-go",
    prepare: async (folder) => {
      await Deno.writeTextFile(join(folder, "main.go"), GO);
      return ["go", "build", "-o", join(folder, "listen-go"), join(folder, "main.go")];
    },
    command: (port, { folder }) => `${folder}/listen-go ${port}`,
  },
  {
    needs: "rustc",
    listens: "listen-rust",
    prepare: async (folder) => {
      await Deno.writeTextFile(join(folder, "main.rs"), RUST);
      return ["rustc", "-o", join(folder, "listen-rust"), join(folder, "main.rs")];
    },
    command: (port, { folder }) => `${folder}/listen-rust ${port}`,
  },
  {
    needs: "deno",
    listens: "deno",
    prepare: async (folder) => {
      await Deno.writeTextFile(join(folder, "listen.ts"), DENO);
      return [];
    },
    command: (port, { folder }) => `${Deno.execPath()} run -A --no-config ${folder}/listen.ts ${port}`,
  },
  {
    needs: "ssh",
    listens: "ssh",
    command: (port, { ssh }) => `${ssh} -N -L 127.0.0.1:${port}:127.0.0.1:9 127.0.0.1`,
  },
];

async function has(program: string): Promise<boolean> {
  const { success } = await new Deno.Command("sh", { args: ["-c", `command -v ${program}`], stdout: "null" })
    .output();
  return success;
}

async function prepare({ prepare }: Program, folder: string): Promise<void> {
  const [program, ...args] = await prepare?.(folder) ?? [];
  if (program === undefined) return;
  const { success, stderr } = await new Deno.Command(program, { args, stdout: "null", stderr: "piped" })
    .output();
  assert(success, new TextDecoder().decode(stderr));
}

Deno.test("the trigger names each program that listens, and pane-state lists it until it ends", async (t) => {
  await using world = await World.create();
  await using sshd = await LoopbackSshd.start(world.folder);
  const ssh = sshd.client("-i", sshd.key, "-o", "StrictHostKeyChecking=no").join(" ");
  const client = await world.serve();
  const paneId = await new Watching(world, client).shellPane();
  for (const program of PROGRAMS) {
    await t.step(program.needs, async () => {
      assert(await has(program.needs), `${program.needs} is not installed`);
      await prepare(program, world.folder);
      const port = freePort();
      const command = program.command(port, { folder: world.folder, ssh });
      const fired = await client.ok("start-and-watch", {
        paneId,
        command,
        triggers: `port:${port},exit`,
        timeout: 60,
      });
      assertEquals(fired.event, `port:${port}`, fired.detail);
      const { listening } = await client.ok("pane-state", { paneId });
      assertEquals(
        listening.map((each: { port: number; command: string }) => [each.port, each.command]),
        [[port, program.listens]],
      );
      await client.ok("send-keys", { paneId, keys: "C-c", literal: false });
      await client.ok("watch-pane", { paneId, triggers: "shell", timeout: 20 });
      assertEquals((await client.ok("pane-state", { paneId })).listening, []);
    });
  }
});
