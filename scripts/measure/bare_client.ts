// The floor of running a command: one control client types `true` and a mark at a prompt, and reads until the mark.
import { repeat } from "./measure.ts";
import type { Rig } from "./rig.ts";

const COLD_RUNS = 20;

/** Times from the typing to the mark (ms): what tmux, the terminal and the shell take, and one reader in Deno. */
export async function timeBareClient(rig: Rig, pane: string, runs: number): Promise<number[]> {
  const child = new Deno.Command("tmux", {
    args: ["-u", "-S", rig.socket, "-C", "attach-session", "-t", pane],
    env: rig.env,
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const encoder = new TextEncoder();
  let count = 0;
  const sample = async (): Promise<number> => {
    const mark = `done${++count}.`;
    const began = performance.now();
    // The terminal echoes the typed text, which must not look like the mark.
    const typed = `true; printf 'done%d.\\n' ${count}`;
    await writer.write(encoder.encode(`send-keys -t ${pane} -l "${typed}" ; send-keys -t ${pane} Enter\n`));
    for (let text = ""; !text.includes(mark);) {
      const { value, done } = await reader.read();
      if (done) throw new Error("The control client ended");
      text += value;
    }
    return performance.now() - began;
  };
  try {
    await repeat(COLD_RUNS, sample);
    return await repeat(runs, sample);
  } finally {
    await writer.close();
    await reader.cancel();
    await child.status;
  }
}
