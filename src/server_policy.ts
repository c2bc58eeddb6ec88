// Policy of one server: the restrictions of its options, and its own folders and files.
import { join } from "@std/path";
import type { Options } from "./config.ts";
import type { Engine } from "./engine.ts";
import { isStandardFolder } from "./policy/paths.ts";
import { Policy } from "./policy/policy.ts";
import { checkRegularFile, stat } from "./stat.ts";
import { isOwnFolder } from "./server/own_folder.ts";
import { temporaryFolder } from "./temporary_folder.ts";
import { checkOneMeaning, readFileId, resolveRealPath } from "./server/real_path.ts";

interface PolicyOptions {
  options: Options;
  env: Readonly<Record<string, string>>;
  /** Working directory; files may be written to it unless it is a folder of the system. */
  cwd: string;
  /** Path of the configuration file in use, which no call may write. */
  configFile: string | undefined;
}

interface ServerPolicy {
  policy: Policy;
  /** Folder for what the server writes; it is shared with nobody. */
  ownFolder: string;
}

/** Returns the policy for a server's options, and this server's own folder for what it writes. */
export function createPolicy(
  engine: Pick<Engine, "uid" | "socketPath" | "records">,
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
    ownPaths: [options.auditPath, configFile, engine.records?.root].flatMap((path) => path ?? []),
    fileId: readFileId,
    resolvePath: resolveRealPath,
    resolveSocket: (socket, host) => engine.socketPath(socket, host),
  });
  return { policy, ownFolder };
}

/** Returns the real path of the home folder; undefined if the variable does not name a folder. */
function homeFolder(named: string | undefined): string | undefined {
  if (!named?.startsWith("/")) return undefined;
  const home = realPath(named);
  return stat(home)?.isDirectory ? home : undefined;
}

/** Resolves a folder; one that can't be resolved is used as it is spelled. */
function realPath(folder: string): string {
  try {
    return Deno.realPathSync(folder);
  } catch {
    return folder;
  }
}
