// The shell of a connection: answers of any length, and hosts that print without end.
import { assertEquals, assertRejects } from "@std/assert";
import { delay } from "../../../src/timer.ts";
import { AppError } from "../../../src/errors.ts";
import { RemoteShell } from "../../../src/tmux/ssh/shell.ts";

const env = { PATH: Deno.env.get("PATH")! };

Deno.test("answers of any length come whole, whichever pieces they come in", async () => {
  const shell = new RemoteShell("far", { bin: "sh", args: [], env });
  const lengths = [0, 1, ...Array.from({ length: 40 }, (_, i) => 65_536 - i), 2_000_000];
  const asked = lengths.map((length) => shell.ask(`head -c ${length} /dev/zero | tr '\\0' x`, 60_000));
  const answers = await Promise.all(asked);
  assertEquals(answers.map((answer) => answer.length), lengths);
  assertEquals(new Set(answers.join("")), new Set("x"));
  await shell.end();
});

Deno.test("a host that prints without end is given up, and holds up no call", async () => {
  const endless = "head -c 100000000 /dev/zero; exec cat >/dev/null";
  const shell = new RemoteShell("far", { bin: "sh", args: ["-c", endless], env });
  await assertRejects(() => shell.ask(":", 60_000), AppError, "printed more than 64 MiB");
  await shell.ended;
  await assertRejects(() => shell.ask(":"), AppError, "lost");
});

Deno.test("a shell that is busy with earlier questions is not silent, and one that answers none is", async () => {
  const folder = await Deno.makeTempDir();
  const gate = `${folder}/gate`;
  await new Deno.Command("mkfifo", { args: [gate] }).output();
  const shell = new RemoteShell("far", { bin: "sh", args: [], env });
  const first = shell.ask("echo first", 60_000);
  const held = shell.ask(`cat ${gate}`, 60_000);
  const behind = shell.ask("echo behind", 2000);
  await first;
  await assertRejects(() => shell.ask("echo silent", 1000), AppError, "no answer in 1000 ms");
  await delay(1500);
  await Deno.writeTextFile(gate, "held");
  assertEquals([await held, await behind], ["held", "behind\n"]);
  await shell.end();
  await Deno.remove(folder, { recursive: true });
});
