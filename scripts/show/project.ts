// A small Node project with a dev server, a test that fails, and a key that asks for its passphrase.
import { join } from "@std/path";

export interface Project {
  passphrase: string;
}

const PACKAGE = { name: "app", private: true, scripts: { dev: "node dev.js", test: "node --test" } };

const SERVER = `
const server = require("node:http").createServer((_, response) => response.end("hello"));
console.log("  loading routes");
server.listen(0, "127.0.0.1", () => console.log("  ready on http://localhost:" + server.address().port));
`;

const TEST = `
const { test } = require("node:test");
const assert = require("node:assert");
test("adds", () => assert.equal(1 + 1, 2));
test("greets", () => assert.equal("hello", "Hello"));
`;

/** Writes the project to a folder, in which its programs run as they are. */
export async function writeProject(folder: string): Promise<Project> {
  const files = { "package.json": JSON.stringify(PACKAGE), "dev.js": SERVER, "greet.test.js": TEST };
  for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(join(folder, name), text);
  const passphrase = crypto.randomUUID();
  const args = ["-q", "-t", "ed25519", "-C", "deploy", "-N", passphrase, "-f", join(folder, "key")];
  await new Deno.Command("ssh-keygen", { args }).output();
  return { passphrase };
}
