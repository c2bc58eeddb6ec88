// Tools on tmux servers and the clients attached to them.
import * as z from "zod";
import { defineTool } from "../tool.ts";
import { server } from "./shapes.ts";

export const getServerInfo = defineTool({
  name: "get-server-info",
  title: "Server info",
  description: "Describe the tmux server: whether it is running, its version, process, socket and sessions.",
  groups: ["socket"],
  effect: "read",
  input: z.strictObject({}),
  output: server,
  targets: () => [],
  run: (_args, { tmux }) => tmux.servers.info(),
});

export const listServers = defineTool({
  name: "list-servers",
  description: "List this user's running tmux servers; pass a row's socket to other tools to work there.",
  groups: ["list", "socket"],
  effect: "read",
  input: z.strictObject({
    extraSocketPaths: z.array(z.string().startsWith("/", "expected an absolute path")).max(100).default([])
      .describe("Additional socket paths to check"),
  }),
  output: z.strictObject({ servers: z.array(server.extend({ sessions: z.int(), socket: z.string() })) }),
  targets: ({ extraSocketPaths }) => extraSocketPaths.map((socket) => ({ kind: "socket", socket })),
  async run({ extraSocketPaths }, { tmux, sees }) {
    return {
      servers: await tmux.servers.list(extraSocketPaths, (path) => sees.socket(path, tmux.machine.host)),
    };
  },
});

export const killServer = defineTool({
  name: "kill-server",
  description: "Kill the tmux server and every session in it, whoever created them. " +
    "Use kill-session for a single session.",
  groups: ["kill"],
  effect: "destroy",
  input: z.strictObject({}),
  output: z.strictObject({ killed: z.string() }),
  targets: () => [{ kind: "server" }],
  async run(_args, { tmux }) {
    await tmux.servers.kill();
    return { killed: tmux.socket };
  },
});

export const socketForPath = defineTool({
  name: "socket-for-path",
  title: "Socket for a path",
  description:
    "Return the tmux socket path for a project directory; it is the same for every agent that works there.",
  groups: ["socket"],
  effect: "read",
  input: z.strictObject({
    path: z.string().regex(/\S/, "expected a path").describe(
      "Absolute path of the project directory; a different spelling gives a different socket",
    ),
  }),
  output: z.strictObject({ path: z.string(), socket: z.string() }),
  targets: () => [],
  run({ path }) {
    const hashed = path.trim().replace(/(?<=.)\/+$/, "");
    return { path, socket: `/tmp/${fnv1a64(hashed)}.sock` };
  },
});

export const listClients = defineTool({
  name: "list-clients",
  description: "List the terminals that people have attached to tmux.",
  groups: ["list"],
  effect: "read",
  input: z.strictObject({}),
  output: z.strictObject({
    clients: z.array(z.strictObject({
      tty: z.string(),
      name: z.string(),
      sessionName: z.string(),
      pid: z.int(),
      attached: z.boolean(),
      readOnly: z.boolean(),
    })),
  }),
  targets: () => [],
  async run(_args, { tmux }) {
    return { clients: await tmux.clients.list() };
  },
});

export const detachClient = defineTool({
  name: "detach-client",
  description: "Detach a terminal from its session; the programs in the session keep running.",
  groups: ["kill"],
  effect: "destroy",
  input: z.strictObject({
    clientTty: z.string().min(1).describe(
      "tty of the client such as /dev/pts/4, or its name if it has no tty",
    ),
  }),
  output: z.strictObject({ detached: z.string() }),
  targets: ({ clientTty }) => [{ kind: "client", tty: clientTty }],
  async run({ clientTty }, { tmux }) {
    await tmux.clients.detach(clientTty);
    return { detached: clientTty };
  },
});

/** 64-bit FNV-1a hash of the text's UTF-8 bytes, as 16 hex digits. */
function fnv1a64(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, "0");
}
