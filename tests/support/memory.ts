/** Returns the memory of a process that is in RAM. */
export async function residentMegabytes(pid: number): Promise<number> {
  return Number(/^VmRSS:\s+(\d+)/m.exec(await Deno.readTextFile(`/proc/${pid}/status`))?.[1]) / 1024;
}
