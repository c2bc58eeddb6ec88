// Reads a workspace in tmuxp's format: expands variables and shorthands, and passes defaults down to every pane.
import { AppError } from "../errors.ts";
import { isPlainObject } from "../json.ts";
import { OPTION_NAME } from "../tmux/option_syntax.ts";
import { expandText, type Expansion, joinFolder } from "./expand.ts";
import { WorkspaceFields, wrong } from "./fields.ts";
import type {
  DescribedOption,
  DescribedPane,
  DescribedSession,
  DescribedShell,
  DescribedWindow,
  Readiness,
  TypedLine,
} from "./workspace.ts";

const SESSION_KEYS = [
  ...["session_name", "windows", "start_directory", "environment", "options", "global_options"],
  ...["before_script", "shell_command_before", "suppress_history"],
];
const WINDOW_KEYS = [
  ...["window_name", "window_index", "window_shell", "layout", "panes", "focus", "start_directory"],
  ...["environment", "options", "options_after", "shell_command_before", "suppress_history"],
];
const PANE_KEYS = [
  ...["shell_command", "shell_command_before", "shell", "start_directory", "environment", "focus"],
  ...["enter", "sleep_before", "sleep_after", "suppress_history", "ready"],
];
const COMMAND_KEYS = ["cmd", "enter", "sleep_before", "sleep_after"];
const READY_KEYS = ["pattern", "port", "timeout"];
/** Values that stand for an empty pane. */
const EMPTY_PANES: readonly unknown[] = [null, "pane", "blank"];

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const VARIABLE_IN_NAME = /\$(?:[A-Za-z_]\w*|\{[^}]*\})/;
const DOTS = /^\.{1,2}(\/|$)/;
/** A hidden file too, but not a number (`.5`) or the shell's command `.`. */
const HIDDEN = /^\.(?!\d*(\s|$))|^\.$/;
/** Maximum number of panes and commands; aliases and `shell_command_before` multiply what is written. */
const MOST_PARTS = 10_000;
const LONGEST_SLEEP = 600;
const LONGEST_WAIT = 86_400;
const LAST_INDEX = 2 ** 31 - 1;
const LAST_PORT = 65_535;

/** Values passed down to windows and panes. */
interface Inherited {
  startDirectory?: string | undefined;
  before: readonly TypedLine[];
  suppressHistory: boolean;
  environment?: Record<string, string> | undefined;
  shell?: DescribedShell | undefined;
}

/** @throws {AppError} `invalid-argument` naming the key; `unsupported` for features that only tmuxp has */
export function readWorkspace(value: unknown, expansion: Expansion): DescribedSession {
  const fields = new WorkspaceFields(value, "", SESSION_KEYS);
  const name = nameAt(fields, "session_name", expansion) ?? "";
  if (name === "") throw wrong("session_name", fields.value("session_name"), "the name of the session");
  const startDirectory = folderOf(fields, { expansion, under: expansion.base });
  const inherited = {
    startDirectory,
    before: before(fields),
    suppressHistory: fields.flag("suppress_history") ?? true,
  };
  const beforeScript = fields.text("before_script");
  const counted = { parts: 0 };
  const windows = fields.list("windows").map((each, at) =>
    readWindow(each, `windows[${at}]`, { inherited, expansion, counted })
  );
  if (windows.length === 0) throw wrong("windows", [], "a list with a window in it");
  return {
    name,
    ...(startDirectory !== undefined && { startDirectory }),
    environment: variables(fields, expansion) ?? {},
    options: options(fields, "options", expansion),
    globalOptions: options(fields, "global_options", expansion),
    ...(beforeScript !== undefined &&
      { beforeScript: dotted(expandText(beforeScript, expansion), expansion, HIDDEN) }),
    windows,
  };
}

interface Reading {
  inherited: Inherited;
  expansion: Expansion;
  /** Panes and commands so far. */
  counted: { parts: number };
}

