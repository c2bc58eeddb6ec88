// Records on disk: read by every process, written by one, taken over once, bounded.
import { assert, assertEquals, assertNotEquals, assertRejects, assertThrows } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { join } from "@std/path";
import type { ProcessIdentity } from "../../src/process/process_identity.ts";
import { listNames } from "../../src/records/files.ts";
import { readRecord } from "../../src/records/record_file.ts";
import { RecordStore, type StoredRecord } from "../../src/records/record_store.ts";
import { RecordIds } from "../../src/records/record_ids.ts";
import { until } from "../support/until.ts";

const KEY = "1234-1700000000";
const UID = Deno.uid() ?? 0;

/** Processes that are known by a word, and those of them that are dead, out of sight, or of an earlier boot. */
class Processes {
  readonly dead: Set<string> = new Set();
  readonly elsewhere: Set<string> = new Set();
  readonly earlier: Set<string> = new Set();

  owner(stamp: string): ProcessIdentity {
    return {
      stamp,
      isDead: (other) => this.dead.has(other),
      isElsewhere: (other) => this.elsewhere.has(other),
      isFromEarlierBoot: (other) => this.earlier.has(other),
    };
  }
}

class Folder implements Disposable {
  readonly path = Deno.makeTempDirSync({ prefix: "tmux-mcp-records-" });
  readonly root = join(this.path, "state", "tmux-mcp");
  readonly said: string[] = [];
  readonly processes = new Processes();

  store(stamp: string, given: { maxBytes?: number; keepHours?: number; root?: string } = {}): RecordStore {
    return new RecordStore({
      ids: new RecordIds(),
      root: this.root,
      uid: UID,
      maxBytes: 1 << 20,
      keepHours: 48,
      owner: this.processes.owner(stamp),
      complain: (message) => this.said.push(message),
      ...given,
    });
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.path, { recursive: true });
  }
}

function write(store: RecordStore, more: Partial<StoredRecord> & Record<string, unknown> = {}): string {
  const id = store.ids.next("c", KEY);
  assert(store.write({ id, started: Date.now(), ...more }));
  return id;
}

async function takenOver(store: RecordStore): Promise<string[]> {
  return (await store.takeOver(KEY)).records.map(({ id }) => id);
}

Deno.test("a record is read by every process, from files that only its user can read", () => {
  using folder = new Folder();
  const one = folder.store("one");
  const id = write(one);
  assertEquals(folder.store("two").read(id)?.id, id);
  assertEquals(folder.store("two").list(KEY, "c").map((record) => record.id), [id]);
  assertEquals(folder.store("two").list(KEY, "w"), []);
  const modes = [folder.root, join(folder.root, KEY), join(folder.root, KEY, one.ids.token)]
    .map((path) => (Deno.statSync(path).mode ?? 0) & 0o777);
  assertEquals(modes, [0o700, 0o700, 0o700]);
  for (const { name } of Deno.readDirSync(join(folder.root, KEY, one.ids.token))) {
    assertEquals((Deno.statSync(join(folder.root, KEY, one.ids.token, name)).mode ?? 0) & 0o777, 0o600, name);
  }
});

Deno.test("a finished record is read once for all lists, one that runs each time, and one that is removed is gone", () => {
  using folder = new Folder();
  const one = folder.store("one");
  const ids = [write(one), write(one, { ended: 5 }), write(one, { ended: 5 })] as const;
  const two = folder.store("two");
  const listed = () =>
    two.list(KEY, "c").toSorted((a, b) => a.id.localeCompare(b.id)).map(({ ended }) => ended);
  assertEquals(listed(), [undefined, 5, 5]);
  for (const id of ids.slice(0, 2)) one.write({ id, started: 1, ended: 6 });
  one.remove(ids[2]);
  assertEquals(listed(), [6, 5]);
});

Deno.test("nothing is on disk before the first record", async () => {
  using folder = new Folder();
  const store = folder.store("one");
  assertEquals(await takenOver(store), []);
  assertEquals(store.list(KEY, "c"), []);
  assertEquals(await Array.fromAsync(Deno.readDir(folder.path)), []);
});

