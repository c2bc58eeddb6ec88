// Checks the records on disk that outlive a server: their folder and size.
import { tryToWrite } from "../../records/files.ts";
import { oneLine } from "../../errors.ts";
import type { RecordsSize } from "../../records/pruning.ts";
import type { Engine } from "../../engine.ts";
import type { Options } from "../../config/types.ts";
import type { Finding } from "./finding.ts";

const KIB = 1024;
const UNITS = ["KiB", "MiB", "GiB"];

export async function checkRecords(
  { records, uid }: Engine,
  { durableEnabled, mask }: Options,
): Promise<Finding> {
  const name = "records";
  if (!records) return describeMemory({ isWanted: durableEnabled, isMasked: mask.length > 0 });
  try {
    tryToWrite(records.root, uid);
  } catch (error) {
    const says = `kept in memory: nothing can be written to ${records.root}: ${oneLine(error)}`;
    return {
      name,
      verdict: "partly",
      says,
      fix: "Free space there, or set durable.path to a folder of yours",
    };
  }
  return { name, verdict: "works", says: `${records.root} (${formatSize(await records.measure())})` };
}

function describeMemory({ isWanted, isMasked }: { isWanted: boolean; isMasked: boolean }): Finding {
  const name = "records";
  const says = "kept only in memory, while a server runs";
  if (!isWanted) return { name, verdict: "works", says };
  if (isMasked) {
    return {
      name,
      verdict: "works",
      says: `${says}: security.mask is set, and tmux doesn't mask what it writes`,
    };
  }
  return {
    name,
    verdict: "partly",
    says: `${says}: XDG_STATE_HOME is not set, and HOME is not a folder`,
    fix: "Set HOME or durable.path to a folder of yours",
  };
}

/** Text such as `12 records, 3.4 KiB`. */
export function formatSize({ records, bytes }: RecordsSize): string {
  let size = bytes / KIB;
  let unit = 0;
  for (; size >= KIB && unit < UNITS.length - 1; unit++) size /= KIB;
  return `${records} ${records === 1 ? "record" : "records"}, ${size.toFixed(1)} ${UNITS[unit]}`;
}
