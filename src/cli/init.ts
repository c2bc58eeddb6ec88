// `tmux-mcp init CLIENT`: prints a client's entry for this program, adds it to the client's configuration, or removes it.
import { basename, dirname, join, resolve } from "@std/path";
import { decodeUtf8 } from "../bytes.ts";
import type { InitCommand } from "../config.ts";
import { isPathHere } from "../config/home_paths.ts";
import { ROWS } from "../config/table.ts";
import { AppError, messageOf, oneLine } from "../errors.ts";
import { isFromHome } from "../home_folder.ts";
import { bestEffort } from "../promises.ts";
import { checkRegularFile } from "../stat.ts";
import { readableWord } from "../shell/quoting.ts";
import { type ClientConfig, CLIENTS, ENTRY_NAME } from "./clients.ts";
import { addEntry, type ConfigText, entryText, missingMembers, removeEntry } from "./entry.ts";
import type { Invocation } from "./invocation.ts";
import { findOwnCommand, type LaunchCommand } from "./own_command.ts";
import { checkStart, limitingVariables } from "./settings_at_start.ts";

/** @throws {AppError} if the configuration can't be read, understood or written, or a server would not start with it */
export async function runInit(invocation: Invocation, command: InitCommand): Promise<number> {
  if (command.action !== "remove") await checkStart(invocation);
  const client = CLIENTS.find(({ name }) => name === command.client)!;
  const isRemote = invocation.config.options.ssh !== undefined;
  const variables = limitingVariables(invocation);
  const stored = storedArguments({ args: command.args, cwd: invocation.cwd, isRemote });
  const launch = { ...findOwnCommand(stored, invocation.environment["PATH"]), variables };
  const config = await readConfig(client, invocation).catch((error) => {
    if (command.action !== "print") throw error;
    invocation.complain(oneLine(error));
    return emptyConfig(client, invocation);
  });
  if (command.action !== "remove" && variables.length > 0 && !("env_vars" in client.entry(launch))) {
    invocation.complain(warning(client, variables));
  }
  if (command.action === "print") {
    invocation.print(entryText(client, launch, config));
    invocation.complain(describe(client, config.path, launch));
    return 0;
  }
  const removes = command.action === "remove";
  const text = removes
    ? removeEntry(client, config, command)
    : addEntry(client, config, { launch, ...command });
  if (text === undefined) {
    const missing = removes ? [] : missingMembers(client, config, launch);
    const without = missing.length === 0 ? "" : `, without ${missing.join(", ")}: --write --force adds that`;
    invocation.print(`"${ENTRY_NAME}" is ${removes ? "not" : "already"} in ${config.path}${without}`);
    return 0;
  }
  const backup = await replace(config, text);
  const kept = backup === undefined ? "" : `; the previous file is ${backup}`;
  const done = removes ? `Removed "${ENTRY_NAME}" from` : `Added "${ENTRY_NAME}" to`;
  const next = removes ? "" : " to use it";
  invocation.print(`${done} ${config.path}${kept}\nRestart ${client.name}${next}`);
  return 0;
}

function warning({ name }: ClientConfig, variables: readonly string[]): string {
  return `${variables.join(", ")} may not reach a server that ${name} starts: ` +
    "give the options to init, or set them in the configuration file";
}

function describe(client: ClientConfig, path: string, { command, args }: LaunchCommand): string {
  const words = [command, ...args].map(readableWord).join(" ");
  const own = client.adds === undefined ? "" : `, or run: ${client.adds(words)}`;
  return `add this to ${path}, or let --write do it${own}`;
}

/** The client's configuration: its first existing file, or an empty one at its first path. */
export async function readConfig(
  client: ClientConfig,
  { variable }: Pick<Invocation, "variable">,
): Promise<ConfigText & { exists: boolean }> {
  const paths = client.paths({ os: Deno.build.os, variable });
  for (const path of paths) {
    const text = await findText(path);
    if (text !== undefined) return { path, text, exists: true };
  }
  return emptyConfig(client, { variable });
}

function emptyConfig(
  client: ClientConfig,
  { variable }: Pick<Invocation, "variable">,
): ConfigText & { exists: boolean } {
  return { path: client.paths({ os: Deno.build.os, variable })[0]!, text: "", exists: false };
}

