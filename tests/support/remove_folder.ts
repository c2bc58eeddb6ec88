// Removes a folder that ending programs still write to.
import { delay } from "../../src/timer.ts";

/** Removes the folder, once nothing comes into it any more. */
export async function removeFolder(folder: string, tries = 20): Promise<void> {
  try {
    await Deno.remove(folder, { recursive: true });
  } catch (error) {
    if (tries === 0) throw error;
    await delay(50);
    await removeFolder(folder, tries - 1);
  }
}