function readWindow(value: unknown, where: string, reading: Reading): DescribedWindow {
  const { inherited, expansion } = reading;
  const fields = new WorkspaceFields(value, where, WINDOW_KEYS);
  const name = nameAt(fields, "window_name", expansion);
  const index = fields.number("window_index", { min: 0, max: LAST_INDEX, whole: true });
  const layout = fields.text("layout");
  const handed = {
    startDirectory: folderOf(fields, { expansion, under: inherited.startDirectory ?? expansion.base }) ??
      inherited.startDirectory,
    before: [...inherited.before, ...before(fields)],
    suppressHistory: fields.flag("suppress_history") ?? inherited.suppressHistory,
    environment: variables(fields, expansion),
    shell: shellAt(fields, "window_shell"),
  };
  const panes = fields.value("panes") == null ? [null] : fields.list("panes");
  return {
    ...(name !== undefined && { name }),
    ...(index !== undefined && { index }),
    ...(layout !== undefined && { layout }),
    focus: fields.flag("focus") ?? false,
    options: options(fields, "options", expansion),
    optionsAfter: options(fields, "options_after", expansion),
    panes: (panes.length === 0 ? [null] : panes).map((each, at) =>
      readPane(each, `${where}.panes[${at}]`, { ...reading, inherited: handed })
    ),
  };
}

function readPane(value: unknown, where: string, { inherited, expansion, counted }: Reading): DescribedPane {
  const fields = new WorkspaceFields(
    isPlainObject(value) ? value : { shell_command: value },
    where,
    PANE_KEYS,
  );
  const startDirectory = folderOf(fields, { expansion, under: inherited.startDirectory ?? expansion.base }) ??
    inherited.startDirectory;
  const environment = variables(fields, expansion) ?? inherited.environment;
  const shell = shellAt(fields, "shell") ?? inherited.shell;
  const ready = readiness(fields);
  const own = commands(fields, "shell_command");
  const lines = [...inherited.before, ...before(fields), ...own];
  counted.parts += 1 + lines.length;
  if (counted.parts > MOST_PARTS) throw tooLarge();
  if (ready && lines.at(-1)?.enter === false) {
    throw wrong(`${where}.ready`, fields.value("ready"), "a pane whose last command is entered");
  }
  return {
    where,
    ...(startDirectory !== undefined && { startDirectory }),
    ...(environment && { environment }),
    ...(shell && { shell }),
    focus: fields.flag("focus") ?? false,
    lines,
    suppressHistory: fields.flag("suppress_history") ?? inherited.suppressHistory,
    ...(ready && { ready }),
  };
}

function tooLarge(): AppError {
  const what = `Cannot use the workspace: it has more than ${MOST_PARTS} panes and commands`;
  return new AppError("invalid-argument", what, { hint: "Divide it into several" });
}

/** The name at a key. tmux takes no name with an unset variable in it. */
function nameAt(fields: WorkspaceFields, key: string, expansion: Expansion): string | undefined {
  const given = fields.text(key);
  const name = given === undefined ? undefined : expandText(given, expansion);
  const [unset] = VARIABLE_IN_NAME.exec(name ?? "") ?? [];
  if (unset === undefined) return name;
  const what = `Cannot expand ${fields.where(key)} "${given}": ${unset} is not set`;
  throw new AppError("invalid-argument", what, {
    hint:
      "Set it in tmux's global environment with set-environment, or write the name out; nothing was created",
  });
}

function shellAt(fields: WorkspaceFields, key: string): DescribedShell | undefined {
  const command = fields.text(key) ?? "";
  return command === "" ? undefined : { where: fields.where(key), command };
}

