// A copy of the scripts in a folder of its own, on a PATH whose programs are stand-ins that note their calls.
import { fromFileUrl, join } from "@std/path";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** Programs that bash and the scripts need; everything else is missing unless a test puts it there. */
const MACHINE =
  "bash cat chmod cp cut dirname echo env find grep gzip ln mkdir mktemp mv readlink rm sort tail tar uname xargs";

const SCRIPTS = ["environment.bash", "bootstrap", "bundle", "tmux-mcp", "test"];
const FILES = [
  ...SCRIPTS.map((name) => `scripts/${name}`),
  ...["scripts/bundle.ts", ".ci/run", "deno.json", "deno.lock", "main.ts"],
];
/** Version of Deno that bootstrap installs. */
export const PINNED = /^deno_version=(.+)$/m.exec(
  await Deno.readTextFile(join(ROOT, "scripts/environment.bash")),
)?.[1];
/** Folders of sources, empty here. */
const SOURCES = ["scripts/jsr", "skills", "src", "views", "workers"];

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

export class Checkout implements AsyncDisposable {
  readonly root: string;
  readonly bin: string;

  constructor(folder: string) {
    this.root = join(folder, "checkout");
    this.bin = join(folder, "bin");
  }

  static async create(): Promise<Checkout> {
    const checkout = new Checkout(await Deno.makeTempDir({ prefix: "tmux-mcp-checkout-" }));
    for (const folder of SOURCES) await Deno.mkdir(join(checkout.root, folder), { recursive: true });
    await Deno.mkdir(join(checkout.root, ".ci"));
    await Deno.mkdir(checkout.bin);
    for (const file of FILES) {
      await Deno.copyFile(join(ROOT, file), join(checkout.root, file));
    }
    for (const name of MACHINE.split(" ")) await Deno.symlink(findProgram(name), join(checkout.bin, name));
    return checkout;
  }

  /** Puts a program on the PATH: it notes its name and arguments in `calls`, then runs this shell text. */
  async provide(name: string, text = "", folder = this.bin): Promise<void> {
    const path = join(folder, name);
    await Deno.writeTextFile(
      path,
      `#!/usr/bin/env bash\necho "${name} $*" >>"${this.root}/calls"\n${text}\n`,
    );
    await Deno.chmod(path, 0o755);
  }

  async calls(): Promise<string[]> {
    const text = await Deno.readTextFile(join(this.root, "calls")).catch(() => "");
    return text.split("\n").filter((line) =>
      line !== "" && !/^(deno (--version|eval .*)|tmux -V)$/.test(line)
    );
  }

  async run(script: string, { args = [], env = {}, cwd = "/" }: {
    args?: readonly string[];
    env?: Readonly<Record<string, string>>;
    cwd?: string;
  } = {}): Promise<Ran> {
    const output = await new Deno.Command(script.startsWith("/") ? script : join(this.root, script), {
      args: [...args],
      env: { PATH: this.bin, ...env },
      clearEnv: true,
      cwd,
      stdin: "null",
    }).output();
    const [stdout, stderr] = [output.stdout, output.stderr].map((bytes) => new TextDecoder().decode(bytes));
    return { code: output.code, stdout: stdout ?? "", stderr: stderr ?? "" };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(join(this.root, ".."), { recursive: true });
  }
}

/** Words that run a command as a user who is not root, where this one is, after giving the checkout to that user. */
export async function asOrdinaryUser({ root }: Checkout): Promise<string[]> {
  if (Deno.uid() !== 0) return [];
  await new Deno.Command("chown", { args: ["-R", "65534:65534", join(root, "..")] }).output();
  return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
}

function findProgram(name: string): string {
  for (const folder of ["/usr/bin", "/bin", ...(Deno.env.get("PATH") ?? "").split(":")]) {
    const path = join(folder, name);
    try {
      if (Deno.statSync(path).isFile) return path;
    } catch {
      continue;
    }
  }
  throw new Error(`Cannot find ${name} on this machine`);
}