Deno.test("one process takes over from a dead one, and from a live one nobody does", async () => {
  using folder = new Folder();
  const id = write(folder.store("one"));
  const [two, three] = [folder.store("two"), folder.store("three")];
  assertEquals(await takenOver(two), []);
  assert(!two.isAbandoned(id));
  folder.processes.dead.add("one");
  assert(two.isAbandoned(id));
  assertEquals(await takenOver(two), [id]);
  assertEquals(await takenOver(three), []);
  assertEquals([two.owns(id), three.owns(id)], [true, false]);
  folder.processes.dead.add("two");
  assertEquals(await takenOver(three), [id]);
});

Deno.test("a folder that its process has only just made is left to that process", async () => {
  using folder = new Folder();
  const [one, two] = [folder.store("one"), folder.store("two")];
  await Deno.mkdir(join(folder.root, KEY, one.ids.token), { recursive: true, mode: 0o700 });
  assertEquals(await two.takeOver(KEY), { tokens: [], records: [] });
  const id = write(one);
  folder.processes.dead.add("one");
  assertEquals(await takenOver(two), [id]);
});

Deno.test("of many processes that take over at once, one wins each folder", async () => {
  using folder = new Folder();
  const ids = Array.from({ length: 20 }, (_, index) => write(folder.store(`dead ${index}`)));
  for (let index = 0; index < 20; index++) folder.processes.dead.add(`dead ${index}`);
  const code = `
    import { RecordIds } from "${new URL("../../src/records/record_ids.ts", import.meta.url)}";
    import { RecordStore } from "${new URL("../../src/records/record_store.ts", import.meta.url)}";
    const [root, stamp, key] = Deno.args;
    const store = new RecordStore({
      ids: new RecordIds(),
      root, uid: Deno.uid(), maxBytes: 1e6, keepHours: 1, complain: console.error,
      owner: { stamp, isDead: (other) => other.startsWith("dead"), isElsewhere: () => false },
    });
    console.log(JSON.stringify((await store.takeOver(key)).records.map(({ id }) => id)));`;
  const script = join(folder.path, "take_over.ts");
  await Deno.writeTextFile(script, code);
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const taken = await Promise.all(Array.from({ length: 4 }, async (_, index) => {
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-lock", "--config", config, script, folder.root, `live ${index}`, KEY],
    }).output();
    assertEquals(new TextDecoder().decode(stderr), "");
    return JSON.parse(new TextDecoder().decode(stdout)) as string[];
  }));
  assertEquals(taken.flat().sort(), [...ids].sort());
});

Deno.test("a process takes over only the records that it wants, and others the rest, until it is dead itself", async () => {
  using folder = new Folder();
  const [one, two, three] = [folder.store("one"), folder.store("two"), folder.store("three")];
  const [wanted, other] = [write(one), write(one)];
  const takenByTwo = async () => {
    const { records, tokens } = await two.takeOver(KEY, ({ id }) => id === wanted);
    return [records.map(({ id }) => id), tokens];
  };
  assertEquals(await takenByTwo(), [[], []]);
  folder.processes.dead.add("one");
  assertEquals(await takenByTwo(), [[wanted], [one.ids.token]]);
  assertEquals(await takenByTwo(), [[], []]);
  // A change of its record doesn't make the folder its own.
  two.open({ id: wanted, started: 2 })![Symbol.dispose]();
  assertEquals(await takenOver(three), [other]);
  for (const [store, owned] of [[two, wanted], [three, other]] as const) {
    assertEquals([wanted, other].filter((id) => store.owns(id)), [owned]);
  }
  assertEquals(await takenOver(three), []);
  folder.processes.dead.add("two");
  assert(three.isAbandoned(wanted));
  assertEquals((await three.takeOver(KEY)).records, [{ id: wanted, started: 2 }]);
  assertEquals([three.owns(wanted), three.owns(other)], [true, true]);
});

Deno.test("of several processes one takes over a single record of a dead one, until it is dead itself", async () => {
  using folder = new Folder();
  const [one, two, three] = [folder.store("one"), folder.store("two"), folder.store("three")];
  const [id, other] = [write(one), write(one)];
  assertEquals([two.claim(id), one.claim(id)], [false, true]);
  folder.processes.dead.add("one");
  assertEquals([two.claim(id), three.claim(id), three.claim(other)], [true, false, true]);
  assertEquals([two.owns(id), two.owns(other), three.isAbandoned(id)], [true, false, false]);
  assert(two.write({ id, started: 1, ended: 2 }));
  assertEquals([three.read(id)?.ended, two.owns(other)], [2, false]);
  folder.processes.dead.add("two");
  assertEquals([three.isAbandoned(id), three.claim(id)], [true, true]);
  await three.clean();
  const left = await Array.fromAsync(Deno.readDir(join(folder.root, KEY, one.ids.token)));
  assertEquals(left.map(({ name }) => name).sort(), ["c2.json", "c2.owner.1", "owner.1"]);
});