function readiness(pane: WorkspaceFields): Readiness | undefined {
  const value = pane.value("ready");
  if (value === undefined || value === null) return undefined;
  const fields = new WorkspaceFields(value, pane.where("ready"), READY_KEYS);
  const pattern = fields.text("pattern");
  const port = fields.number("port", { min: 1, max: LAST_PORT, whole: true });
  const timeout = fields.number("timeout", { min: 0, max: LONGEST_WAIT });
  if ((pattern ?? "") === "" && port === undefined) {
    throw wrong(pane.where("ready"), value, "a pattern that its output matches, or a port it listens on");
  }
  return {
    ...(pattern && { pattern }),
    ...(port !== undefined && { port }),
    ...(timeout !== undefined && { timeout }),
  };
}

/** Lines of `shell_command_before`, which takes the same forms as a pane. */
function before(fields: WorkspaceFields): TypedLine[] {
  const value = fields.value("shell_command_before");
  if (!isPlainObject(value)) return commands(fields, "shell_command_before");
  const inner = new WorkspaceFields(value, fields.where("shell_command_before"), ["shell_command"]);
  return commands(inner, "shell_command");
}

/** Lines as they are written: the pane's shell expands them, with its own variables and rules of quoting. */
function commands(fields: WorkspaceFields, key: string): TypedLine[] {
  const value = fields.value(key);
  const listed = Array.isArray(value) ? value : [value ?? null];
  if (listed.length <= 1 && EMPTY_PANES.includes(listed[0] ?? null)) return [];
  const how = key === "shell_command" ? fields : undefined;
  return listed.map((each, at) => {
    const where = Array.isArray(value) ? `${fields.where(key)}[${at}]` : fields.where(key);
    const command = new WorkspaceFields(isPlainObject(each) ? each : { cmd: each }, where, COMMAND_KEYS);
    const text = command.text("cmd");
    if (text === undefined) throw wrong(where, each, "a command");
    return typedLine(typedText(text), command, how);
  });
}

function typedLine(text: string, command: WorkspaceFields, pane: WorkspaceFields | undefined): TypedLine {
  const sleep = (key: string): number => {
    const range = { min: 0, max: LONGEST_SLEEP };
    const own = command.number(key, range);
    return own ?? (pane?.has(key) ? pane.number(key, range) : undefined) ?? 0;
  };
  const enter = command.flag("enter") ?? (pane?.has("enter") ? pane.flag("enter") : undefined) ?? true;
  return { text, enter, sleepBefore: sleep("sleep_before"), sleepAfter: sleep("sleep_after") };
}

/** The text to type: tmuxp passes a command to tmux as an argument, where a final `\;` means `;`. */
function typedText(text: string): string {
  return text.replace(/\\;$/, ";");
}

function folderOf(
  fields: WorkspaceFields,
  { expansion, under }: { expansion: Expansion; under: string | undefined },
): string | undefined {
  const given = fields.text("start_directory");
  if (given === undefined || given === "") return undefined;
  return joinFolder(expandText(given, expansion), under);
}

function variables(fields: WorkspaceFields, expansion: Expansion): Record<string, string> | undefined {
  if (fields.value("environment") == null) return undefined;
  const given = Object.entries(fields.texts("environment", ["true", "false"]));
  return Object.fromEntries(given.map(([name, value]) => {
    if (VARIABLE.test(name)) return [name, dotted(expandText(value, expansion), expansion, HIDDEN)];
    throw wrong(fields.where("environment"), name, "names of letters, digits and underscores");
  }));
}

function options(fields: WorkspaceFields, key: string, expansion: Expansion): DescribedOption[] {
  return Object.entries(fields.texts(key, ["on", "off"])).map(([option, value]) => {
    const where = `${fields.where(key)}.${option}`;
    if (!OPTION_NAME.test(option)) throw wrong(fields.where(key), option, "names of tmux options");
    return { where, option, value: dotted(expandText(value, expansion), expansion) };
  });
}

/** Resolves a path in a value as relative to the file. */
function dotted(value: string, { base }: Expansion, path = DOTS): string {
  return path.test(value) && base !== undefined ? joinFolder(value, base) : value;
}
