// Bootstrap on machines with and without Deno, npm, tmux and the right to install.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { asOrdinaryUser, Checkout, PINNED, type Ran } from "./checkout.ts";

const SAYS_PINNED = `echo "deno ${PINNED} (a stand-in)"`;
/** A pinned Deno that bundles. */
const BUNDLES = `${SAYS_PINNED}
last=\${!#}
[[ $last != */scripts/bundle.ts ]] || echo .tools/bundle/main.js >"\${last%/scripts/*}/.tools/entry"`;
const SAYS_OTHER = `echo "deno 1.0.0 (a stand-in)"`;
const MAY_INSTALL = `[[ $1 != -n ]] || shift; exec "$@"`;

/** `npm pack` that brings a Deno of the pinned version. */
const PACKS_DENO = `
mkdir package
printf '#!/usr/bin/env bash\\n%s\\n' '${SAYS_PINNED}' >package/deno
tar -czf "packed.$$.tgz" package
rm -r package`;

async function machine(programs: Record<string, string>): Promise<Checkout> {
  const checkout = await Checkout.create();
  await checkout.provide("sudo", MAY_INSTALL);
  for (const [name, text] of Object.entries(programs)) await checkout.provide(name, text);
  return checkout;
}

async function namesIn(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();
}

Deno.test("bootstrap takes a pinned Deno that is on the PATH, and does nothing the second time", async () => {
  await using checkout = await machine({ deno: BUNDLES, tmux: "echo tmux 3.2" });
  const first = await checkout.run("scripts/bootstrap");
  assertEquals([first.code, first.stdout], [0, ""]);
  assert((await Deno.lstat(join(checkout.root, ".tools/deno"))).isFile);
  const second = await checkout.run("scripts/bootstrap");
  assertEquals([second.code, second.stdout, second.stderr], [0, "", ""]);
  const [install, bundle, ...others] = await checkout.calls();
  assertEquals([install, others], ["deno install --frozen --quiet", []]);
  assertMatch(bundle ?? "", /^deno run .*\/scripts\/bundle\.ts$/);
});

Deno.test("bootstrap replaces a link to a person's Deno by a copy, which stays when that is updated", async () => {
  await using checkout = await machine({ deno: BUNDLES, tmux: "echo tmux 3.2" });
  await Deno.mkdir(join(checkout.root, ".tools"));
  await Deno.symlink(join(checkout.bin, "deno"), join(checkout.root, ".tools/deno"));
  assertEquals((await checkout.run("scripts/bootstrap")).code, 0);
  await checkout.provide("deno", SAYS_OTHER);
  assertMatch(
    (await checkout.run(".tools/deno", { args: ["--version"] })).stdout,
    new RegExp(`^deno ${PINNED} `),
  );
});

Deno.test("bootstrap copies the Deno that a version manager starts, if it is the pinned one", async () => {
  for (const [text, isCopied] of [[SAYS_PINNED, true], [SAYS_OTHER, false]] as const) {
    await using checkout = await machine({ tmux: "echo tmux 3.2", npm: PACKS_DENO });
    const real = join(checkout.root, "../real");
    await Deno.mkdir(real);
    await checkout.provide("deno", `${text} managed`, real);
    await checkout.provide("deno", `if [[ $1 == eval ]]; then echo "${real}/deno"; else ${SAYS_PINNED}; fi`);
    assertEquals((await checkout.run("scripts/bootstrap")).code, 0);
    const { stdout } = await checkout.run(".tools/deno");
    assertEquals([stdout.includes("managed"), stdout.includes(`deno ${PINNED} `)], [isCopied, true]);
  }
});

Deno.test("bootstrap installs packages again when deno.lock has changed", async () => {
  await using checkout = await machine({ deno: BUNDLES, tmux: "echo tmux 3.2" });
  await checkout.run("scripts/bootstrap");
  await Deno.writeTextFile(join(checkout.root, "deno.lock"), "{}");
  assertEquals((await checkout.run("scripts/bootstrap")).code, 0);
  assertEquals((await checkout.calls()).filter((call) => call.startsWith("deno install")).length, 2);
});