Deno.test({
  name: "the file that a root shell leaves beside a record is taken over and removed with it",
  // Only root can give a file to another user.
  ignore: UID !== 0,
  async fn() {
    using folder = new Folder();
    const [one, two] = [folder.store("one"), folder.store("two")];
    const id = write(one);
    for (const [suffix, text] of [["json.3", ""], ["0", ""], ["json.4", "x"]] as const) {
      const path = one.fileBeside(id, suffix)!;
      Deno.writeTextFileSync(path, text);
      Deno.chownSync(path, 65534, null);
    }
    folder.processes.dead.add("one");
    assertEquals([await takenOver(two), two.exitStatus(id)], [[id], 3]);
    assertEquals(listNames(join(folder.root, KEY, one.ids.token)).sort(), [
      "c1.json",
      "c1.json.3",
      "owner.1",
      "owner.2",
    ]);
    assert(two.write({ id, started: 1, ended: 2 }));
    await two.clean();
    assertEquals(listNames(join(folder.root, KEY, one.ids.token)).filter((name) => name.startsWith("c")), []);
  },
});

Deno.test("a record that is broken is skipped and reported once", () => {
  using folder = new Folder();
  const one = folder.store("one");
  const [broken, whole] = [write(one), write(one)];
  const path = join(folder.root, KEY, one.ids.token, "c1.json");
  for (const text of ['{"id":"c1-', "", "[]", `{"id":"${whole}","started":1}`, `{"id":"${broken}"}`]) {
    Deno.writeTextFileSync(path, text);
    const two = folder.store("two");
    assertEquals(two.read(broken), undefined, text);
    assertEquals(two.list(KEY, "c").map(({ id }) => id), [whole]);
    assertEquals(folder.said.splice(0).length, 1, text);
  }
});

Deno.test("where nothing can be written that is reported once, and nothing throws", () => {
  using folder = new Folder();
  const root = join(folder.path, "file");
  Deno.writeTextFileSync(root, "");
  const store = folder.store("one", { root });
  const id = store.ids.next("c", KEY);
  assertEquals(store.write({ id, started: 1 }), false);
  assertEquals(store.write({ id, started: 1 }), false);
  assertEquals(store.read(id), undefined);
  assertEquals(folder.said.length, 1);
});

Deno.test("a full disk is reported once, whichever record it has no room for, and no draft stays there", {
  ignore: Deno.build.os !== "linux",
}, () => {
  using folder = new Folder();
  const store = folder.store("one");
  const place = join(folder.root, KEY, store.ids.token);
  write(store);
  for (const name of ["c2", "c3"]) {
    Deno.symlinkSync("/dev/full", join(place, `${name}.json~`));
    assertEquals(store.write({ id: store.ids.next("c", KEY), started: 1 }), false, name);
  }
  assertEquals(folder.said.map((message) => /No space left/.test(message)), [true]);
  const drafts = [...Deno.readDirSync(place)].filter(({ name }) => name.endsWith("~"));
  assertEquals(drafts, []);
});

Deno.test("the oldest finished records go first, and those too old; running ones of a live process stay", async () => {
  using folder = new Folder();
  const store = folder.store("one", { maxBytes: 30_000, keepHours: 1 });
  const running = write(store);
  const ids = Array.from({ length: 5 }, () => write(store, { ended: Date.now() }));
  for (const [index, id] of [running, ...ids].entries()) {
    await Deno.writeTextFile(store.fileBeside(id, "0")!, "x".repeat(9000));
    for (const suffix of ["0", "json"]) {
      const at = new Date(Date.now() - 60_000 + index * 1000);
      await Deno.utime(store.fileBeside(id, suffix)!, at, at);
    }
  }
  await store.prune();
  assertEquals(store.list(KEY, "c").map(({ id }) => id).sort(), [running, ids[3]!, ids[4]!].sort());
  const old = new Date(Date.now() - 2 * 3_600_000);
  for (const id of [running, ids[3]!]) {
    for (const suffix of ["0", "json"]) await Deno.utime(store.fileBeside(id, suffix)!, old, old);
  }
  await store.prune();
  assertEquals(store.list(KEY, "c").map(({ id }) => id).sort(), [running, ids[4]!].sort());
});

