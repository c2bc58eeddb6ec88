// A tmux server as policy sees it, a few declarations, and a policy to try.
import { assert, assertRejects } from "@std/assert";
import * as z from "zod";
import { completeOptions } from "../../src/config.ts";
import { AppError } from "../../src/errors.ts";
import { decide } from "../../src/policy/decide.ts";
import { Policy } from "../../src/policy/policy.ts";
import type { Decision, PolicyCall, PolicyPane, PolicySettings } from "../../src/policy/types.ts";
import type { CallerPlace } from "../../src/tmux/caller.ts";
import type { Tool } from "../../src/tool.ts";

const DEFAULTS = completeOptions({});

export function policyWith(settings: Partial<PolicySettings> = {}): Policy {
  return new Policy({ ...DEFAULTS, ...settings }, {
    home: "/home/me",
    standardPaths: () => ["/home/me/work"],
    checkFile: () => Promise.resolve(),
    ownPaths: ["/home/me/work/audit.jsonl"],
    fileId: () => Promise.resolve(undefined),
    resolvePath: (path) =>
      Promise.resolve(new URL(path, "file:///home/me/work/").pathname.replace("/link", "/etc")),
    resolveSocket: (socket) => socket.includes("/") ? socket : `/tmp/tmux-0/${socket}`,
  });
}

type Row = [
  paneId: string,
  windowId: string,
  sessionId: string,
  sessionName: string,
  also?: Partial<PolicyPane>,
];

/** dev holds @1 (%1 %2) and @2 (%3); ops holds @3 (%4 dead, %5 in copy mode) and a link to @2; sync holds @4 (%6 %7). */
const ROWS: Row[] = [
  ["%1", "@1", "$1", "dev"],
  ["%2", "@1", "$1", "dev"],
  ["%3", "@2", "$1", "dev"],
  ["%3", "@2", "$2", "ops"],
  ["%4", "@3", "$2", "ops", { dead: true }],
  ["%5", "@3", "$2", "ops", { mode: "copy-mode", service: "db" }],
  ["%6", "@4", "$3", "sync", { synchronized: true }],
  ["%7", "@4", "$3", "sync", { synchronized: true }],
];

export const PANES: readonly PolicyPane[] = ROWS.map(([paneId, windowId, sessionId, sessionName, also]) => ({
  paneId,
  pid: 1,
  windowId,
  windowIndex: 0,
  linkedInto: sessionName,
  sessionId,
  sessionName,
  dead: false,
  mode: "",
  inputOff: false,
  handedOver: false,
  synchronized: false,
  service: "",
  owner: "",
  ...also,
}));

export interface World {
  readonly caller?: CallerPlace;
  readonly owners?: Readonly<Record<string, string>>;
  readonly shell?: string | undefined;
  readonly newShell?: string;
  /** The pane whose program waits for a password. */
  readonly password?: string;
  readonly socketPath?: string;
  readonly host?: string;
}

export function call(declaration: Tool, args: Record<string, unknown>, world: World = {}): PolicyCall {
  const { caller = { kind: "outside" }, owners = {} } = world;
  return {
    declaration,
    args,
    socketPath: world.socketPath ?? "/tmp/tmux-0/default",
    host: world.host,
    live: {
      snapshot: () => Promise.resolve({ serverKey: "1-2", panes: PANES }),
      caller: () => Promise.resolve(caller),
      ownerOf: (id) => Promise.resolve(owners[id]),
      sessionOwner: (id) => Promise.resolve(owners[id]),
      showsOwnServer: () => Promise.resolve(false),
      bufferStamp: () => Promise.resolve("1 1"),
      sessionOf: (tty) => Promise.resolve(tty === "/dev/pts/1" ? "$1" : undefined),
      asksPassword: (paneId) => Promise.resolve(paneId === world.password),
      newShell: () => Promise.resolve(world.newShell ?? "bash"),
      shellOf: () => Promise.resolve("shell" in world ? world.shell : "bash"),
    },
  };
}

/** Decides on a call that then does all it was allowed to, and tells what came of it: `allowed`, or the code and message. */
export async function outcome(policy: Policy, asked: PolicyCall): Promise<string> {
  try {
    (await decide(asked, policy)).endTyping(true);
    return "allowed";
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

export async function allow(policy: Policy, asked: PolicyCall): Promise<Decision> {
  return await decide(asked, policy);
}

/** The call is denied, and says each of the parts. */
export async function deny(policy: Policy, asked: PolicyCall, ...parts: string[]): Promise<void> {
  const error = await assertRejects(() => decide(asked, policy), AppError);
  assert(error instanceof AppError && error.code === "denied", String(error));
  for (const part of parts) assert(error.message.includes(part), `${error.message}\ndoes not say ${part}`);
}

export function tool(name: string, declared: Partial<Tool> = {}): Tool {
  return {
    name,
    title: name,
    description: name,
    scope: "both",
    groups: [],
    effect: "read",
    input: z.strictObject({}),
    output: "text",
    targets: ({ paneId }) => paneId === undefined ? [] : [{ kind: "pane", id: paneId }],
    run: () => "",
    ...declared,
  };
}

export const capturePane = tool("capture-pane", { groups: ["capture"] });
export const renamePane = tool("rename-pane", { groups: ["rename"], effect: "change" });
export const killPane = tool("kill-pane", { groups: ["kill"], effect: "destroy" });
export const killWindow = tool("kill-window", {
  groups: ["kill"],
  effect: "destroy",
  targets: ({ windowId }) => [{ kind: "window", id: windowId }],
});
export const killSession = tool("kill-session", {
  groups: ["kill"],
  effect: "destroy",
  targets: ({ sessionId }) => [{ kind: "session", id: sessionId }],
});
export const killServer = tool("kill-server", {
  groups: ["kill"],
  effect: "destroy",
  targets: () => [{ kind: "server" }],
});
export const detachClient = tool("detach-client", {
  groups: ["kill"],
  effect: "destroy",
  targets: ({ clientTty }) => [{ kind: "client", tty: clientTty }],
});
export const deleteBuffer = tool("delete-buffer", {
  groups: ["buffer-write"],
  effect: "destroy",
  targets: ({ name }) => [{ kind: "buffer", name }],
});
export const createSession = tool("create-session", {
  groups: ["create"],
  effect: "change",
  targets: ({ name }) => [{ kind: "new-session", name }],
});
export const executeCommand = tool("execute-command", {
  groups: ["execute"],
  effect: "input",
  shellText: ({ command }) => [{ kind: "command", text: command }],
});
export const sendKeys = tool("send-keys", {
  groups: ["interactive"],
  effect: "input",
  shellText: ({ keys, literal = true }) => [{ kind: literal ? "bytes" : "keys", text: keys }],
});
export const sendEnter = tool("send-enter", {
  groups: ["special-keys"],
  effect: "input",
  shellText: () => [{ kind: "keys", text: "Enter" }],
});
export const pasteText = tool("paste-text", {
  groups: ["interactive"],
  effect: "input",
  shellText: ({ text }) => [{ kind: "paste", text }],
});
export const pasteBuffer = tool("paste-buffer", {
  groups: ["interactive"],
  effect: "input",
  shellText: () => [{ kind: "opaque", text: "" }],
});
export const saveBuffer = tool("save-buffer", {
  groups: ["buffer-write"],
  effect: "change",
  targets: ({ path }) => [{ kind: "path", path, list: "buffer" }],
});
