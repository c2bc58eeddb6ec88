// Measures a call for another machine, next to a bare tmux through an open ssh connection.
import { LoopbackSshd } from "../../tests/support/sshd.ts";
import { type Measure, repeat, timedAgain } from "./measure.ts";
import type { Reading } from "./statistics.ts";

/** An sshd on loopback stands in for the machine; it has this rig's tmux server. */
export const ssh: Measure = async (rig, runs) => {
  // sshd needs root.
  if (rig.adapter.hostArgs === undefined || Deno.uid() !== 0) return [];
  await using sshd = await LoopbackSshd.start(rig.folder, { env: { TMUX_TMPDIR: rig.folder } });
  const known = ["-o", `UserKnownHostsFile=${rig.folder}/known`, "-o", "StrictHostKeyChecking=accept-new"];
  const words = ["-F", "none", "-p", `${sshd.port}`, "-i", sshd.key, ...known, "root@127.0.0.1"];
  const run = async (...args: string[]): Promise<void> => {
    const { success } = await new Deno.Command("ssh", { args, stdin: "null", stderr: "null" }).output();
    if (!success) throw new Error(`ssh ${args.join(" ")} failed`);
  };
  const control = ["-S", `${rig.folder}/control`];
  await run(...control, "-M", "-o", "ControlPersist=60", "-o", "ConnectionAttempts=20", ...words, "true");
  const bare = async (): Promise<number> => {
    const began = performance.now();
    await run(...control, ...words, "tmux -u list-panes -a");
    return performance.now() - began;
  };
  await rig.restart([...rig.adapter.args(rig.socket), ...rig.adapter.hostArgs(words.join(" "))]);
  const over = "  bare ssh … tmux list-panes -a, connection open";
  const found: Reading[] = [];
  for (const tool of ["list-panes", "list-sessions", "get-server-info"]) {
    const samples = await timedAgain(rig, { tool, args: { host: "far" } }, runs);
    found.push({ name: `${tool} on a host`, samples, over, note: "goal 1.3" });
  }
  found.push({ name: over, samples: await repeat(runs, bare) });
  await run(...control, "-O", "exit", ...words);
  return found;
};