Deno.test("a finished record has ended for pruning and clean, whatever length and order its fields have", async () => {
  using folder = new Folder();
  const store = folder.store("one", { maxBytes: 200_000 });
  const long = { result: "x".repeat(150_000), ended: Date.now() };
  const first = write(store, long);
  const old = new Date(Date.now() - 60_000);
  await Deno.utime(store.fileBeside(first, "json")!, old, old);
  const second = write(store, long);
  // Writing that much has begun to prune already.
  await until(async () => {
    await store.prune();
    return store.list(KEY, "c").length === 1;
  });
  assertEquals(store.list(KEY, "c").map(({ id }) => id), [second]);
  await store.clean();
  assertEquals(store.list(KEY, "c"), []);
});

Deno.test("what is written while records are pruned is pruned as well", async () => {
  using folder = new Folder();
  const store = folder.store("one", { maxBytes: 30_000 });
  const fill = (): void => {
    const file = store.fileBeside(write(store, { ended: Date.now() }), "0")!;
    Deno.writeTextFileSync(file, "x".repeat(9000));
    store.wrote(9000);
  };
  fill();
  const pruning = store.prune();
  // It has read the folder by the time that it waits for the first time.
  for (let file = 0; file < 4; file++) fill();
  await pruning;
  await until(async () => (await store.measure()).bytes <= 30_000);
});

Deno.test("no two processes create the same id, and what is no id is no path", () => {
  using folder = new Folder();
  const [one, two] = [folder.store("one"), folder.store("two")];
  assertNotEquals(one.ids.next("c", KEY), two.ids.next("c", KEY));
  for (const id of ["", "../../etc/passwd", `c1-${"../".repeat(3)}-${KEY}`, `c1-0123456-${KEY}`]) {
    assertEquals(one.read(id), undefined);
    assertEquals(one.write({ id, started: 1 }), false);
    assertEquals(one.fileBeside(id, "0"), undefined);
  }
});

Deno.test("a record that changes often is as it was before a change whose writer was killed in its middle", () => {
  using folder = new Folder();
  const store = folder.store("one");
  const id = store.ids.next("c", KEY);
  using file = store.open({ id, started: 1 })!;
  const record = { id, started: 1, ended: 2 };
  file.append(record);
  const path = store.fileBeside(id, "json")!;
  Deno.writeTextFileSync(path, `{"id":"${id}","star`, { append: true });
  assertEquals(folder.store("two").read(id), record);
  assertEquals(folder.said, []);
});

Deno.test("pruning and clean follow no link, and keep a record that another live process runs, however old", async () => {
  using folder = new Folder();
  const [one, two] = [folder.store("one"), folder.store("two", { keepHours: 1 })];
  const [running, ended] = [write(one), write(one, { ended: 1 })];
  const outside = join(folder.path, "outside");
  await Deno.mkdir(outside);
  await Deno.writeTextFile(join(outside, "c1.json"), "{}");
  await Deno.symlink(outside, join(folder.root, KEY, "0123abcd"));
  const old = new Date(Date.now() - 2 * 3_600_000);
  for (const id of [running, ended]) await Deno.utime(one.fileBeside(id, "json")!, old, old);
  await Deno.utime(join(outside, "c1.json"), old, old);
  await Promise.all([one.prune(), two.prune()]);
  assertEquals(two.list(KEY, "c").map(({ id }) => id), [running]);
  folder.processes.dead.add("one");
  await two.prune();
  assertEquals(two.list(KEY, "c"), []);
  await two.clean();
  assertEquals(await Deno.readTextFile(join(outside, "c1.json")), "{}");
});

/** Sets the time of the last write to all that a process has on disk. */
async function age(folder: Folder, store: RecordStore, hours: number): Promise<void> {
  const place = join(folder.root, KEY, store.ids.token);
  const at = new Date(Date.now() - hours * 3_600_000);
  for (const name of listNames(place)) await Deno.utime(join(place, name), at, at);
  await Deno.utime(place, at, at);
}

