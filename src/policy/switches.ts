// Settings that remove tools: the switches, and the list of tools and groups.
import type { Group } from "../tool.ts";
import type { Declaration, PolicyCall, PolicySettings } from "./types.ts";

type Switch = Extract<keyof PolicySettings, `allow${string}`> & keyof typeof SWITCH_KEYS;

/** The switches as a person writes them. */
export const SWITCH_KEYS = {
  allowExecuteCommand: "security.allow_execute_command",
  allowRawMode: "security.allow_raw_mode",
  allowSendKeys: "security.allow_send_keys",
  allowKill: "security.allow_kill",
  allowCreate: "security.allow_create",
  allowSplit: "security.allow_split",
  allowRename: "security.allow_rename",
  allowMove: "security.allow_move",
  allowCapture: "security.allow_capture",
  allowList: "security.allow_list",
} as const;

/** Groups and tools that each switch disables, in the order in which a denial names them. */
const CLOSES: Readonly<
  Record<Switch, { readonly groups: readonly Group[]; readonly tools: readonly string[] }>
> = {
  allowExecuteCommand: { groups: ["execute"], tools: ["pipe-pane"] },
  allowRawMode: { groups: [], tools: [] },
  allowSendKeys: { groups: ["raw-input", "interactive", "special-keys"], tools: [] },
  allowKill: { groups: ["kill"], tools: [] },
  allowCreate: { groups: ["create"], tools: [] },
  allowSplit: { groups: ["split"], tools: [] },
  allowRename: { groups: ["rename"], tools: [] },
  allowMove: { groups: ["move"], tools: [] },
  allowCapture: { groups: ["capture", "buffer-read", "buffer-write"], tools: ["wait-for-text", "pipe-pane"] },
  allowList: { groups: ["list"], tools: [] },
};

/**
 * Parameters that a switch disables, in every tool or in the named one, and keys of a workspace that a call applies.
 * Beside another, a new window moves those after it to other indexes.
 */
const CLOSED_PARAMETERS: Readonly<Record<string, Switch>> = {
  rawMode: "allowRawMode",
  noEnter: "allowRawMode",
  command: "allowExecuteCommand",
  environment: "allowExecuteCommand",
  attach: "allowMove",
  focus: "allowMove",
  layout: "allowMove",
  "create-window.direction": "allowMove",
};

/** Tools that go through all panes or buffers, and so list them, unless a parameter names some. */
const NAMING_PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  "search-panes": ["paneIds", "windowId", "sessionId"],
  "search-buffer": ["buffer", "buffers"],
};

/** Groups whose tools do what a parameter does: type a command as it is, or select a window. */
const PARAMETER_GROUPS: Readonly<Record<string, readonly Group[]>> = {
  rawMode: ["raw-input", "interactive"],
  noEnter: ["raw-input", "interactive"],
  attach: ["move"],
  focus: ["move"],
  layout: ["move"],
  "create-window.direction": ["move"],
};

/** All groups of a declaration, including implied ones. */
export function groupsOf(declaration: Pick<Declaration, "groups" | "effect">): Set<Group> {
  const groups = new Set<Group>(["all", ...declaration.groups]);
  if (declaration.effect === "read") groups.add("read");
  if (groups.has("interactive") || groups.has("special-keys")) groups.add("raw-input");
  return groups;
}

/** Returns the `[security]` setting that removes a tool, resource or prompt. */
export function findClosingSetting(
  declaration: Pick<Declaration, "name" | "groups" | "effect">,
  settings: PolicySettings,
): string | undefined {
  const groups = groupsOf(declaration);
  const closed = (Object.keys(CLOSES) as Switch[]).find((name) =>
    !settings[name] &&
    (CLOSES[name].groups.some((group) => groups.has(group)) || CLOSES[name].tools.includes(declaration.name))
  );
  return closed === undefined
    ? findInList(declaration.name, groups, settings)
    : `${SWITCH_KEYS[closed]} = false`;
}

function findInList(name: string, groups: ReadonlySet<Group>, { tools }: PolicySettings): string | undefined {
  const item = tools.items.find((each) =>
    each === name || groups.has(each.slice(1) as Group) && each[0] === "@"
  );
  if (tools.mode === "deny") return item === undefined ? undefined : `security.tools denies ${item}`;
  return item === undefined ? `security.tools allows only ${tools.items.join(", ") || "nothing"}` : undefined;
}

/** Returns the setting that disables a parameter of this call. */
export function findClosedParameter(
  { declaration, args }: {
    readonly declaration: Declaration;
    readonly args: Readonly<Record<string, unknown>>;
  },
  settings: PolicySettings,
): { readonly parameter: string; readonly setting: string } | undefined {
  const given = (parameter: string): boolean => args[parameter] !== undefined && args[parameter] !== false;
  for (const [key, name] of Object.entries(CLOSED_PARAMETERS)) {
    const [parameter = "", tool = declaration.name] = key.split(".").reverse();
    if (tool !== declaration.name || !given(parameter)) continue;
    if (!settings[name]) return { parameter, setting: `${SWITCH_KEYS[name]} = false` };
    const groups = PARAMETER_GROUPS[key];
    const setting = groups && findGroupClosed(declaration.name, groups, settings);
    if (setting !== undefined) return { parameter, setting };
  }
  return undefined;
}

/** Returns the parameters one of which a call lacks, since nothing may be listed; undefined if it lacks none. */
export function missingNames(
  { declaration: { name }, args }: Pick<PolicyCall, "declaration" | "args">,
  { allowList }: PolicySettings,
): readonly string[] | undefined {
  const naming = allowList ? undefined : NAMING_PARAMETERS[name];
  return naming?.some((parameter) => args[parameter] !== undefined) ? undefined : naming;
}

function findGroupClosed(
  tool: string,
  groups: readonly Group[],
  settings: PolicySettings,
): string | undefined {
  if (groups.includes("raw-input") && !settings.allowSendKeys) return `${SWITCH_KEYS.allowSendKeys} = false`;
  return findInList(tool, new Set(["all", ...groups]), settings);
}
