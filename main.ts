// Composition root: options -> config -> handshake -> tmux -> watch -> tools -> server -> stdio -> shutdown.
// Everything that this file imports is loaded before the client gets its first reply.
import { ConfigError, ENVIRONMENT_NAMES, helpText, parseConfig, type ResolvedConfig } from "./src/config.ts";
import type { Invocation } from "./src/cli/invocation.ts";
import { decodeUtf8 } from "./src/bytes.ts";
import { AppError, oneLine } from "./src/errors.ts";
import { findLibc, openLibc } from "./src/ffi/libc.ts";
import type { Masks } from "./src/masking/masks.ts";
import type { ToolFacts } from "./src/policy/visibility.ts";
import { checkRegularFile, stat } from "./src/stat.ts";
import { type FirstInput, shakeHands } from "./src/server/handshake.ts";
import { OutputQueue, writeWhole } from "./src/server/transport/output_queue.ts";
import { END_SIGNALS } from "./src/process/signals.ts";
import { within } from "./src/timer.ts";
import { Watchdog } from "./src/process/watchdog.ts";
import { findOwnPane } from "./src/tmux/caller.ts";
import { CHILD_ENVIRONMENT, serverEnvironment, withProgramFolders } from "./src/tmux/server_environment.ts";
import { GROUPS } from "./src/tool.ts";
import catalogue from "./src/tools/catalogue.json" with { type: "json" };
import { VERSION } from "./src/version.ts";

/** Shown to a person who starts the server by hand and would otherwise see nothing at all. */
async function terminalNotice(): Promise<string> {
  const { ownWords } = await import("./src/cli/own_command.ts");
  const own = ownWords(findVariable("PATH"));
  return `this is an MCP server: it waits for a client's messages on stdin. Ctrl-D ends it.
  ${own} init CLIENT --write   adds it to a client (${own} help init lists them)
  ${own} doctor   checks this machine
  ${own} help   shows every option`;
}

function readEnvironment(names: readonly string[]): Record<string, string> {
  const entries = names.map((name) => [name, findVariable(name)] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** The environment of tmux clients. The launcher extends PATH as well, but a binary has none. */
function childEnvironment(): Record<string, string> {
  const env = readEnvironment(CHILD_ENVIRONMENT);
  const path = env["PATH"];
  if (!Deno.build.standalone || path === undefined) return env;
  return { ...env, PATH: withProgramFolders(path, env["HOME"]) };
}

/** Returns a variable; one that this process may not read counts as unset. */
function findVariable(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch {
    return undefined;
  }
}

function findFile(path: string): string | undefined {
  // The path of a process substitution, <(…), already has its writer.
  if (!path.startsWith("/dev/fd/")) checkRegularFile(path, { devices: true });
  try {
    return decodeUtf8(Deno.readFileSync(path));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    const link = [path, path.replace(/\/[^/]*$/, "")].find(leadsNowhere);
    if (link !== undefined) throw new Error(`"${link}" is a link to what is missing`);
    return undefined;
  }
}

/** True for a link whose target is gone, such as one into a folder of dotfiles. */
function leadsNowhere(path: string): boolean {
  try {
    return Deno.lstatSync(path).isSymlink && stat(path) === undefined;
  } catch {
    return false;
  }
}

/** Returns all variables; undefined if this process may read only some of them. */
function wholeEnvironment(): Record<string, string> | undefined {
  const maySeeAll = Deno.permissions.querySync({ name: "env" }).state === "granted";
  return maySeeAll ? Deno.env.toObject() : undefined;
}

/**
 * Names of all TMUX_MCP_ variables that are set, so that a misspelt one is refused; without `--allow-env`, the known
 * names.
 */
function listOwnVariables(): string[] {
  const whole = wholeEnvironment();
  if (whole === undefined) return [...ENVIRONMENT_NAMES];
  return Object.keys(whole).filter((name) => name.startsWith("TMUX_MCP_"));
}

function listTools({ promptsAsTools }: { promptsAsTools: boolean }): ToolFacts[] {
  const { tools, promptTools } = catalogue as { tools: ToolFacts[]; promptTools: ToolFacts[] };
  return promptsAsTools ? [...tools, ...promptTools] : tools;
}

async function readConfig(): Promise<ResolvedConfig> {
  return await parseConfig({
    argv: Deno.args,
    env: readEnvironment([...listOwnVariables(), "HOME", "XDG_CONFIG_HOME"]),
    readFile: findFile,
    knownTools: listTools({ promptsAsTools: true }).map(({ name }) => name),
    knownGroups: GROUPS.map((group) => `@${group}`),
  });
}

function print(text: string): void {
  let rest = new TextEncoder().encode(text.endsWith("\n") ? text : text + "\n");
  while (rest.length > 0) rest = rest.subarray(Deno.stdout.writeSync(rest));
}

function complain(message: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`tmux-mcp: ${message}\n`));
}

/** Characters of complaints that may wait for the reader of stderr; later ones are left out. */
const MAX_COMPLAINTS = 64 * 1024;
/** Time (ms) at the end for complaints that still wait. */
const COMPLAINTS_MS = 500;

/** Complains while calls are served: a reader of stderr that is gone or doesn't read neither fails nor stops them. */
function complainAside(stderr: OutputQueue): typeof complain {
  return (message) => {
    if (stderr.waiting < MAX_COMPLAINTS) void stderr.write(`tmux-mcp: ${message}\n`);
  };
}

