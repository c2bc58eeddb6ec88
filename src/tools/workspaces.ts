// Tools on workspaces, which are descriptions of sessions in tmuxp's format.
import * as z from "zod";
import { AppError } from "../errors.ts";
import { defineTool, type FoundEffects, type ToolContext } from "../tool.ts";
import type { Tmux } from "../tmux/tmux.ts";
import type { WorkspaceCall } from "../workspaces/start.ts";
import type { DescribedOption, DescribedSession } from "../workspaces/workspace.ts";
import {
  divertsKeys,
  isHook,
  optionEffect,
  optionText,
  synchronizes,
  writesFile,
} from "./option_commands.ts";
import { sessionId, timeout } from "./params.ts";
import { reportWaiting } from "./waiting_progress.ts";

export const applyWorkspace = defineTool({
  name: "apply-workspace",
  description:
    "Create the missing parts of a tmuxp workspace (session, windows, panes), run its commands, and wait until " +
    "panes with `ready` are ready. For longer waits, use watch-pane with background.",
  scope: "agentic",
  groups: ["create", "split", "execute"],
  effect: "input",
  waits: true,
  input: z.strictObject({
    file: z.string().min(1).optional().describe("YAML or JSON"),
    workspace: z.union([z.record(z.string(), z.unknown()), z.string().min(1)]).optional().describe(
      "{session_name, windows: [{panes: [command or {shell_command, ready: {pattern or port}}]}]}, or YAML",
    ),
    timeout: timeout(50),
  }),
  output: z.strictObject({
    sessionId: z.string(),
    sessionName: z.string(),
    created: z.boolean(),
    ready: z.boolean(),
    windows: z.array(z.strictObject({
      windowId: z.string(),
      windowName: z.string().optional(),
      panes: z.array(z.strictObject({
        paneId: z.string(),
        status: z.enum(["made", "found"]),
        ready: z.boolean().optional(),
        event: z.string().optional(),
        detail: z.string().optional(),
        output: z.string().optional(),
        commandId: z.string().optional(),
      })),
    })),
  }),
  targets: ({ file }) => file === undefined ? [] : [{ kind: "path", path: file, list: "buffer", here: true }],
  // Policy decides on the text to type after the file has been read.
  shellText: () => [],
  async run({ file, workspace, timeout }, context) {
    const { tmux, watches, commands, process, signal, sees, decideOn } = context;
    if ((file === undefined) === (workspace === undefined)) {
      const what = "Cannot tell which workspace to apply: give either file or workspace";
      throw new AppError("invalid-argument", what, { hint: "Give one of them" });
    }
    const [{ applyDecided }, { sortOptions }, session] = await Promise.all([
      import("../workspaces/apply.ts"),
      import("../workspaces/structure.ts"),
      readSession({ file, workspace }, context),
    ]);
    const checkScope = async (paneIds: readonly string[]): Promise<void> => {
      if (await sees.panes() === undefined) return;
      const targets = paneIds.map((id) => ({ kind: "pane", id }) as const);
      await decideOn({ effect: "read", targets, shellText: [] }, () => Promise.resolve());
    };
    // Panes that the workspace doesn't describe may be in the window by now.
    const decideOnOption: WorkspaceCall["decideOnOption"] = async (id, option, set) => {
      if (!synchronizes(option)) return await set();
      const targets = [{ kind: "window", id } as const];
      await decideOn({ effect: "input", targets, shellText: [], synchronizes: true }, set);
    };
    const decideOnLayout: WorkspaceCall["decideOnLayout"] = async (id, arrange) => {
      const targets = [{ kind: "window", id } as const];
      await decideOn({ effect: "change", targets, shellText: [], parameters: ["layout"] }, arrange);
    };
    const until = performance.now() + timeout * 1000;
    const isDead = (stamp: string): boolean => process?.isDead(stamp) === true;
    const call = {
      tmux,
      watches,
      commands,
      signal,
      checkScope,
      decideOnOption,
      decideOnLayout,
      until,
      isDead,
      typesPasswords: sees.passwords,
    };
    const message = (): string => `creating what is missing of ${session.name}, or waiting until it is ready`;
    using _ = reportWaiting(context, { total: timeout, message });
    return await applyDecided(session, call, async (sessions, act) => {
      const isThere = sessions.some(({ name }) => name === session.name);
      const isOver = !isThere && sessions.length > 0 && await deletesAny(tmux, session.globalOptions);
      const { options } = session;
      const settable = isThere ? (await sortOptions(tmux, options)).ofWindows : options;
      return await decideOn(
        effectsOf({ ...session, options: settable }, { isThere, isOver }),
        (tmux, typed) => act({ ...call, tmux, typed, isThere }),
      );
    });
  },
});

