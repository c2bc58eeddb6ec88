// `deno task soak:filter`: random text that the command filter allows is run in real shells, which may start nothing
// that it denies.
import { parseArgs } from "node:util";
import { runFuzz } from "../policy/command_filter_fuzz.ts";

if (import.meta.main) {
  const { values } = parseArgs({
    args: Deno.args,
    options: { seconds: { type: "string", default: "600" }, seed: { type: "string", default: "1" } },
  });
  const until = performance.now() + Number(values.seconds) * 1000;
  const counts = await runFuzz(Number(values.seed), () => performance.now() < until);
  // deno-lint-ignore no-console -- what it is run for
  console.log(JSON.stringify({ seed: Number(values.seed), ...counts }, undefined, 1));
  if (counts.bypasses.length > 0) Deno.exit(1);
}
