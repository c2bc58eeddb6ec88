// Completes arguments of prompts and resources with existing objects.
import { AppError } from "../errors.ts";
import { excerpt } from "../excerpt.ts";
import type { Declaration } from "../policy/types.ts";
import type { ServerSnapshot } from "../tmux/server_snapshot.ts";
import { isAllowed } from "./gate.ts";
import type { RequestHandlers } from "./requests.ts";
import type { ResourceServices } from "./resources/resources.ts";
import { shortMessage } from "./results.ts";
import { ErrorCode, McpError } from "./sdk.ts";

export interface CompletionServices
  extends Pick<ResourceServices, "gate" | "commands" | "connect" | "hosts"> {
  skills: readonly string[];
}

export interface CompletionRequest {
  argument: { name: string; value: string };
  /** Arguments that are already complete. */
  settled: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

export interface Completion {
  values: string[];
  total: number;
  hasMore: boolean;
}

type SnapshotPanes = ServerSnapshot["panes"];

/** The protocol's limit. */
const MOST = 100;

const DECLARATION: Declaration = { name: "completion", effect: "read", groups: ["list"], targets: () => [] };
const SOCKETS: Declaration = { ...DECLARATION, groups: ["list", "socket"] };

/** Sources of values by argument name; a name means the same in prompts and resources. */
const VALUES: Readonly<
  Record<string, (panes: SnapshotPanes, settled: CompletionRequest["settled"]) => string[]>
> = {
  paneId: (panes) => panes.map((pane) => pane.paneId),
  windowId: (panes) => panes.map((pane) => pane.windowId),
  sessionId: (panes) => panes.map((pane) => pane.sessionId),
  sessionName: (panes) => panes.map((pane) => pane.sessionName),
  name: (panes) => panes.map((pane) => pane.sessionName),
  index: (panes, { name }) =>
    panes.filter((pane) => name === undefined || pane.sessionName === name || pane.sessionId === name)
      .map((pane) => String(pane.windowIndex)),
};

/**
 * Completions of an argument that begin with the typed text; empty if policy forbids listings.
 * @throws {AppError} `invalid-argument` for a settled host that isn't configured
 */
async function complete(
  { argument: { name, value }, settled, signal }: CompletionRequest,
  { gate, commands, connect, hosts, skills }: CompletionServices,
): Promise<Completion> {
  const { socket, host } = settled;
  const where = { ...(socket ? { socket } : {}), ...(host ? { host } : {}) };
  const tmux = connect(where).during(signal);
  const declaration = name === "socket" ? SOCKETS : DECLARATION;
  const callContext = gate.callContext({ declaration, args: {}, tmux });
  if (!await isAllowed(gate, callContext)) return answer([], value);
  if (name === "host") return answer(hosts, value);
  if (name === "skill") return answer(skills, value);
  const { sees } = gate.view(callContext);
  if (name === "socket") {
    const servers = await tmux.servers.list([], (path) => sees.socket(path, tmux.machine.host));
    return answer(servers.map(({ socket }) => socket), value);
  }
  if (name === "commandId") return answer(await commands.ids(tmux, await sees.panes()), value);
  const read = Object.hasOwn(VALUES, name) ? VALUES[name] : undefined;
  if (!read) return answer([], value);
  const panes = await gate.present(callContext, (await callContext.snapshot()).panes) as SnapshotPanes;
  return answer(read(panes, settled), value);
}

function answer(all: readonly string[], typed: string): Completion {
  const fitting = [...new Set(all)].filter((value) => value.startsWith(typed));
  return { values: fitting.slice(0, MOST), total: fitting.length, hasMore: fitting.length > MOST };
}

export function serveCompletion(
  requests: RequestHandlers,
  services: CompletionServices & {
    /** Names of the arguments of a prompt or resource template; `undefined` if it doesn't exist. */
    argumentsOf(ref: { prompt: string } | { template: string }): readonly string[] | undefined;
  },
): void {
  requests.handle(
    "completion/complete",
    async ({ ref, argument, context }, { signal }) => {
      const [about, named] = ref.type === "ref/prompt"
        ? [{ prompt: ref.name }, `prompt "${excerpt(ref.name, 100)}"`] as const
        : [{ template: ref.uri }, `resource template "${excerpt(ref.uri, 100)}"`] as const;
      const known = services.argumentsOf(about);
      if (!known?.includes(argument.name)) {
        const reason = known === undefined
          ? `there is no such ${ref.type === "ref/prompt" ? "prompt" : "template"}, see prompts/list and ` +
            "resources/templates/list"
          : `expected ${known.join(", ") || "none"}`;
        throw refusal(`Cannot complete argument "${excerpt(argument.name, 100)}" of ${named}: ${reason}`);
      }
      try {
        const completion = await complete({ argument, settled: context?.arguments ?? {}, signal }, services);
        return { completion: { ...completion } };
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        const { code, message, hint } = error;
        const text = shortMessage(hint === undefined ? message : `${message}. ${hint}`);
        throw code === "invalid-argument"
          ? refusal(text)
          : new McpError(ErrorCode.InternalError, text, { code });
      }
    },
  );
}

function refusal(message: string): McpError {
  return new McpError(ErrorCode.InvalidParams, message);
}
