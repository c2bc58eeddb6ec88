// Tools for services: named programs that are started once.
import * as z from "zod";
import { unlessGone } from "../errors.ts";
import { defineTool, type ShellText } from "../tool.ts";
import { environment, startDirectory } from "./params.ts";
import { listening, watchResult } from "./shapes.ts";
import { progressOf } from "./watch.ts";

/** Limit on a service's command; tmux accepts arguments of up to 16 KB. */
const MAX_COMMAND = 8000;

const serviceName = z.string().regex(
  /^[A-Za-z0-9][\w.-]{0,63}$/,
  "expected a name of letters, digits, dots, dashes and underscores",
).describe("Name of the service, such as web or db");

export const ensureService = defineTool({
  name: "ensure-service",
  description:
    "Start a dev server or database under a name unless it already runs, and wait until it is ready (pattern, a regex, or port). " +
    "If it is not ready in time, it keeps running: continue with watch-pane and background.",
  scope: "agentic",
  groups: ["execute"],
  effect: "input",
  waits: true,
  readsOn: "Call get-command-result with the commandId for all its output.",
  input: z.strictObject({
    name: serviceName,
    command: z.string().min(1).max(MAX_COMMAND).describe("Shell command"),
    startDirectory: startDirectory.optional(),
    pattern: z.string().min(1).optional().describe("Regex (RE2) that its output matches when it is ready"),
    port: z.int().min(1).max(65535).optional().describe("TCP port that means ready"),
    environment: environment.optional(),
    restart: z.boolean().default(false).describe("Restart even if it runs"),
    timeout: z.number().min(0).default(50).describe("Maximum seconds to wait until it is ready"),
  }),
  output: watchResult.omit({
    paneState: true,
    paneIds: true,
    watchId: true,
    totalLines: true,
    totalBytes: true,
  }).extend({
    service: z.string(),
    status: z.enum(["started", "already-running", "restarted"]),
    ready: z.boolean().optional(),
    ports: listening,
    reason: z.enum(["ended", "changed", "asked"]).optional(),
  }),
  targets: ({ name }) => [{ kind: "new-session", name: "tmux-mcp-services" }, { kind: "service", name }],
  shellText: ({ command, environment }) => [{ kind: "command", text: command }, ...variables(environment)],
  async run(request, context) {
    const { services, tmux, signal, decideOn } = context;
    return await services.ensure(request, {
      tmux,
      signal,
      ...progressOf(context, request.timeout),
      decideOnTyping: (paneId, type) =>
        decideOn({ effect: "input", targets: [{ kind: "pane", id: paneId }], shellText: [] }, type),
      decideOnRestart: ({ paneId, running, environment }, restart) =>
        decideOn({
          effect: "destroy",
          groups: running ? ["kill"] : [],
          targets: [{ kind: "pane", id: paneId }],
          shellText: variables(environment),
        }, restart),
    });
  },
});

function variables(environment: Readonly<Record<string, string>> = {}): ShellText[] {
  return Object.keys(environment).map((text) => ({ kind: "variable", text }));
}

export const stopService = defineTool({
  name: "stop-service",
  description: "Stop a service and close its pane.",
  scope: "agentic",
  groups: ["kill"],
  effect: "destroy",
  input: z.strictObject({ name: serviceName }),
  output: z.strictObject({
    service: z.string(),
    stopped: z.boolean(),
    paneId: z.string().optional(),
    forced: z.literal(true).optional(),
    /** Programs of it that SIGTERM did not end. */
    stillRunning: z.array(z.strictObject({
      pid: z.int(),
      command: z.string().optional(),
      port: z.int().optional(),
    })).optional(),
  }),
  targets: ({ name }) => [{ kind: "service", name }],
  async run({ name }, { services, tmux, signal, decideOn }) {
    const pane = await services.find(name, { tmux, signal });
    if (pane === undefined) return { service: name, stopped: false };
    const targets = [{ kind: "pane", id: pane.paneId, ends: true } as const];
    const stopping = decideOn(
      { effect: "destroy", targets, shellText: [] },
      (tmux) => services.stop(pane, { tmux, signal }),
    );
    // Its pane may have closed meanwhile.
    return { service: name, ...(await unlessGone(stopping) ?? { stopped: false }) };
  },
});

export const listServices = defineTool({
  name: "list-services",
  description: "List services with their status and ports.",
  scope: "agentic",
  groups: ["list"],
  effect: "read",
  input: z.strictObject({}),
  output: z.strictObject({
    services: z.array(z.strictObject({
      service: z.string(),
      paneId: z.string(),
      command: z.string(),
      status: z.enum(["running", "ended"]),
      ready: z.boolean().optional(),
      ports: z.array(z.int()),
      startedAt: z.int(),
    })),
  }),
  targets: () => [],
  async run(_args, { services, tmux, sees }) {
    const inScope = await sees.panes();
    const all = await services.list(tmux);
    const shown = all.filter(({ paneId }) => inScope === undefined || inScope.has(paneId));
    return { services: shown.map((each) => ({ ...each, ports: each.ports.map(({ port }) => port) })) };
  },
});
