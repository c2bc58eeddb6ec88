// A program in a pane that records the bytes it receives, to compare them with the typed text.
import type { World } from "./world.ts";

export interface Reader {
  paneId: string;
  /** The received bytes, once all expected ones have arrived. */
  bytes(): Promise<Uint8Array>;
}

/** Starts a pane with a raw terminal that reads `count` bytes; returns when it is reading. */
export async function startReader(world: World, count: number): Promise<Reader> {
  const name = crypto.randomUUID();
  const file = `${world.folder}/${name}`;
  const script = `stty raw -echo; tmux wait-for -S ready-${name}; head -c ${count} > ${file}; ` +
    `tmux wait-for -S got-${name}; exec sleep 1000`;
  const paneId = (await world.tmux("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "=t:", script)).trim();
  await world.tmux("wait-for", `ready-${name}`);
  return {
    paneId,
    async bytes(): Promise<Uint8Array> {
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(() => {
        late.reject(new Error(`only ${Deno.statSync(file).size} of ${count} bytes arrived`));
      }, 10_000);
      const got = world.tmux("wait-for", `got-${name}`).then(() => {});
      await Promise.race([got, late.promise]).finally(() => clearTimeout(timer));
      return await Deno.readFile(file);
    },
  };
}
