// Exit statuses in the names of files, in a folder that is not listed for each look at it.
import { assertEquals } from "@std/assert";
import { ExitStatusFiles } from "../../src/records/exit_status_files.ts";

Deno.test("an exit status is found however soon it comes after a look", async () => {
  const folder = await Deno.makeTempDir();
  const statuses = new ExitStatusFiles();
  for (let command = 0; command < 200; command++) {
    const record = `${folder}/c${command}.json`;
    await Deno.writeTextFile(record, "");
    assertEquals(statuses.read(record), undefined);
    await Deno.writeTextFile(`${record}.${command}`, "");
    assertEquals(statuses.read(record), command);
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("an exit status that comes later, or goes, is noticed where the folder had rested", async () => {
  const folder = await Deno.makeTempDir();
  const statuses = new ExitStatusFiles();
  const record = `${folder}/c1.json`;
  await Deno.writeTextFile(record, "");
  const rests = async () => await Deno.utime(folder, new Date(), new Date(Date.now() - 10_000));
  await rests();
  assertEquals([statuses.read(record), statuses.read(record)], [undefined, undefined]);
  await Deno.writeTextFile(`${record}.7`, "");
  assertEquals(statuses.read(record), 7);
  await rests();
  assertEquals([statuses.read(record), statuses.read(record)], [7, 7]);
  await Deno.remove(`${record}.7`);
  assertEquals(statuses.read(record), undefined);
  await Deno.remove(folder, { recursive: true });
});