async function readSession(
  { file, workspace }: {
    file?: string | undefined;
    workspace?: string | Record<string, unknown> | undefined;
  },
  { tmux }: ToolContext,
): Promise<DescribedSession> {
  const [{ parseWorkspace, readWorkspaceFile }, { readWorkspace }] = await Promise.all([
    import("../workspaces/file.ts"),
    import("../workspaces/read.ts"),
  ]);
  const read = file === undefined ? undefined : await readWorkspaceFile(file);
  const text = read?.text ?? workspace;
  const value = typeof text === "string" ? await parseWorkspace(text) : text;
  const isRunning = (await tmux.sessions.list()).length > 0;
  const variables = isRunning
    ? (await tmux.environment.show(undefined, undefined)).variables
    : await tmux.machine.environment();
  return readWorkspace(value, { variables, base: read?.folder });
}

async function deletesAny(tmux: Tmux, options: readonly DescribedOption[]): Promise<boolean> {
  for (const { option, value } of options) {
    if (await tmux.options.deletes(option, value, { global: true })) return true;
  }
  return false;
}

/**
 * Effects of applying a session. Options are set only on new objects: an existing session keeps its own, so that
 * `options` then has only those that new windows get. `isOver`: one of them deletes what the server keeps.
 */
function effectsOf(
  session: DescribedSession,
  { isThere, isOver }: { isThere: boolean; isOver: boolean },
): FoundEffects {
  const { options, globalOptions, windows } = session;
  const all = [
    ...options,
    ...(isThere ? [] : globalOptions),
    ...windows.flatMap((window) => [...window.options, ...window.optionsAfter]),
  ];
  for (const each of all) checkOption(each);
  const isGlobal = !isThere && globalOptions.length > 0;
  const joins = isGlobal && globalOptions.some(synchronizes);
  const selects = isThere && windows.some(({ focus }) => focus);
  const destroys = isOver || all.some((each) => optionEffect(each) === "destroy");
  return {
    effect: destroys ? "destroy" : joins ? "input" : "change",
    synchronizes: joins,
    divertsKeys: selects || !isThere && globalOptions.some(divertsKeys),
    parameters: selects ? ["focus"] : [],
    groups: [...(all.length > 0 ? ["options"] as const : []), ...(destroys ? ["kill"] as const : [])],
    targets: [
      isThere ? { kind: "session", id: session.name } : { kind: "new-session", name: session.name },
      ...(isGlobal ? [{ kind: "server" } as const] : []),
      ...all.filter(writesFile).map(({ value: path }) => ({ kind: "path", path, list: "output" } as const)),
    ],
    shellText: [...all.flatMap(optionText), ...shellTextsOf(session)],
  };
}

/** Texts of a session that reach a shell, but for its options: variables, programs and typed lines. */
function shellTextsOf({ windows, beforeScript, environment }: DescribedSession): FoundEffects["shellText"] {
  const panes = windows.flatMap((window) => window.panes);
  const variables = [environment, ...panes.map((pane) => pane.environment ?? {})].flatMap(Object.keys);
  const shells = [beforeScript, ...panes.map(({ shell }) => shell?.command)];
  return [
    ...[...new Set(variables)].map((text) => ({ kind: "variable", text }) as const),
    ...shells.filter((text) => text !== undefined).map((text) => ({ kind: "command", text }) as const),
    ...panes.flatMap((pane) => typedBy(pane.lines)),
  ];
}

function checkOption({ option, value, where }: DescribedOption): void {
  if (isHook(option)) {
    throw new AppError("denied", `Cannot set ${where}: a hook would outlive this server`, {
      hint: "Leave it out",
    });
  }
  if (writesFile({ option, value }) && !value.startsWith("/")) {
    throw new AppError("invalid-argument", `Invalid ${where} "${value}": expected an absolute path`, {
      hint: "Write the whole path, such as /home/me/history; nothing was created",
    });
  }
}

/** Lines that a pane's shell gets. Text without Enter begins the next line; what follows the last is unknown. */
function typedBy(lines: DescribedSession["windows"][0]["panes"][0]["lines"]): FoundEffects["shellText"] {
  const texts: FoundEffects["shellText"] = [];
  let begun = "";
  for (const { text, enter } of lines) {
    begun += text;
    if (!enter) continue;
    if (begun !== "") texts.push({ kind: "line", text: begun });
    begun = "";
  }
  return begun === "" ? texts : [...texts, { kind: "line", text: begun }, { kind: "opaque", text: begun }];
}
export const freezeWorkspace = defineTool({
  name: "freeze-workspace",
  description: "Return a session in tmuxp's format: windows, panes, layouts, folders and programs.",
  scope: "agentic",
  groups: ["read"],
  effect: "read",
  readsOn: "Call list-windows and list-panes with sessionId.",
  input: z.strictObject({
    sessionId,
    format: z.enum(["yaml", "json"]).default("yaml").describe("tmuxp reads both"),
  }),
  output: "text",
  targets: ({ sessionId }) => [{ kind: "session", id: sessionId }],
  async run({ sessionId, format }, { tmux, watches, sees }) {
    const { freeze, toYaml } = await import("../workspaces/freeze.ts");
    const workspace = await freeze(sessionId, { tmux, watches, inScope: await sees.panes() });
    if (format === "json") return JSON.stringify(workspace, undefined, 2);
    return await toYaml(workspace);
  },
});