Deno.test("bootstrap fetches the pinned Deno from npm when another version is installed", async () => {
  await using checkout = await machine({ deno: SAYS_OTHER, tmux: "echo tmux 3.2", npm: PACKS_DENO });
  const { code, stderr } = await checkout.run("scripts/bootstrap");
  assertEquals(code, 0, stderr);
  const [pack] = await checkout.calls();
  assertMatch(
    pack ?? "",
    new RegExp(`^npm pack --loglevel=error --no-update-notifier @deno/\\S+@${PINNED}$`),
  );
  assert((await Deno.lstat(join(checkout.root, ".tools/deno"))).isFile);
  assertEquals(await namesIn(join(checkout.root, ".tools")), ["deno", "installed.lock"]);
});

Deno.test("bootstrap that cannot fetch Deno says so and leaves nothing half done", async () => {
  const npm = `[[ $* == *--silent* ]] || echo "npm error code ENOTFOUND" >&2; exit 1`;
  await using checkout = await machine({ deno: SAYS_OTHER, tmux: "echo tmux 3.2", npm });
  const { code, stdout, stderr } = await checkout.run("scripts/bootstrap");
  assertEquals([code, stdout], [1, ""]);
  assertMatch(
    stderr,
    new RegExp(`^npm error code ENOTFOUND\nbootstrap: could not fetch Deno ${PINNED} from npm`, "m"),
  );
  assertEquals(await namesIn(join(checkout.root, ".tools")), []);
});

Deno.test("bootstrap does not use the npm of Windows", async () => {
  await using checkout = await machine({ deno: SAYS_OTHER, tmux: "echo tmux 3.2", npm: PACKS_DENO });
  const bootstrap = join(checkout.root, "scripts/bootstrap");
  const text = await Deno.readTextFile(bootstrap);
  await Deno.writeTextFile(bootstrap, text.replace("/mnt/?/*", `${checkout.bin}/*`));
  const { code, stderr } = await checkout.run("scripts/bootstrap");
  assertEquals(code, 1);
  assertMatch(stderr, /^bootstrap: please install by hand: npm$/m);
});

Deno.test("bootstrap says why the Deno from npm does not run", async () => {
  const npm = PACKS_DENO.replace(SAYS_PINNED, "echo no such libc >&2; exit 127");
  await using checkout = await machine({ deno: SAYS_OTHER, tmux: "echo tmux 3.2", npm });
  const { code, stderr } = await checkout.run("scripts/bootstrap");
  assertEquals(code, 1);
  assertStringIncludes(stderr, `Deno ${PINNED} from npm does not run on this machine: no such libc`);
});

Deno.test("bootstrap has npm keep its cache elsewhere if the home folder can't be written to", async () => {
  const npm = `echo "cache $npm_config_cache" >>"$OLDPWD/calls"\n${PACKS_DENO}`;
  await using checkout = await machine({ deno: SAYS_OTHER, tmux: "echo tmux 3.2", npm });
  const words = await asOrdinaryUser(checkout);
  const run = { args: [...words, join(checkout.root, "scripts/bootstrap")], cwd: checkout.root };
  const env = { PATH: `${checkout.bin}:/usr/bin:/bin`, HOME: "/" };
  const { code, stderr } = await checkout.run("/usr/bin/env", { ...run, env });
  assertEquals(code, 0, stderr);
  assertMatch((await checkout.calls()).join("\n"), /^cache \S+\/\.tools\/deno\.\w+\/cache$/m);
});

Deno.test("bootstrap that is ended while it fetches Deno leaves nothing behind", async () => {
  const npm =
    `pid=$(cat "$OLDPWD/pid"); kill "$pid"; for ((i = 0; i < 100000; i++)); do kill -0 "$pid" || exit; done`;
  await using checkout = await machine({ deno: SAYS_OTHER, tmux: "echo tmux 3.2", npm });
  const { code } = await checkout.run("/usr/bin/env", {
    args: ["bash", "-c", "echo $$ >pid; exec scripts/bootstrap"],
    cwd: checkout.root,
  });
  assertEquals([code, await namesIn(join(checkout.root, ".tools"))], [143, []]);
});

