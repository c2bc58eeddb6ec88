// scripts/compile: what goes into the binary, and what it says where there is no runtime part for it. The binary itself is
// proved where one can be made: release.yml does, with tests/support/proof.ts.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
/** An ELF program to append to; it doesn't matter which one. */
const PROGRAM = "/bin/cat";

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

async function compile(args: readonly string[], env: Record<string, string>): Promise<Ran> {
  const output = await new Deno.Command(join(ROOT, "scripts/compile"), {
    args: [...args],
    env: { NO_COLOR: "1", ...env },
    cwd: "/",
    stdin: "null",
  }).output();
  const [stdout, stderr] = [output.stdout, output.stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code: output.code, stdout: stdout!, stderr: stderr! };
}

/** True if a file holds each of some texts. */
async function holds(path: string, texts: readonly string[]): Promise<boolean[]> {
  const bytes = new TextDecoder("latin1").decode(await Deno.readFile(path));
  return texts.map((text) => bytes.includes(text));
}

// Deno appends to programs of the target's own format only.
const LINUX = Deno.build.os === "linux";

if (LINUX) {
  Deno.test("the binary holds the program, its worker, the picture's engine and its fonts", async () => {
    const folder = await Deno.makeTempDir();
    try {
      // If a target is named, nothing is started afterwards.
      const output = join(folder, "a binary");
      const target = ["--", "--no-check", "--target", "x86_64-unknown-linux-gnu"];
      const { code, stdout, stderr } = await compile([output, ...target], { DENORT_BIN: PROGRAM });
      assertEquals([code, stdout], [0, `${output}\n`], stderr);
      const first = async (path: string): Promise<string> =>
        (await Deno.readTextFile(join(ROOT, path))).split("\n")[0]!;
      assertEquals(
        await holds(output, [
          await first("main.ts"),
          await first("workers/watch_worker.ts"),
          await first("workers/text/tail.ts"),
          await first("views/typing.js"),
          "addon-unicode11.js",
          "DejaVuSansMono-BoldOblique.ttf",
          "NotoEmoji_400Regular.ttf",
          "unifontex-latin-400-normal.woff",
          "index_bg.wasm",
          "worker-options",
        ]),
        Array(10).fill(true),
      );
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

if (LINUX) {
  Deno.test("a runtime part that is another program is found out, and no binary is left", async () => {
    const folder = await Deno.makeTempDir();
    try {
      const { code, stdout, stderr } = await compile([join(folder, "out"), "--", "--no-check"], {
        DENORT_BIN: PROGRAM,
      });
      assertEquals([code, stdout], [1, ""]);
      assertMatch(
        stderr,
        /^compile: the binary does not work: .*\ncompile: is DENORT_BIN \(\/bin\/cat\) a denort of deno \d/,
      );
      assertEquals(await Array.fromAsync(Deno.readDir(folder)), []);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

Deno.test("without a runtime part the script says how to name one", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const { code, stdout, stderr } = await compile([join(folder, "out"), "--", "--no-check"], {
      DENORT_BIN: "/nowhere/denort",
    });
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(stderr, "compile: cannot get denort, the runtime of Deno's binaries");
    assertStringIncludes(stderr, "DENORT_BIN=/path/to/denort scripts/compile");
    assert(stderr.split("\n").length <= 3, stderr);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
