// Policy of one server: the restrictions of its options, and its own folders and files.
import { join } from "@std/path";
import type { Options } from "./config.ts";
import type { Engine } from "./engine.ts";
import { isStandardFolder } from "./policy/paths.ts";
import { Policy } from "./policy/policy.ts";
import { checkRegularFile } from "./regular_file.ts";
import { isOwnFolder } from "./server/own_folder.ts";
import { temporaryFolder } from "./temporary_folder.ts";
import { checkOneMeaning, resolveRealPath } from "./server/real_path.ts";

interface PolicyOptions {
  options: Options;
  env: Readonly<Record<string, string>>;
  /** The working folder; files may be written to it unless it is a folder of the system. */
  cwd: string;
  /** The configuration file in force, which no call may write. */
  configFile: string | undefined;
}

interface ServerPolicy {
  policy: Policy;
  /** The server's folder for what it writes; shared with nobody. */
  ownFolder: string;
}

/** The policy of a server's options, and this server's own folder for what it writes. */
export function createPolicy(
  engine: Pick<Engine, "uid" | "socketPath">,
  { options, env, cwd, configFile }: PolicyOptions,
): ServerPolicy {
  const ownFolder = join(temporaryFolder(env), "tmux-mcp");
  const home = homeFolder(env.HOME);
  const policy = new Policy(options, {
    home,
    standardPaths: () => [
      ...isStandardFolder(realPath(cwd), home) ? [cwd] : [],
      ...isOwnFolder(ownFolder, engine.uid) ? [ownFolder] : [],
    ],
    checkFile: async (path) => {
      checkRegularFile(path);
      await checkOneMeaning(path);
    },
    ownFiles: [options.auditPath, configFile].flatMap((path) => path ?? []),
    resolvePath: resolveRealPath,
    resolveSocket: (socket, host) => engine.socketPath(socket, host),
  });
  return { policy, ownFolder };
}

/** The real path of the home folder; undefined where the variable names no folder, so that it is not known. */
function homeFolder(named: string | undefined): string | undefined {
  if (!named?.startsWith("/")) return undefined;
  const home = realPath(named);
  try {
    return Deno.statSync(home).isDirectory ? home : undefined;
  } catch {
    return undefined;
  }
}

/** A folder that cannot be resolved is taken as it is spelled. */
function realPath(folder: string): string {
  try {
    return Deno.realPathSync(folder);
  } catch {
    return folder;
  }
}