Deno.test("what a process out of sight runs stays while it is written, and no longer than finished records", async () => {
  using folder = new Folder();
  const { elsewhere } = folder.processes;
  const [one, two] = [folder.store("one"), folder.store("two")];
  const id = write(one);
  elsewhere.add("one");
  for (const { hours, kept } of [{ hours: 47, kept: [id] }, { hours: 49, kept: [] }]) {
    await age(folder, one, hours);
    await two.prune();
    assertEquals(two.list(KEY, "c").map((record) => record.id), kept, `${hours} h`);
  }
  await age(folder, one, 49);
  await two.prune();
  assertEquals(listNames(join(folder.root, KEY)), [], "its folder stays");
});

Deno.test("clean removes what ran when the machine rebooted, and keeps what a process out of sight may run", async () => {
  using folder = new Folder();
  const { elsewhere, earlier } = folder.processes;
  const [one, two, three] = [folder.store("one"), folder.store("two"), folder.store("three")];
  const [, running, silent] = [write(one), write(two), write(three)];
  for (const stamp of ["one", "two", "three"]) elsewhere.add(stamp);
  earlier.add("one");
  await age(folder, three, 49);
  const person = folder.store("person");
  assertEquals((await person.clean()).records, 2);
  assertEquals(person.read(silent), undefined);
  assertEquals(person.list(KEY, "c").map(({ id }) => id), [running]);
  assertEquals(listNames(join(folder.root, KEY)), [two.ids.token]);
});

Deno.test("a line that the disk took in part does not spoil the next one", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  using folder = new Folder();
  const code = `
    import { RecordFile } from "${new URL("../../src/records/record_file.ts", import.meta.url)}";
    const file = new RecordFile(Deno.args[0]);
    Deno.addSignalListener("SIGXFSZ", () => {});
    const record = { id: "c1", started: 1 };
    file.append(record);
    const limit = async (bytes) => {
      const args = ["--pid=" + Deno.pid, "--fsize=" + bytes + ":unlimited"];
      await new Deno.Command("prlimit", { args }).output();
    };
    await limit(50);
    try { file.append({ ...record, ended: 2 }); console.log("not full"); } catch { /* Full. */ }
    await limit("unlimited");
    file.append({ ...record, ended: 3 });`;
  const [script, path] = ["torn.ts", "c1.json"].map((name) => join(folder.path, name)) as [string, string];
  await Deno.writeTextFile(script, code);
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-lock",
      "--config",
      new URL("../../deno.json", import.meta.url).pathname,
      script,
      path,
    ],
  }).output();
  assertEquals([stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)), ["", ""]);
  assertEquals(readRecord(path, UID), { id: "c1", started: 1, ended: 3 });
  assertEquals((await Deno.readTextFile(path)).split("\n").length, 4, "one of the lines is torn");
});

/** Lets these functions find no descriptor meanwhile. */
function withoutDescriptors(
  ...names: readonly ("openSync" | "readTextFileSync" | "readDirSync")[]
): Disposable {
  const originals = names.map((name) => [name, Deno[name]] as const);
  const refuse = (): never => {
    throw new Error("Too many open files (os error 24)");
  };
  for (const name of names) Object.assign(Deno, { [name]: refuse });
  return { [Symbol.dispose]: () => void Object.assign(Deno, Object.fromEntries(originals)) };
}

Deno.test("without descriptors, nothing is known of a record: it is neither missing, nor over, nor anybody's", async () => {
  using folder = new Folder();
  const [store, later] = [folder.store("one", { maxBytes: 30_000 }), folder.store("two")];
  const [running, other] = [write(store), write(folder.store("three"))];
  await Deno.writeTextFile(store.fileBeside(running, "0")!, "x".repeat(40_000));
  folder.processes.dead.add("one");
  {
    using _ = withoutDescriptors("openSync");
    await store.prune();
  }
  assertEquals(store.read(running)?.id, running);
  {
    using _ = withoutDescriptors("openSync", "readTextFileSync", "readDirSync");
    for (
      const ask of [() => later.read(running), () => later.list(KEY, "c"), () => later.isAbandoned(other)]
    ) {
      assertThrows(ask, AppError, "no file descriptor left");
    }
    assertThrows(() => later.exitStatus(running), AppError);
    await assertRejects(() => later.takeOver(KEY), AppError);
  }
  assertEquals(await takenOver(later), [running]);
});
