// Open descriptors of a process on this machine.

/** Target of each descriptor in `/proc/PID/fd`. */
export async function descriptorsOf(pid: number): Promise<string[]> {
  const fds = await Array.fromAsync(Deno.readDir(`/proc/${pid}/fd`)).catch(() => []);
  return await Promise.all(fds.map(({ name }) => Deno.readLink(`/proc/${pid}/fd/${name}`).catch(() => "")));
}