Deno.test("bootstrap run by several clients at once leaves one working Deno", async () => {
  await using checkout = await machine({ deno: SAYS_OTHER, tmux: "echo tmux 3.2", npm: PACKS_DENO });
  const runs = await Promise.all([1, 2, 3, 4].map(() => checkout.run("scripts/bootstrap")));
  assertEquals(runs.map(({ code }) => code), [0, 0, 0, 0], runs.map(({ stderr }) => stderr).join(""));
  assertEquals((await checkout.run("scripts/bootstrap")).stderr, "");
});

for (const version of ["tmux 3.2", "tmux 3.2a", "tmux 3.10", "tmux 4.0", "tmux next-3.4", "tmux master"]) {
  Deno.test(`bootstrap is content with ${version}`, async () => {
    await using checkout = await machine({ deno: SAYS_PINNED, tmux: `echo ${version}`, "apt-get": "exit 1" });
    assertEquals((await checkout.run("scripts/bootstrap")).code, 0);
  });
}

for (const version of ["tmux 3.1c", "tmux 2.9a", "tmux next-3.1"]) {
  Deno.test(`bootstrap replaces ${version} with the system's package`, async () => {
    await using checkout = await machine({ deno: SAYS_PINNED, tmux: `echo ${version}` });
    await checkout.provide(
      "apt-get",
      `[[ $* != *install* ]] || echo 'echo tmux 3.3a' >"${checkout.bin}/tmux"`,
    );
    const { code, stdout, stderr } = await checkout.run("scripts/bootstrap");
    assertEquals([code, stdout], [0, ""], stderr);
    const asked = (await checkout.calls()).filter((call) => call.startsWith("apt-get"));
    assertEquals(asked.map((call) => call.split(" ").at(-1)), ["update", "tmux"]);
  });
}

Deno.test("bootstrap at a terminal lets sudo ask for the password, and without one does not", async () => {
  await using checkout = await machine({ deno: SAYS_PINNED, tmux: "echo tmux 3.1" });
  await checkout.provide("sudo", `[[ $1 != -n ]] || exit 1; exec "$@"`);
  await checkout.provide("apt-get", `[[ $* != *install* ]] || echo 'echo tmux 3.3a' >"${checkout.bin}/tmux"`);
  const words = await asOrdinaryUser(checkout);
  const bootstrap = join(checkout.root, "scripts/bootstrap");
  const env = { PATH: `${checkout.bin}:/usr/bin:/bin` };
  const run = async (args: readonly string[]): Promise<Ran> =>
    await checkout.run("/usr/bin/env", { args: [...words, ...args], env });
  const apart = await run([bootstrap]);
  assertEquals([apart.code, apart.stdout], [1, ""]);
  assertStringIncludes(apart.stderr, "no right to install");
  const { code, stdout } = await run(["script", "-qec", bootstrap, "/dev/null"]);
  assertEquals(code, 0, stdout);
  assertEquals((await checkout.calls()).filter((call) => call.startsWith("apt-get")).length, 2);
});

Deno.test("bootstrap without a usable tmux fails with what it found, Deno being in place", async () => {
  await using checkout = await machine({ deno: SAYS_PINNED, tmux: "echo tmux 3.1", "apt-get": "exit 100" });
  const { code, stderr } = await checkout.run("scripts/bootstrap");
  assertEquals(code, 1);
  assertStringIncludes(stderr, "needs tmux 3.2 or newer, found: tmux 3.1");
  assert((await Deno.stat(join(checkout.root, ".tools/deno"))).isFile);
});

Deno.test("bootstrap --tests asks once for the programs that are missing and for no other", async () => {
  await using checkout = await machine({ deno: SAYS_PINNED, tmux: "echo tmux 3.3a", zsh: "", "apt-get": "" });
  await checkout.run("scripts/bootstrap", { args: ["--tests"] });
  const [update, install, ...more] = (await checkout.calls()).filter((call) => call.startsWith("apt-get"));
  assertStringIncludes(update ?? "", "update");
  assertEquals(more, []);
  const packages = install?.split(" install ")[1]?.split(" ") ?? [];
  assert(packages.includes("busybox") && packages.includes("mksh"), install);
  assert(!packages.includes("zsh") && !packages.includes("tmux"), install);
});
