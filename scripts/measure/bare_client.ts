// The floor of running a command: one control client types `true` and a mark at a prompt, and reads until the mark.
import { repeat } from "./measure.ts";
import type { Rig } from "./rig.ts";

const COLD_RUNS = 20;
/** Time limit for all runs together (ms). */
const DEADLINE_MS = 10_000;
const OUTPUT = /^%output %\d+ /;

/** Times from typing to the mark (ms): the time of tmux, the terminal, the shell, and one reader in Deno. */
export async function timeBareClient(rig: Rig, pane: string, runs: number): Promise<number[]> {
  const child = new Deno.Command("tmux", {
    args: ["-u", "-S", rig.socket, "-C", "attach-session", "-t", pane],
    env: rig.env,
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  // SIGKILL, because on SIGTERM the client asks the server to detach it, and the server may never answer.
  const late = setTimeout(() => child.kill("SIGKILL"), DEADLINE_MS);
  const writer = child.stdin.getWriter();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const encoder = new TextEncoder();
  const readUntil = async (mark: string, part: (text: string) => string): Promise<void> => {
    for (let text = ""; !part(text).includes(mark);) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`The control client ended before "${mark}": ${text}`);
      text += value;
    }
  };
  let count = 0;
  const sample = async (): Promise<number> => {
    const mark = `done${++count}.`;
    const began = performance.now();
    // The terminal echoes the typed text, which must not look like the mark.
    const typed = `true; printf 'done%d.\\n' ${count}`;
    await writer.write(encoder.encode(`send-keys -t ${pane} -l "${typed}" ; send-keys -t ${pane} Enter\n`));
    await readUntil(mark, outputIn);
    return performance.now() - began;
  };
  try {
    // A client that is not attached yet receives no output.
    await readUntil("%session-changed", (text) => text);
    await repeat(COLD_RUNS, sample);
    return await repeat(runs, sample);
  } finally {
    // A client that has ended has closed the pipe.
    await writer.close().catch(() => {});
    await reader.cancel();
    await child.status;
    // A client whose output nobody reads may not end by itself.
    clearTimeout(late);
  }
}

/** The pane's output, from any number of notifications with answers to commands between them. */
function outputIn(text: string): string {
  return text.split("\n").filter((line) => OUTPUT.test(line)).map((line) => line.replace(OUTPUT, "")).join(
    "",
  );
}
