import { assert, assertEquals, assertMatch, assertNotEquals, assertThrows } from "@std/assert";
import { dirname } from "@std/path";
import { AppError } from "../../../src/errors.ts";
import { PrivateFolder } from "../../../src/tmux/ssh/private_folder.ts";

async function temporary(): Promise<AsyncDisposable & { path: string }> {
  const path = await Deno.makeTempDir();
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

Deno.test("the folder stays the same while it is there, and a removed or replaced one is made again", async () => {
  await using parent = await temporary();
  const folder = new PrivateFolder([`${parent.path}/none`, parent.path]);
  const first = folder.path();
  assertEquals(folder.path(), first);
  await Deno.remove(first);
  const second = folder.path();
  assertNotEquals(second, first);
  await Deno.remove(second);
  await Deno.mkdir(`${parent.path}/other`);
  await Deno.symlink(`${parent.path}/other`, second);
  const third = folder.path();
  assertNotEquals(third, second);
  const { isDirectory, mode } = await Deno.stat(third);
  assert(isDirectory);
  assertEquals(mode! & 0o777, 0o700);
  await folder.remove();
  await folder.remove();
});

for (const name of ["my own", "100%d", "a:b", "$HOME", "it's", '"', "#", "\\"]) {
  Deno.test(`a parent whose path ssh would misread takes no folder: ${name}`, async () => {
    await using parent = await temporary();
    await Deno.mkdir(`${parent.path}/${name}`);
    const folder = new PrivateFolder([`${parent.path}/${name}`, parent.path]);
    assertEquals(dirname(folder.path()), parent.path);
    await folder.remove();
  });
}

/** Takes no text into files until it is disposed. */
function full(): Disposable {
  const write = Deno.writeTextFileSync;
  Deno.writeTextFileSync = () => {
    throw new Error("No space left on device (os error 28)");
  };
  return { [Symbol.dispose]: () => void (Deno.writeTextFileSync = write) };
}

Deno.test("a parent that has no room for the owner's stamp still takes the folder", async () => {
  await using parent = await temporary();
  const folder = new PrivateFolder([parent.path, "/tmp/none"], "stamp");
  {
    using _full = full();
    assertEquals(dirname(folder.path()), parent.path);
  }
  assertEquals((await Array.fromAsync(Deno.readDir(parent.path))).length, 1);
  await folder.remove();
});

Deno.test("without a folder that takes it, the error names the folders and the next step", async () => {
  await using parent = await temporary();
  const parents = [`${parent.path}/a`, `${parent.path}/b`];
  const error = assertThrows(() => new PrivateFolder(parents).path(), AppError);
  assertEquals(error.code, "tmux-unavailable");
  assertMatch(error.message, /^Cannot create a folder for ssh in .*\/a or .*\/b: No such file/);
  assertMatch(error.hint!, /TMPDIR/);
});