/** @throws {AppError} `invalid-argument` */
async function readMasks({ options }: ResolvedConfig, warn = complain): Promise<Masks | undefined> {
  if (options.mask.length === 0) return undefined;
  const { loadMasks, maskedVariables } = await import("./src/masking/masks.ts");
  const unset = maskedVariables(options.mask).filter((name) => !findVariable(name));
  if (unset.length > 0) warn(`nothing is masked for ${unset.join(", ")}: not set here (security.mask)`);
  return await loadMasks(options.mask, findVariable);
}

/** Time (ms) to wait for the first line of a client that is already connected. */
const FIRST_LINE_MS = 5;

/** Starts to serve the first line, unless something that is loaded later can still stop the start. */
async function startHandshake({ options }: ResolvedConfig): Promise<{ first?: Promise<FirstInput> }> {
  const mayLoadLibc = Deno.permissions.querySync({ name: "ffi", path: findLibc() }).state === "granted";
  if (!mayLoadLibc || options.auditPath !== undefined || options.mask.length > 0) return {};
  const first = shakeHands({
    options,
    tools: listTools(options),
    version: VERSION,
    ownPane: findOwnPane({ TMUX: findVariable("TMUX"), TMUX_PANE: findVariable("TMUX_PANE") }, options),
    read: (into) => Deno.stdin.read(into),
    write: (bytes) => writeWhole(Deno.stdout, bytes),
  });
  // At the first setTimeout, Deno loads its layer for Node, which takes 3 ms.
  const timeUp = new Promise((resolve) => AbortSignal.timeout(FIRST_LINE_MS).onabort = resolve);
  await Promise.race([first, timeUp]);
  return { first };
}

/**
 * Keeps the server running when a promise that no call waits for rejects; Deno would end it, and every watch with it.
 */
function surviveRejections(masks: Masks | undefined, warn: typeof complain): void {
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    const { reason } = event;
    const text = `an error outside of any call: ${reason instanceof Error ? reason.stack : reason}`;
    warn(masks ? masks.text(text) : text);
  });
}

async function serve(config: ResolvedConfig): Promise<void> {
  // A client may delete the working directory as soon as it has its reply.
  const cwd = Deno.cwd();
  const { first } = await startHandshake(config);
  const { createServer, StdioTransport } = await import("./src/mod.ts");
  const whole = wholeEnvironment();
  const stderr = new OutputQueue(Deno.stderr, () => {});
  const warn = complainAside(stderr);
  const masks = await readMasks(config, warn);
  surviveRejections(masks, warn);
  const app = createServer({
    options: config.options,
    env: childEnvironment(),
    serverEnv: whole && serverEnvironment(whole),
    sshEnv: whole,
    cwd,
    configFile: config.file,
    masks,
    complain: warn,
  });
  if (Deno.stdin.isTerminal()) warn(await terminalNotice());
  const transport = new StdioTransport(first);
  const stop = Promise.withResolvers<void>();
  for (const signal of END_SIGNALS) Deno.addSignalListener(signal, () => stop.resolve());
  // Past RLIMIT_FSIZE (ulimit -f), a process without this listener is killed, instead of getting a failed write.
  Deno.addSignalListener("SIGXFSZ", () => {});
  await app.connect(transport);
  using _watchdog = new Watchdog(openLibc(findLibc()));
  await Promise.race([transport.ended, stop.promise]);
  await app.close();
  await within(stderr.written, { ms: COMPLAINTS_MS, late() {} });
}

async function masking(invocation: Invocation): Promise<Invocation> {
  const masks = await readMasks(invocation.config);
  if (masks === undefined) return invocation;
  const { MessageMasks } = await import("./src/masking/message_masks.ts");
  const messages = new MessageMasks(masks);
  return { ...invocation, print: (text) => print(messages.text(text)) };
}

async function run(config: ResolvedConfig): Promise<number> {
  const { command } = config;
  const environment = childEnvironment();
  const invocation: Invocation = {
    config,
    cwd: Deno.cwd(),
    environment,
    sshEnvironment: wholeEnvironment(),
    variable: findVariable,
    print,
    complain,
  };
  switch (command.kind) {
    case "help":
      print(helpText(command.topic));
      return 0;
    case "version":
      print(`tmux-mcp ${VERSION}`);
      return 0;
    case "config":
      return await (await import("./src/cli/config.ts")).runConfig(invocation, command);
    case "completions":
      return (await import("./src/cli/completions.ts")).runCompletions(invocation, command);
    case "init":
      return await (await import("./src/cli/init.ts")).runInit(invocation, command);
    case "doctor":
      return await (await import("./src/cli/doctor.ts")).runDoctor(invocation);
    case "clean":
      return await (await import("./src/cli/clean.ts")).runClean(invocation);
    case "watch":
      return await (await import("./src/cli/watch.ts")).runWatch(await masking(invocation), command);
    case "serve":
      await serve(config);
      return 0;
  }
}

/** Reports in one line why the program ends. Returns its exit code: 2 for a wrong setting, else 1. */
function fail(error: unknown): number {
  complain(oneLine(error));
  const wrongSetting = error instanceof ConfigError ||
    (error instanceof AppError && error.code === "invalid-argument");
  return wrongSetting ? 2 : 1;
}

async function main(): Promise<number> {
  // If a parent ignored SIGCHLD, it is impossible to learn how our child processes ended until there is a listener.
  Deno.addSignalListener("SIGCHLD", () => {});
  try {
    return await run(await readConfig());
  } catch (error) {
    // The reader has what it wants, as in `tmux-mcp config | head -1`. 141 is what shells report after SIGPIPE.
    if (error instanceof Deno.errors.BrokenPipe) return 141;
    return fail(error);
  }
}

if (import.meta.main) Deno.exit(await main());
