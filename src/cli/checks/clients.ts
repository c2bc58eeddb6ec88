// Checks the MCP clients that are configured to start this program.
import { join } from "@std/path";
import { type ClientConfig, CLIENTS, commandOf, ENTRY_NAME, isTurnedOff } from "../clients.ts";
import { type ConfigText, readData, readServers } from "../entry.ts";
import { readConfig } from "../init.ts";
import type { Invocation } from "../invocation.ts";
import { findOwnFile, ownWords } from "../own_command.ts";
import { startsThisProgram } from "../own_entry.ts";
import { limitingVariables } from "../settings_at_start.ts";
import { failedCheck, type Finding } from "./finding.ts";

const NAME = "clients";

/** Returns a finding for each client that has a configuration, and one for the others. */
export async function checkClients(invocation: Invocation): Promise<Finding[]> {
  if (!invocation.variable("HOME")?.startsWith("/")) {
    const says = "HOME is not set, so their configurations can't be found";
    const fix = "Set HOME to the absolute path of your home folder";
    return [{ name: NAME, verdict: "partly", says, fix }];
  }
  const findings = await Promise.all(CLIENTS.map((client) => checkClient(client, invocation)));
  const found = findings.filter((finding) => finding !== undefined);
  const absent = CLIENTS.filter((_client, at) => findings[at] === undefined).map(({ name }) => name);
  return absent.length === 0 ? found : [...found, rest(absent, found, invocation)];
}

function rest(absent: readonly string[], found: readonly Finding[], { environment }: Invocation): Finding {
  const says = `no configuration of ${absent.join(", ")}`;
  if (found.some(({ verdict }) => verdict === "works")) return { name: NAME, verdict: "works", says };
  const fix = `${ownWords(environment["PATH"])} init CLIENT --write sets one up`;
  return { name: NAME, verdict: "partly", says, fix };
}

interface FoundEntry {
  path: string;
  key: string;
  entry: unknown;
}

async function checkClient(client: ClientConfig, invocation: Invocation): Promise<Finding | undefined> {
  const name = client.name;
  try {
    const init = `${ownWords(invocation.environment["PATH"])} init ${name}`;
    const configs = await readConfigs(client, invocation);
    const [first] = configs;
    if (first === undefined) return undefined;
    const entries = configs.flatMap((config) => entriesIn(client, config, invocation.cwd));
    const own = entries.filter(({ entry }) => startsThisProgram(entry));
    const found = own.find(({ entry }) => !isTurnedOff(entry)) ?? own[0] ??
      entries.find(({ key }) => key === ENTRY_NAME);
    if (found !== undefined) {
      const finding = await judge(name, found, init);
      return finding.verdict === "works" ? findWithheld(client, found, invocation) ?? finding : finding;
    }
    const { plugin } = client;
    const fix = `${init} --write${plugin === undefined ? "" : `, unless an installed ${plugin} starts it`}`;
    return { name, verdict: "partly", says: `${first.path} has no entry for this server`, fix };
  } catch (error) {
    return failedCheck(error, name, "partly");
  }
}

/** The configurations of the user and of the project in the working folder, if they exist. */
async function readConfigs(client: ClientConfig, invocation: Invocation): Promise<ConfigText[]> {
  const { project } = client;
  const places = project === undefined
    ? [client]
    : [client, { ...client, paths: () => [join(invocation.cwd, project)] }];
  const configs = await Promise.all(places.map((each) => readConfig(each, invocation)));
  const existing = configs.filter(({ exists }) => exists);
  return existing.filter(({ path }, at) => existing.findIndex((other) => other.path === path) === at);
}

function entriesIn(client: ClientConfig, config: ConfigText, cwd: string): FoundEntry[] {
  const tables = [readServers(client, config), client.localServers?.(readData(client, config), cwd) ?? {}];
  return tables.flatMap((table) =>
    Object.entries(table).map(([key, entry]) => ({ path: config.path, key, entry }))
  );
}

/** Returns a finding if an entry of such a client lists the variables to pass on, but not all that a server needs. */
function findWithheld(
  { name, entry: build }: ClientConfig,
  { path, key, entry }: FoundEntry,
  invocation: Invocation,
): Finding | undefined {
  const variables = limitingVariables(invocation);
  if (!("env_vars" in build({ command: "", args: [], variables }))) return undefined;
  const { env_vars: given = [], env = {} } = entry as { env_vars?: unknown[]; env?: object };
  const passed = [...given.map((each) => (each as { name?: string }).name ?? each), ...Object.keys(env)];
  const withheld = variables.filter((each) => !passed.includes(each));
  if (withheld.length === 0) return undefined;
  const says = `"${key}" in ${path} does not pass on ${withheld.join(", ")}, set here`;
  return { name, verdict: "partly", says, fix: "Add them to its env_vars" };
}

async function judge(name: string, { path, key, entry }: FoundEntry, init: string): Promise<Finding> {
  const [program = ""] = commandOf(entry);
  const place = `"${key}" in ${path}`;
  if (!startsThisProgram(entry)) {
    const says = `${place} starts another program: ${program || "none"}`;
    return { name, verdict: "partly", says, fix: `${init} --write --force replaces it` };
  }
  if (isTurnedOff(entry)) {
    return { name, verdict: "partly", says: `${place} is turned off`, fix: `Turn it on in ${name}` };
  }
  // The client searches its own PATH for it, or puts in the value of a variable, such as ${workspaceFolder}.
  if (!program.includes("/") || program.includes("$")) {
    return { name, verdict: "works", says: `${place} runs ${commandOf(entry).join(" ")}` };
  }
  const theirs = await Deno.realPath(program).catch(() => undefined);
  if (theirs === undefined) {
    const says = `${place} starts ${program}, which does not exist`;
    return { name, verdict: "partly", says, fix: "Set its command" };
  }
  const ours = await Deno.realPath(findOwnFile());
  const says = theirs === ours ? place : `${place} starts another copy: ${program}`;
  return { name, verdict: "works", says };
}
