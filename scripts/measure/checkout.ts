// A commit of this repository, checked out to be measured.
import { fromFileUrl, join } from "@std/path";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

export class Checkout implements AsyncDisposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async of(commit: string): Promise<Checkout> {
    const checkout = new Checkout(await Deno.makeTempDir({ prefix: "tmux-mcp-commit-" }));
    try {
      const archive = join(checkout.folder, ".archive.tar");
      await run("git", "-C", ROOT, "archive", "--output", archive, `${commit}^{commit}`);
      await run("tar", "-C", checkout.folder, "-xf", archive);
      await checkout.#install();
      return checkout;
    } catch (error) {
      await checkout[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Uses this checkout's packages and Deno, and fetches packages that only the commit's lock file names. */
  async #install(): Promise<void> {
    const tools = join(this.folder, ".tools");
    await Deno.mkdir(tools);
    for (const name of ["deno", "deno_dir"]) {
      await Deno.symlink(join(ROOT, ".tools", name), join(tools, name));
    }
    await run(join(this.folder, "scripts/bootstrap"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.folder, { recursive: true });
  }
}

async function run(command: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(command, { args, stdin: "null" }).output();
  if (!success) throw new Error(`${command} ${args.join(" ")}: ${new TextDecoder().decode(stderr).trim()}`);
}
