// Temporary files get a folder that exists.
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { temporaryFolder } from "../src/temporary_folder.ts";

Deno.test("TMPDIR is the folder for temporary files while it exists, and otherwise /tmp", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const file = join(folder, "file");
    await Deno.writeTextFile(file, "");
    assertEquals(temporaryFolder({ TMPDIR: folder }), folder);
    for (const TMPDIR of ["", "relative", join(folder, "gone"), file]) {
      assertEquals([TMPDIR, temporaryFolder({ TMPDIR })], [TMPDIR, "/tmp"]);
    }
    assertEquals(temporaryFolder({}), "/tmp");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
