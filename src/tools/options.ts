// Tools on options, environment, hooks and formats.
import { idKind } from "../ids.ts";
import * as z from "zod";
import { AppError, notFound } from "../errors.ts";
import { OPTION_NAME, optionName } from "../tmux/option_syntax.ts";
import type { OptionPlace } from "../tmux/objects/options.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { defineTool, type Target, type ToolContext } from "../tool.ts";
import {
  divertsKeys,
  isHook,
  optionEffect,
  type OptionSetting,
  optionText,
  synchronizes,
  writesFile,
} from "./option_commands.ts";
import { paneId, sessionId, variableName } from "./params.ts";

const option = z.string().regex(OPTION_NAME, "expected an option's name").describe(
  "Full name of the option, such as history-limit or @mine",
);
const place = {
  scope: z.enum(["server", "session", "window", "pane"]).optional().describe(
    "Kind of option; omitted: determined by its name",
  ),
  target: z.string().min(1).optional().describe("Session id or name, window id or pane id; omitted: global"),
  global: z.boolean().default(false).describe("The global value, which objects without their own value use"),
};

export const showOption = defineTool({
  name: "show-option",
  description: "Read the value of a tmux option for a session, window or pane, or globally.",
  groups: ["options"],
  effect: "read",
  readsOn: "Call expand-format with paneId and #{=1000:NAME} for its beginning.",
  input: z.strictObject({ option, ...place }),
  output: z.strictObject({ option: z.string(), value: z.string(), inherited: z.boolean().optional() }),
  targets: placeTargets,
  // An option of the user's own is a variable of formats too.
  shellText: ({ option }) =>
    option.startsWith("@") ? [{ kind: "shown", text: `#{${optionName(option)}}` }] : [],
  async run({ option, ...place }, { tmux, snapshot }) {
    return { option, ...await tmux.options.show(option, await exactPlace(place, { tmux, snapshot })) };
  },
});

export const setOption = defineTool({
  name: "set-option",
  description: "Set a tmux option of a session, window or pane, or globally; null unsets it. " +
    "Hooks are refused.",
  groups: ["options"],
  effect: "change",
  effectOf: optionEffect,
  input: z.strictObject({
    option,
    value: z.string().nullable().describe("New value; null unsets"),
    ...place,
    target: place.target.describe(
      "Session id or name, window id or pane id; otherwise set global. Server options need neither",
    ),
  }),
  output: z.strictObject({ option: z.string(), value: z.string().optional() }),
  targets: (setting) => [...placeTargets(setting), ...fileTargets(setting)],
  shellText: optionText,
  synchronizes,
  divertsKeys,
  async run({ option, value, ...place }, { tmux, snapshot, decideOn }) {
    if (isHook(option)) {
      throw new AppError("denied", `Cannot set "${option}": a hook would outlive this server`, {
        hint: "Use watch-pane to learn what happens in a pane",
      });
    }
    if (writesFile({ option, value }) && !value?.startsWith("/")) {
      const what = `Cannot set "${option}" to "${value}": expected an absolute path`;
      throw new AppError("invalid-argument", what, { hint: "Give a path that begins with /" });
    }
    const where = await exactPlace(place, { tmux, snapshot });
    const act = (tmux: Tmux) => tmux.options.set(option, value, where);
    const set = await tmux.options.deletes(option, value, where)
      ? await decideOn(
        { effect: "destroy", groups: ["kill"], targets: placeTargets(place), shellText: [] },
        act,
      )
      : await act(tmux);
    return { option, ...(set === null ? {} : { value: set }) };
  },
});

export const showEnvironment = defineTool({
  name: "show-environment",
  description: "Read the environment variables for new panes: a session's own, or the global ones.",
  groups: ["options"],
  effect: "read",
  readsOn: "Call show-environment with name for one variable.",
  input: z.strictObject({
    sessionId: sessionId.optional().describe("Session id or name; omitted: the global environment"),
    name: variableName.describe("Variable name").optional(),
  }),
  output: z.strictObject({ variables: z.record(z.string(), z.string()), removed: z.array(z.string()) }),
  targets: ({ sessionId }) =>
    sessionId === undefined ? [{ kind: "server" }] : [{ kind: "session", id: sessionId }],
  async run({ sessionId, name }, { tmux, snapshot }) {
    const id = sessionId && await tmux.sessions.idOf(sessionId, snapshot);
    return await tmux.environment.show(id, name);
  },
});

