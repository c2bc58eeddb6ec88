// The real programs that the demo runs, written to the folder in which it runs them.
import { join } from "@std/path";
import { shellWord } from "../../src/shell/quoting.ts";

const SERVER = `
const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ({ url }) => {
  console.log("GET " + new URL(url).pathname);
  return new Response("hello from a pane\\n");
});
console.log("loading routes");
setTimeout(() => console.log("Listening on http://127.0.0.1:" + server.addr.port + "/"), 300);
`;

const BROKEN = `
const port: number = "8080";
console.log(port);
`;

/** Shell commands, each to be typed into a pane as it is. */
export interface Programs {
  webServer: string;
  failingBuild: string;
  /** Asks for a passphrase with echo off, as ssh would. */
  passwordPrompt: string;
  passphrase: string;
}

export async function writePrograms(folder: string): Promise<Programs> {
  const deno = quote(Deno.execPath());
  await Deno.writeTextFile(join(folder, "server.ts"), SERVER);
  await Deno.writeTextFile(join(folder, "broken.ts"), BROKEN);
  const passphrase = crypto.randomUUID();
  return {
    webServer: `${deno} run --no-config --allow-net=127.0.0.1 server.ts`,
    failingBuild: `${deno} check --no-config broken.ts`,
    passwordPrompt: await writeKey(folder, passphrase),
    passphrase,
  };
}

/** Command that asks for a passphrase: of a real key, or, without ssh, the shell's own silent read. */
async function writeKey(folder: string, passphrase: string): Promise<string> {
  const args = ["-q", "-t", "ed25519", "-C", "demo", "-N", passphrase, "-f", join(folder, "key")];
  try {
    await new Deno.Command("ssh-keygen", { args }).output();
    return "ssh-keygen -y -f key";
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return `bash -c 'read -rsp "Passphrase: " x && echo && echo "\${#x} characters"'`;
  }
}

/** Quotes a path, because the checkout can be anywhere. */
function quote(path: string): string {
  return /^[\w/.+-]+$/.test(path) ? path : shellWord(path);
}
