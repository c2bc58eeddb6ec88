// Owners of folders and records on disk.
import { assertEquals } from "@std/assert";
import { join } from "@std/path";

Deno.test("a disk without room for an owner is reported, and no draft stays there", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  const folder = await Deno.makeTempDir({ prefix: "tmux-mcp-owners-" });
  const code = `
    import { takeOwnership } from "${new URL("../../src/records/owner_files.ts", import.meta.url)}";
    Deno.addSignalListener("SIGXFSZ", () => {});
    await new Deno.Command("prlimit", { args: ["--pid=" + Deno.pid, "--fsize=0:unlimited"] }).output();
    let failed = "nothing";
    try {
      takeOwnership(Deno.args[0] + "/owner", { stamp: "one", isDead: () => true });
    } catch (error) {
      failed = error.message;
    }
    console.log(JSON.stringify([failed, ...[...Deno.readDirSync(Deno.args[0])].map(({ name }) => name)]));
    Deno.exit();`;
  try {
    const owners = join(folder, "owners");
    await Deno.mkdir(owners);
    const script = join(folder, "own.ts");
    await Deno.writeTextFile(script, code);
    const config = new URL("../../deno.json", import.meta.url).pathname;
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-lock", "--config", config, script, owners],
    }).output();
    assertEquals(new TextDecoder().decode(stderr), "");
    const [failed, ...left] = JSON.parse(new TextDecoder().decode(stdout)) as string[];
    assertEquals([/File too large/.test(failed!), left], [true, []], failed);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
