// Checks the programs on the PATH: tmux, ssh, and the shells that commands can run in.
import { join } from "@std/path";
import { findDialect, SHELL_PROGRAMS } from "../../shell/dialects.ts";
import { checkVersion, INSTALL_HINT } from "../../tmux_exec/version.ts";
import { readVersion } from "../../tmux/program_version.ts";
import type { Invocation } from "../invocation.ts";
import { failedCheck, type Finding } from "./finding.ts";

const SHELLS = [...SHELL_PROGRAMS, "nu", "pwsh", "elvish", "xonsh", "tcsh"];

export async function checkTmux({ config, environment: env }: Invocation): Promise<Finding> {
  const bin = config.options.tmuxBin;
  const where = await findProgram(bin, env["PATH"]) ?? bin;
  try {
    const version = await readVersion({ bin, env });
    checkVersion(version, INSTALL_HINT);
    return { name: "tmux", verdict: "works", says: `${version}, ${where}` };
  } catch (error) {
    return { fix: INSTALL_HINT, ...failedCheck(error, "tmux") };
  }
}

/** Checks for ssh, which is needed only if other machines are configured. */
export async function checkSsh({ config, environment }: Invocation): Promise<Finding> {
  const path = await findProgram("ssh", environment["PATH"]);
  if (path !== undefined) return { name: "ssh", verdict: "works", says: path };
  const { ssh, hosts } = config.options;
  const verdict = ssh === undefined && Object.keys(hosts).length === 0 ? "partly" : "fails";
  const fix = "Install it (apt install openssh-client, dnf install openssh-clients)";
  return { name: "ssh", verdict, says: "not found: tmux on other machines can't be reached", fix };
}

/** Lists the installed shells that `execute-command` supports, and checks that the user's own is one of them. */
export async function checkShells({ environment }: Invocation): Promise<Finding> {
  const found: string[] = [];
  for (const shell of SHELLS) {
    if (await findProgram(shell, environment["PATH"]) !== undefined) found.push(shell);
  }
  const [verified, foreign] = [found.filter(isSupported), found.filter((shell) => !isSupported(shell))];
  const others = foreign.length === 0
    ? ""
    : `; not in ${foreign.join(", ")} (use send-keys and watch-pane there)`;
  const says = `execute-command runs in ${verified.join(", ") || "none"}${others}`;
  const userShell = environment["SHELL"];
  if (userShell === undefined || isSupported(userShell)) return { name: "shells", verdict: "works", says };
  const fix = "Have tmux start another shell in new panes: set-option -g default-shell /bin/bash";
  return { name: "shells", verdict: "partly", says: `${says}; yours is ${userShell}`, fix };
}

function isSupported(shell: string): boolean {
  return findDialect(shell) !== undefined;
}

async function findProgram(name: string, path = ""): Promise<string | undefined> {
  const candidates = name.includes("/") ? [name] : path.split(":").map((folder) => join(folder, name));
  for (const candidate of candidates) {
    const file = await Deno.stat(candidate).catch(() => undefined);
    if (file?.isFile && ((file.mode ?? 0) & 0o111) !== 0) return candidate;
  }
  return undefined;
}