export const setEnvironment = defineTool({
  name: "set-environment",
  description: "Set a variable for new panes, in one session or globally; null unsets it. " +
    "Running programs don't see it.",
  groups: ["options"],
  effect: "change",
  input: z.strictObject({
    sessionId: sessionId.optional().describe("Session id or name; omitted: the global environment"),
    name: variableName.describe("Variable name"),
    value: z.string().nullable().describe("New value; null unsets"),
  }),
  output: z.strictObject({ name: z.string(), value: z.string().optional() }),
  // A session's variables reach the shell of each new pane of it.
  targets: ({ sessionId }) =>
    sessionId === undefined ? [{ kind: "server" }] : [{ kind: "session", id: sessionId, anyPane: true }],
  shellText: ({ name, value }) => value === null ? [] : [{ kind: "variable", text: name }],
  async run({ sessionId, name, value }, { tmux, snapshot }) {
    const id = sessionId && await tmux.sessions.idOf(sessionId, snapshot);
    await tmux.environment.set(id, name, value);
    return { name, ...(value === null ? {} : { value }) };
  },
});

const hookName = z.string().regex(/^[\w-]+$/, "expected a hook's name").describe("Full name of the hook");
const hooks = z.strictObject({
  hooks: z.array(z.strictObject({ name: z.string(), index: z.int().optional(), command: z.string() })),
});

export const showHooks = defineTool({
  name: "show-hooks",
  description: "List all hooks that are set, or one by name: globally, or for a session, window or pane. " +
    "Hooks cannot be set.",
  groups: ["list"],
  effect: "read",
  readsOn: "Call show-hook for one hook.",
  input: z.strictObject({ name: hookName.optional(), ...place }),
  output: hooks,
  targets: placeTargets,
  run: showHooksOf,
});

export const showHook = defineTool({
  name: "show-hook",
  description: "Read the commands of one hook, such as pane-died. Use show-hooks to list all hooks.",
  groups: ["read"],
  effect: "read",
  input: z.strictObject({ name: hookName, ...place }),
  output: hooks,
  targets: placeTargets,
  run: showHooksOf,
});

export const expandFormat = defineTool({
  name: "expand-format",
  description:
    "Read tmux variables through a format such as #{pane_current_path}. #(...), E: and T: are refused, and so are " +
    "formats that would keep tmux busy. Without paneId, use only server variables and loops such as #{S:#{session_name} }.",
  groups: ["options"],
  effect: "read",
  readsOn: "Ask for a part, such as #{=1000:NAME}.",
  input: z.strictObject({ format: z.string().describe("tmux format"), paneId: paneId.optional() }),
  output: z.strictObject({ value: z.string() }),
  targets: ({ paneId }) => [paneId === undefined ? { kind: "server" } : { kind: "pane", id: paneId }],
  shellText: ({ format }) => [{ kind: "format", text: format }],
  async run({ format, paneId }, { tmux, snapshot, sees }) {
    if (paneId === undefined || await sees.panes() === undefined) {
      return { value: await tmux.formats.expand(format, paneId) };
    }
    // A pane in scope can be linked into a session that is out of scope.
    const row = (await snapshot()).panes.find((each) => each.paneId === paneId);
    if (row === undefined) throw notFound("pane", paneId);
    return { value: await tmux.formats.expand(format, `${row.sessionId}:.${row.paneId}`) };
  },
});

async function showHooksOf(
  { name, ...place }: OptionPlace & { name?: string | undefined },
  { tmux, snapshot }: ToolContext,
): Promise<z.output<typeof hooks>> {
  return { hooks: await tmux.hooks.show(await exactPlace(place, { tmux, snapshot }), name) };
}

/** The place with a session's name replaced by its id, after checking that scope and target agree. */
async function exactPlace(
  place: OptionPlace,
  { tmux, snapshot }: Pick<ToolContext, "tmux" | "snapshot">,
): Promise<OptionPlace> {
  const { scope, target } = place;
  if (target === undefined) return place;
  const kind = targetKind({ scope, target });
  if (scope === "server" || (scope !== undefined && scope !== kind) || place.global) {
    const what = place.global ? "with global: true" : `of scope ${scope}`;
    throw new AppError("invalid-argument", `Cannot take target "${target}" for an option ${what}`, {
      hint: "Give a session for session options, @1 for window options, %1 for pane options",
    });
  }
  return kind === "session" ? { ...place, target: await tmux.sessions.idOf(target, snapshot) } : place;
}

function placeTargets({ scope, target }: OptionPlace): Target[] {
  return target === undefined ? [{ kind: "server" }] : [{ kind: targetKind({ scope, target }), id: target }];
}

/** A session's name can look like the id of a window or pane. */
function targetKind(
  { scope, target }: { scope: OptionPlace["scope"]; target: string },
): "session" | "window" | "pane" {
  return scope === "session" ? "session" : idKind(target) ?? "session";
}

/** Files that an option makes tmux write when it exits. */
function fileTargets({ option, value }: OptionSetting): Target[] {
  return value !== null && writesFile({ option, value })
    ? [{ kind: "path", path: value, list: "output" }]
    : [];
}
