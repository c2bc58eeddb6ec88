// Checks of the configuration file, of settings that can prevent startup, and of one that has no effect.
import { dirname } from "@std/path";
import { checkRegularFile, stat } from "../../stat.ts";
import { oneLine } from "../../errors.ts";
import { loadMasks, maskedVariables } from "../../masking/masks.ts";
import type { Invocation } from "../invocation.ts";
import { failedCheck, type Finding } from "./finding.ts";

/** @param uid This user, if known */
export async function* checkSettings(
  { config, variable }: Invocation,
  uid: number | undefined,
): AsyncGenerator<Finding> {
  const { auditPath, mask, filterMode, filterPatterns } = config.options;
  if (config.file !== undefined) yield await checkConfigFile(config.file, uid);
  if (auditPath !== undefined) yield checkAuditLog(auditPath);
  if (mask.length > 0) yield await checkMasks(mask, variable);
  if (filterMode !== "off" || filterPatterns.length === 0) return;
  yield {
    name: "command filter",
    verdict: "partly",
    says: "off, so its patterns stop no command",
    fix: 'Set security.command_filter.mode to "allowlist" or "denylist"',
  };
}

/** Checks that nobody else can change the file, which names programs to run and limits what tools may do. */
async function checkConfigFile(path: string, uid: number | undefined): Promise<Finding> {
  const name = "config file";
  const accounts = await readAccounts();
  const real = await Deno.realPath(path).catch(() => path);
  for (const place of new Set([path, dirname(path), real, dirname(real)])) {
    const found = stat(place);
    const change = found && findOtherWriter(found, { uid, accounts });
    if (change === undefined) continue;
    const says = `${change.who} can change ${place}, and so what this server runs`;
    return { name, verdict: "partly", says, fix: `${change.fix} ${place}` };
  }
  return { name, verdict: "works", says: path };
}

export interface Accounts {
  passwd: string;
  group: string;
}

/** Returns who else can write to a file, or replace any file of a folder, as nobody can in `/tmp`; root doesn't count. */
export function findOtherWriter(
  { mode, uid: owner, gid, isDirectory }: Pick<Deno.FileInfo, "mode" | "uid" | "gid" | "isDirectory">,
  { uid, accounts }: { uid: number | undefined; accounts: Accounts },
): { who: string; fix: string } | undefined {
  if (owner !== null && uid !== undefined && owner !== 0 && owner !== uid) {
    return { who: `the user ${nameIn(accounts.passwd, owner)}`, fix: "sudo chown $(id -u)" };
  }
  const bits = mode ?? 0;
  if (isDirectory && (bits & 0o1000) !== 0) return undefined;
  if ((bits & 0o002) !== 0) return { who: "every user", fix: "chmod o-w" };
  if ((bits & 0o020) === 0 || gid === 0 || isOwnGroup(accounts, { owner, gid })) return undefined;
  return { who: `the group ${nameIn(accounts.group, gid)}`, fix: "chmod g-w" };
}

/** True for the group that holds its owner alone, as many systems have one for each user; an unknown one may hold others. */
function isOwnGroup(
  { passwd, group }: Accounts,
  { owner, gid }: Record<"owner" | "gid", number | null>,
): boolean {
  const users = rowsOf(passwd).filter((row) => row[3] === `${gid}`);
  const members = rowsOf(group).find((row) => row[2] === `${gid}`)?.[3]?.split(",").filter(Boolean);
  return users.length === 1 && users[0]![2] === `${owner}` &&
    members?.every((member) => member === users[0]![0]) === true;
}

function nameIn(accounts: string, id: number | null): string {
  return rowsOf(accounts).find((row) => row[2] === `${id}`)?.[0] ?? `${id}`;
}

function rowsOf(accounts: string): string[][] {
  return accounts.split("\n").map((row) => row.split(":"));
}

async function readAccounts(): Promise<Accounts> {
  const [passwd, group] = await Promise.all(
    ["/etc/passwd", "/etc/group"].map((path) => Deno.readTextFile(path).catch(() => "")),
  );
  return { passwd: passwd!, group: group! };
}

/** Checks that the audit log can be written, and removes the file if it didn't exist before. */
function checkAuditLog(path: string): Finding {
  const name = "audit log";
  try {
    checkRegularFile(path, { devices: true });
    const isNew = stat(path) === undefined;
    Deno.openSync(path, { append: true, create: true, mode: 0o600 }).close();
    if (isNew) Deno.removeSync(path);
    return { name, verdict: "works", says: path };
  } catch (error) {
    const says = `cannot write ${path}: ${oneLine(error)}`;
    return { name, verdict: "fails", says, fix: "Set audit.path to a file in a folder of yours" };
  }
}

async function checkMasks(given: readonly string[], variable: Invocation["variable"]): Promise<Finding> {
  const name = "masks";
  try {
    await loadMasks(given, variable);
  } catch (error) {
    return failedCheck(error, name);
  }
  const unset = maskedVariables(given).filter((each) => !variable(each));
  if (unset.length === 0) return { name, verdict: "works", says: `${given.length} in security.mask` };
  const fix = "Have the client pass them on, or mask the values themselves";
  return { name, verdict: "partly", says: `not set here: ${unset.join(", ")}`, fix };
}