async function findText(path: string): Promise<string | undefined> {
  checkRegularFile(path, { devices: true });
  try {
    return decodeUtf8(await Deno.readFile(path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw new AppError("invalid-argument", `Cannot read "${path}": ${messageOf(error)}`);
  }
}

/** Replaces the whole file. Returns the path of a copy of the old one, if there was one. */
async function replace(config: ConfigText & { exists: boolean }, text: string): Promise<string | undefined> {
  try {
    const path = await findTarget(config.path);
    await Deno.mkdir(dirname(path), { recursive: true });
    const old = config.exists ? await Deno.stat(path) : undefined;
    const backup = old && await copyBeside(path);
    const aside = join(dirname(path), `.${basename(path)}.${crypto.randomUUID()}`);
    try {
      await Deno.writeTextFile(aside, text, { mode: 0o600, createNew: true });
      // The files get the owner of the old one, as far as this user may give them away.
      for (const each of old ? [aside, backup!] : []) await bestEffort(Deno.chown(each, old!.uid, old!.gid));
      await Deno.chmod(aside, (old?.mode ?? 0o600) & 0o777);
      if ((await findText(path) ?? "") !== config.text) {
        throw new AppError("busy", `"${path}" was changed meanwhile`, { hint: "Run init again" });
      }
      await Deno.rename(aside, path);
    } catch (error) {
      for (const each of backup === undefined ? [aside] : [aside, backup]) {
        await bestEffort(Deno.remove(each));
      }
      throw error;
    }
    return backup;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("unsupported", `Cannot write "${config.path}": ${messageOf(error)}`, {
      hint:
        "Make the file and its folder writable, or edit it by hand: init without --write prints the entry",
    });
  }
}

/** The file that a path leads to: links, such as those into a folder of dotfiles, stay links, even dangling ones. */
async function findTarget(path: string): Promise<string> {
  const real = await Deno.realPath(path).catch(() => undefined);
  const link = real ?? await Deno.readLink(path).catch(() => undefined);
  if (link === undefined || link === path) return path;
  return await findTarget(resolve(dirname(path), link));
}

/** Copies a file to a new one in the same folder, and returns its path. */
async function copyBeside(path: string): Promise<string> {
  for (let count = 1;; count++) {
    const copy = `${path}.${stamp()}${count === 1 ? "" : `-${count}`}.bak`;
    try {
      (await Deno.open(copy, { write: true, createNew: true, mode: 0o600 })).close();
    } catch (error) {
      if (error instanceof Deno.errors.AlreadyExists) continue;
      throw error;
    }
    await Deno.copyFile(path, copy);
    return copy;
  }
}

function stamp(): string {
  return new Date().toISOString().replaceAll(/[-:Z]/g, "");
}

interface TypedArguments {
  /** Options as `--NAME=VALUE`. */
  args: readonly string[];
  cwd: string;
  isRemote: boolean;
}

/**
 * Returns the options as a client's entry stores them, with absolute paths, since the client starts the server in a
 * folder of its own. `~` stays: the server expands it.
 */
function storedArguments({ args, cwd, isRemote }: TypedArguments): string[] {
  return args.map((arg) => {
    const [, name = "", value = ""] = /^--([^=]*)=(.*)$/s.exec(arg) ?? [];
    if (name === "config") return `--config=${absolute(value, cwd)}`;
    const row = ROWS.find(([, row]) => row.name === name)?.[1];
    if (row === undefined || !isPathHere(row, { isRemote })) return arg;
    const read = row.kind.read([value]);
    const given = [read].flat() as string[];
    const paths = given.map((path) =>
      row.kind.placeholder.startsWith("PATH|NAME") && !path.includes("/") ? path : absolute(path, cwd)
    );
    return paths.every((path, at) => path === given[at])
      ? arg
      : `--${name}=${Array.isArray(read) ? listText(paths) : paths[0]}`;
  });
}

function absolute(path: string, cwd: string): string {
  return path.startsWith("/") || isFromHome(path) ? path : resolve(cwd, path);
}

function listText(items: readonly string[]): string {
  return items.some((item) => item.includes(",")) ? JSON.stringify(items) : items.join(",");
}
