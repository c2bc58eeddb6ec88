// scripts/demo shows the main use, and leaves nothing behind.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";

const DEMO = fromFileUrl(new URL("../../scripts/demo", import.meta.url));

Deno.test("scripts/demo runs to its end with an empty environment", async () => {
  const temporary = await Deno.makeTempDir({ prefix: "tmux-mcp-test-" });
  try {
    const { code, stdout, stderr } = await new Deno.Command("/usr/bin/env", {
      args: ["-i", `TMPDIR=${temporary}`, DEMO],
      cwd: "/",
    }).output();
    const transcript = new TextDecoder().decode(stdout);
    assertEquals(code, 0, transcript + new TextDecoder().decode(stderr));
    for (
      const said of ["event=pattern:Listening on", "event=error", "inputKind=password", "cancelled", "Done."]
    ) {
      assertStringIncludes(transcript, said);
    }
    assertEquals(await Array.fromAsync(Deno.readDir(temporary)), []);
  } finally {
    await Deno.remove(temporary, { recursive: true });
  }
});
