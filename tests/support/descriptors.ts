// Open descriptors of a process of this machine.

/** Target of each of its descriptors, as `/proc/PID/fd` has it. */
export async function descriptorsOf(pid: number): Promise<string[]> {
  const fds = await Array.fromAsync(Deno.readDir(`/proc/${pid}/fd`)).catch(() => []);
  return await Promise.all(fds.map(({ name }) => Deno.readLink(`/proc/${pid}/fd/${name}`).catch(() => "")));
}
