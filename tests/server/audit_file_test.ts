// The audit log on disk.
import { assert, assertEquals, assertThrows } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { openAuditFile } from "../../src/server/audit_file.ts";

Deno.test("a log that can no longer be written is reported once", () => {
  const told: string[] = [];
  using log = openAuditFile("/dev/full", (message) => told.push(message));
  for (let left = 3; left > 0; left--) log.append("{}");
  assertEquals(told.length, 1);
  assert(told[0]!.includes('"/dev/full"'), told[0]);
});

Deno.test("a log that is written again is reported again when it fails", async () => {
  const folder = await Deno.makeTempDir();
  const told: string[] = [];
  {
    using log = openAuditFile(`${folder}/audit`, (message) => told.push(message));
    for (const target of ["/dev/full", undefined, "/dev/full"]) {
      await Deno.remove(`${folder}/audit`);
      if (target !== undefined) await Deno.symlink(target, `${folder}/audit`);
      log.append("{}");
      log.append("{}");
    }
  }
  await Deno.remove(folder, { recursive: true });
  assertEquals(told.length, 2);
});

Deno.test("a log that cannot be opened is refused", () => {
  assertThrows(() => openAuditFile("/no/such/folder/audit", () => {}), AppError);
});
