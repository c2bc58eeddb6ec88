// Checks of the configuration file, and of settings that can prevent startup: the audit log and the masks.
import { dirname } from "@std/path";
import { checkRegularFile, stat } from "../../stat.ts";
import { oneLine } from "../../errors.ts";
import { loadMasks, maskedVariables } from "../../masking/masks.ts";
import type { Invocation } from "../invocation.ts";
import { failedCheck, type Finding } from "./finding.ts";

export async function* checkSettings({ config, variable }: Invocation): AsyncGenerator<Finding> {
  const { auditPath, mask } = config.options;
  if (config.file !== undefined) yield checkConfigFile(config.file);
  if (auditPath !== undefined) yield checkAuditLog(auditPath);
  if (mask.length > 0) yield await checkMasks(mask, variable);
}

/** Checks that not every user can change the file, which names programs to run and limits what tools may do. */
function checkConfigFile(path: string): Finding {
  const name = "config file";
  const open = [path, dirname(path)].find(isOpen);
  if (open === undefined) return { name, verdict: "works", says: path };
  const says = `every user can change ${open}, and so what this server runs`;
  return { name, verdict: "partly", says, fix: `chmod o-w ${open}` };
}

/** True if every user can write to a file, or replace any file of a folder, as they can't in `/tmp`. */
function isOpen(path: string): boolean {
  return ((stat(path)?.mode ?? 0) & 0o1002) === 0o002;
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
  const says = `not set here: ${unset.join(", ")}`;
  return {
    name,
    verdict: "partly",
    says,
    fix: "Have the client pass them on, or mask the values themselves",
  };
}
