// Checks the records on disk that outlive a server: their folder and size.
import { tryToWrite } from "../../records/files.ts";
import { oneLine } from "../../errors.ts";
import type { RecordsSize } from "../../records/pruning.ts";
import { Engine, type EngineOptions } from "../../engine.ts";
import type { Options } from "../../config/types.ts";
import { ownWords } from "../own_command.ts";
import type { Finding } from "./finding.ts";

const KIB = 1024;
const UNITS = ["KiB", "MiB", "GiB"];

export async function checkRecords(
  { records, uid }: Engine,
  options: Options,
  env: EngineOptions["env"],
): Promise<Finding> {
  const name = "records";
  if (!records) return await leftRecords(options, env) ?? describeMemory(options);
  try {
    tryToWrite(records.root, uid);
  } catch (error) {
    const says = `kept in memory: nothing can be written to ${records.root}: ${oneLine(error)}`;
    const fix = "Make it a folder that you can write to, with space left, or set durable.path to one";
    return { name, verdict: "partly", says, fix };
  }
  return { name, verdict: "works", says: `${records.root} (${formatSize(await records.measure())})` };
}

/** The options with which records are kept: some may be left from before masks were set, or they were switched off. */
export function keeping(options: Options): Options {
  return { ...options, durableEnabled: true, mask: [] };
}

/** Reports records that nothing removes by itself. */
async function leftRecords(options: Options, env: EngineOptions["env"]): Promise<Finding | undefined> {
  const engine = new Engine({ options: keeping(options), env });
  try {
    const size = await engine.records?.measure();
    if (!size?.records) return undefined;
    const says = `kept only in memory, but ${engine.records?.root} has ${formatSize(size)} from before`;
    return { name: "records", verdict: "partly", says, fix: `${ownWords(env["PATH"])} clean` };
  } finally {
    await engine.close();
  }
}

function describeMemory({ durableEnabled, mask }: Options): Finding {
  const name = "records";
  const kept = "kept only in memory, while a server runs";
  if (!durableEnabled) return { name, verdict: "works", says: kept };
  if (mask.length > 0) {
    const says = `${kept}: security.mask is set, and tmux doesn't mask what it writes`;
    return { name, verdict: "works", says };
  }
  const says = `${kept}: XDG_STATE_HOME is not set, and HOME is not a folder`;
  return { name, verdict: "partly", says, fix: "Set HOME or durable.path to a folder of yours" };
}

/** Text such as `12 records, 3.4 KiB`. */
export function formatSize({ records, bytes }: RecordsSize): string {
  let size = bytes / KIB;
  let unit = 0;
  for (; size >= KIB && unit < UNITS.length - 1; unit++) size /= KIB;
  return `${records} ${records === 1 ? "record" : "records"}, ${size.toFixed(1)} ${UNITS[unit]}`;
}
