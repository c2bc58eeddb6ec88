// The command filter: what it sees in a text, and every way a text can reach a shell.
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { decide } from "../../src/policy/decide.ts";
import * as t from "./fixture.ts";
import { call, deny, outcome, policyWith, type World } from "./fixture.ts";

const FILTER = "security.command_filter";

async function runs(
  command: string,
  settings: Parameters<typeof policyWith>[0],
  world: World = {},
): Promise<boolean> {
  const said = await outcome(policyWith(settings), call(t.executeCommand, { paneId: "%1", command }, world));
  if (said !== "allowed" && !said.startsWith("denied")) throw new Error(said);
  return said === "allowed";
}

const ALLOWLIST = { filterMode: "allowlist", filterPatterns: ["^ls( |$)", "^echo ", "^grep "] } as const;
const DENYLIST = { filterMode: "denylist", filterPatterns: ["^rm( |$)"] } as const;

Deno.test("an allowlist wants every simple command to match", async () => {
  const allowed = [
    "ls",
    "ls -l | grep x",
    "ls && echo a; ls &",
    "echo 'rm -rf /'",
    "for i in a b; do ls $i; done",
    "# note\nls",
  ];
  const denied = [
    "rm",
    "ls; rm x",
    "ls && rm x",
    "ls || rm x",
    "ls | rm",
    "ls & rm x",
    "ls\nrm x",
    "ls $(rm x)",
    'echo "$(rm x)"',
    "ls `rm x`",
    "ls <(rm x)",
    "(rm x)",
    "{ rm x; }",
    "ls > $(rm x)",
    "X=$(rm x) ls",
    "A=1 ls",
    "if ls; then rm x; fi",
    "ls() { rm x; }; ls",
    "cat <<E\n$(rm x)\nE",
    "echo ${x:-$(rm x)}",
    "echo $(( $(rm x) ))",
    "! rm x",
    "time rm x",
    "sudo ls",
    "x=ls",
    "{ ls; } > f",
    "$x ls",
    "l? -l",
    "ls 'open",
    "ls )",
    "ls\0",
    "ls\rrm x",
    "ls\u2028rm",
    "",
  ];
  for (const each of allowed) assertEquals(await runs(each, ALLOWLIST), true, each);
  for (const each of denied.slice(0, -1)) assertEquals(await runs(each, ALLOWLIST), false, each);
  assertEquals(await runs("ls", { ...ALLOWLIST, filterPatterns: [] }), false);
});

Deno.test("`true; rm` passes `^rm`", async () => {
  const denied = [
    "true; rm x",
    "/bin/rm x",
    "\\rm x",
    "r''m x",
    "'rm' x",
    "$'\\x72m' x",
    "A=1 rm x",
    "> f rm x",
    "{rm,x}",
    "$x",
    "r* x",
    "sudo rm x",
    "env A=1 rm x",
    "xargs -n 1 rm",
    "find . -exec rm {} +",
    "eval 'rm x'",
    "eval rm x",
    "eval $x",
    "sh -c 'ls; rm x'",
    "bash <<< 'rm x'",
    'bash -c "$x"',
    "sudo sh -c 'rm x'",
    "sh -c 'sh -c \"rm x\"'",
    "trap 'rm x' EXIT",
    "alias ls='rm x'",
    "env -S 'rm x'",
    "PATH=/tmp ls",
    "export PATH=/tmp",
    "read PATH",
    "for PATH in /tmp; do ls; done",
    "PROMPT_COMMAND='rm x'",
    "echo ${x@P}",
    "((rm))",
    "export 'PATH=/tmp'",
    'for v in PATH; do export "$v=/tmp"; done',
    'declare "$v=/tmp"',
    'read "$v"',
    'printf -v "$v" x',
    'unset "$v"',
    "declare -a 'a=($(rm x))'",
    "declare -a a='($(rm x))'",
    'declare -i a="$b"',
    'test -v "$v"',
    "alias q=rm",
    "hash -p /bin/rm q",
    "env -S'rm x'",
    "su -c'rm x'",
    "script -qc'rm x' f",
    "emulate zsh -c 'rm x'",
    "print -P '$(rm x)'",
    "functions[q]='rm x'",
    "echo rm x | sh",
    "echo rm x | bash -s",
    "echo rm x | sudo sh",
    "echo rm x | { sh; }",
    "echo rm x | source /dev/stdin",
    ". /dev/stdin <<< 'rm x'",
    "echo rm x | xargs env",
    "echo rm x | xargs -I{} sh -c {}",
    "echo rm | xargs -n 1 -I{} {} x",
  ];
  for (const each of denied) assertEquals(await runs(each, DENYLIST), false, each);
  const allowed = [
    "ls",
    "true; ls | wc -l",
    "echo rm",
    "rmdir x",
    "A=1 ls",
    "sudo ls",
    "sh -c 'ls; echo x'",
    "x=rm",
    "ls | xargs -n 1 cat",
    "ls | sh build.sh",
    "ls | sh -c 'cat'",
    "find . -perm 644",
    "export X=1 Y",
    "printf '%s\\n' \"$x\"",
    'test "$x" = y',
    "print hello",
  ];
  for (const each of allowed) assertEquals(await runs(each, DENYLIST), true, each);
});

Deno.test("what only some shells run is seen, unless the shell is known", async () => {
  const tricks = [
    ["echo &>f rm x", "dash ends the command at &"],
    ["echo $'\\'; rm x #'", "dash ends the string at the second quote"],
    ["echo '\\' ' ; rm x #'", "fish reads \\' inside quotes"],
    ["a=(rm x)", "fish substitutes"],
    ["ls # ; rm x", "zsh takes no comments at its prompt"],
    ["ls *(e:'rm x':)", "zsh runs code in patterns"],
    ["cat <<E\nrm x\nE", "fish knows no here-documents"],
    ["[[ a && rm ]]", "dash runs it"],
    ["echo $'\\'; rm x #' ${x//a/b}", "dash ends the string, in a text that is not POSIX"],
    ["echo &>f rm x ${x//a/b}", "dash ends the command, in a text that is not POSIX"],
    ["[[ a && rm ]] <<<x", "dash runs it, in a text that is not POSIX"],
  ] as const;
  for (const [text, why] of tricks) {
    assertEquals(await runs(text, DENYLIST, { shell: undefined }), false, why);
    assertEquals(await runs(text, DENYLIST, { shell: "bash" }), true, text);
  }
});

Deno.test("the pattern stands anywhere in the command, with its redirections and assignments", async () => {
  assertEquals(
    await runs("echo a > /etc/passwd", { filterMode: "denylist", filterPatterns: ["> */etc"] }),
    false,
  );
  assertEquals(await runs("A=1 ls", { filterMode: "allowlist", filterPatterns: ["^A=1 ls$"] }), true);
  assertEquals(await runs("ls >f", { filterMode: "allowlist", filterPatterns: ["^ls$"] }), false);
});

Deno.test("a pattern that names a command does not allow a variable of that name before another", async () => {
  const allows = (command: string, ...filterPatterns: string[]) =>
    runs(command, { filterMode: "allowlist", filterPatterns });
  for (const pattern of ["^git", "^git\\b", "^git\\b.*", "^git\\b.*=never", "^(?:A=\\w+ )?git\\b"]) {
    for (const set of ["git=1", "git+=1", "git=", "git=x=never", "A=1 git=2", "git=1 >f", "git=1 B=never"]) {
      assertEquals(await allows(`${set} rm x`, pattern), false, `${pattern}: ${set}`);
    }
    assertEquals(await allows("git log --color=never", pattern), true, pattern);
  }
  assertEquals(await allows("A=x=y B=1 git log", "^A=\\S+ B=1 git log$"), true);
  assertEquals(await allows("A=1 git log", "^(?:A=\\w+ )?git\\b"), true);
  assertEquals(await allows("A=1 git log", "git log"), true);
  assertEquals(await allows("git=1; git log", "^git\\b"), true);
});

Deno.test("a pattern that names a command does not allow a longer name that quotes hide", async () => {
  const allows = (command: string, ...filterPatterns: string[]) =>
    runs(command, { filterMode: "allowlist", filterPatterns });
  for (const pattern of ["^ps\\b", "^ps\\b.*", "^(?:A=1 )?ps\\b"]) {
    for (const name of ["ps''ql", 'ps""ql', "ps'ql'", 'ps"ql"', "ps\\ql", "ps$'ql'", "A=1 ps''ql"]) {
      assertEquals(await allows(`${name} -c 'x y'`, pattern), false, `${pattern}: ${name}`);
    }
    assertEquals(await allows("ps -o 'pid tty'", pattern), true, pattern);
  }
  assertEquals(await allows("/opt/My\\ App/run x", "^/opt/My\\\\ App/run "), true);
  assertEquals(await allows("'/opt/My App/run' x", "^'/opt/My App/run' "), true);
  assertEquals(await allows("ps'' x", "^ps\\b"), true);
});

Deno.test("no text reaches a shell of another syntax, in which quotes mean something else", async () => {
  const tracked = { ...ALLOWLIST, filterRawInput: "track" } as const;
  for (const shell of ["elvish", "nu", "pwsh", "tcsh", "csh", "xonsh"]) {
    assertEquals(await runs("echo \\; rm x", ALLOWLIST, { shell }), false, shell);
    const why = `Cannot tell how ${shell} reads a command: ${FILTER}.mode = "allowlist"`;
    const typed = call(t.sendKeys, { paneId: "%1", keys: "echo \\; rm x", enter: true }, { shell });
    await deny(policyWith(tracked), typed, why);
    const create = (newShell: string) =>
      call(t.createSession, { name: "n", command: "echo \\; rm x" }, { newShell });
    await deny(policyWith(ALLOWLIST), create(shell), why);
    const { hint } = await assertRejects(() => decide(create(shell), policyWith(ALLOWLIST)), AppError);
    assertMatch(`${hint}`, /^Use a pane that runs bash, .* new panes run tmux's default-shell$/);
    assertEquals(await outcome(policyWith(ALLOWLIST), create("ksh93")), "allowed");
  }
});

Deno.test("every way into a shell is refused or read while a filter is on", async () => {
  const policy = policyWith(ALLOWLIST);
  const raw = `${FILTER}.raw_input = "refuse"`;
  await deny(policy, call(t.sendKeys, { paneId: "%1", keys: "ls" }), raw);
  await deny(policy, call(t.sendKeys, { paneId: "%1", keys: "Enter", literal: false }), raw);
  await deny(policy, call(t.sendEnter, { paneId: "%1" }), raw);
  await deny(policy, call(t.pasteBuffer, { paneId: "%1" }), FILTER);
  await deny(policy, call(t.executeCommand, { paneId: "%1", command: "ls", rawMode: true }), raw);
  await deny(policy, call(t.executeCommand, { paneId: "%1", command: "ls", noEnter: true }), raw);
  const split = t.tool("split-pane", { groups: ["split"], effect: "change" });
  await deny(policy, call(split, { paneId: "%1", command: "rm x" }), FILTER);
  assertEquals(await outcome(policy, call(split, { paneId: "%1", command: "ls" })), "allowed");
  const silent = t.tool("type-something", { effect: "input" });
  await deny(policy, call(silent, { paneId: "%1" }), FILTER, "check what it types");
});

Deno.test("variables that make shells run code are named or refused", async () => {
  const split = t.tool("split-pane", { groups: ["split"], effect: "change" });
  const asked = (name: string): Parameters<typeof outcome>[1] =>
    call(split, { environment: { [name]: "x" } });
  const policy = policyWith({ ...DENYLIST, filterEnvironment: ["PS1"] });
  const dangerous = [
    "PATH",
    "ENV",
    "BASH_ENV",
    "LD_PRELOAD",
    "PROMPT_COMMAND",
    "ARGV0",
    "PS4",
    "PS1R",
    "RPROMPT2",
    "PROMPT_EOL_MARK",
    "YASH_AFTER_CD",
    "COMMAND_NOT_FOUND_HANDLER",
    "ZDOTDIR",
    "GIT_SSH_COMMAND",
  ];
  for (const name of [...dangerous, "DYLD_INSERT_LIBRARIES", "BASH_FUNC_ls%%"]) {
    await deny(policy, asked(name), name, `${FILTER}.environment`);
    assertEquals(await outcome(policyWith(), asked(name)), "allowed");
  }
  for (const name of ["PS1", "FOO", "MY_VALUE", "RUST_LOG"]) {
    assertEquals(await outcome(policy, asked(name)), "allowed", name);
  }
  const set = t.tool("set-environment", {
    effect: "change",
    shellText: ({ name }) => [{ kind: "variable", text: name }],
  });
  await deny(policy, call(set, { name: "BASH_ENV", value: "x" }), "BASH_ENV");
});

const TRACK = { ...DENYLIST, filterRawInput: "track" } as const;

/** Types pieces one after the other; returns what came of the last. */
async function typing(pieces: readonly string[], settings = TRACK, world: World = {}): Promise<string> {
  const policy = policyWith(settings);
  let said = "";
  for (const piece of pieces) {
    const [, kind, keys] = /^(?:(key|paste):)?([^]*)$/.exec(piece)!;
    const typed = kind === "paste"
      ? call(t.pasteText, { paneId: "%1", text: keys }, world)
      : call(t.sendKeys, { paneId: "%1", keys, literal: kind !== "key" }, world);
    said = (await outcome(policy, typed)).split(":")[0]!;
    if (said !== "allowed" && piece !== pieces.at(-1)) return `${said} at ${piece}`;
  }
  return said;
}

Deno.test("literal send-keys unfiltered", async () => {
  assertEquals(await typing(["r", "m", " x", "key:Enter"]), "denied");
  assertEquals(await typing(["r", "m", " x", "\r"]), "denied");
  assertEquals(await typing(["ls; rm x\nls"]), "denied");
  assertEquals(await typing(["xm", "key:BSpace", "key:BSpace", "rm", "key:C-m"]), "denied");
  assertEquals(await typing(["echo ", "key:C-u", "rm x", "key:KPEnter"]), "denied");
  assertEquals(await typing(["ls", "key:Enter", "rm x", "key:C-j"]), "denied");
  assertEquals(await typing(["\x1b[200~rm x\n\x1b[201~"]), "denied");
  assertEquals(await typing(["l", "s", "key:Enter", "echo rm", "key:Enter"]), "allowed");
  assertEquals(await typing(["rm x", "key:C-c", "key:C-u", "ls", "key:Enter"]), "allowed");
  assertEquals(await typing(["rm x", "key:C-c", "key:C-c", "key:C-u", "ls", "key:Enter"]), "allowed");
});

Deno.test("typing that cannot be followed is refused", async () => {
  const pieces = [
    "key:Up",
    "key:Tab",
    "key:C-r",
    "key:Left",
    "key:M-b",
    "key:C-y",
    "key:Home",
    "key:KPEnter",
    "\t",
    "\x15",
    "\x1b[A",
    "\x7f",
    "é",
    "key:é",
    "paste:é",
  ];
  for (const piece of pieces) assertEquals(await typing([piece]), "denied", piece);
  assertEquals(await typing(["echo 'open", "key:Enter"]), "denied");
  assertEquals(await typing(["!rm", "key:Enter"]), "denied");
  assertEquals(await typing(["!(rm)", "key:Enter"]), "denied");
  assertEquals(await typing(["r\\", "key:Enter"]), "denied");
  assertEquals(await typing(["\x1b[200~"]), "denied");
  assertEquals(await typing(["x".repeat(900), "x".repeat(100), "key:Enter"]), "allowed");
  assertEquals(await typing(["x".repeat(900), "x".repeat(101)]), "denied");
  assertEquals(await typing(["paste:ls\n"]), "denied");
  assertEquals(await typing(["paste:ls", "key:Enter"]), "allowed");
  assertEquals(await typing(["paste:ls"], TRACK, { shell: "fish" }), "denied");
  assertEquals(await typing(["echo a\\\\", "key:Enter"]), "allowed");
  assertEquals(await typing(["^ls^rm", "key:Enter"]), "denied");
  // A shell may miss C-c, or lose only the beginning of the line.
  for (const piece of ["ls", "key:Enter", "key:BSpace", "\n"]) {
    assertEquals(await typing(["rm x", "key:C-c", piece]), "denied", piece);
    assertEquals(await typing(["ls", "key:Enter", "key:C-c", piece]), "denied", piece);
  }
  assertEquals(await typing(["rm x", "key:C-c l s Enter"]), "denied");
  assertEquals(await typing(["rm x", "key:C-c C-u l s Enter"]), "allowed");
  assertEquals(await typing(["ls"], TRACK, { shell: undefined }), "denied");
});

Deno.test("a line that may have been typed in part is unknown until C-c and C-u clear it", async () => {
  const policy = policyWith(TRACK);
  const keys = (text: string, literal = true): Parameters<typeof outcome>[1] =>
    call(t.sendKeys, { paneId: "%1", keys: text, literal });
  (await t.allow(policy, keys("echo "))).endTyping(false);
  await deny(policy, keys("rm x\r"), `${FILTER}.raw_input`);
  assertEquals(await outcome(policy, keys("C-c", false)), "allowed");
  await deny(policy, keys("ls\r"), `${FILTER}.raw_input`);
  assertEquals(await outcome(policy, keys("C-u", false)), "allowed");
  assertEquals(await outcome(policy, keys("ls\r")), "allowed");
});

Deno.test("a call is decided on when no other types at the prompt", async () => {
  const policy = policyWith(TRACK);
  const keys = (keys: string): Parameters<typeof outcome>[1] => call(t.sendKeys, { paneId: "%1", keys });
  await outcome(policy, keys("echo '"));
  const [first, second] = await Promise.allSettled([
    t.allow(policy, keys("'")),
    t.allow(policy, keys(";rm x #'\r")),
  ]);
  assertEquals([first.status, second.status], ["fulfilled", "rejected"]);
  assertMatch(await outcome(policy, keys("x")), /^busy: /);
  if (first.status === "fulfilled") first.value.endTyping(true);
  await deny(policy, keys(";rm x #'\r"), "rm");
  assertEquals(await outcome(policy, keys(";ls\r")), "allowed");
});

Deno.test("no keys are typed while a call types a command, and the other way round", async () => {
  const policy = policyWith(TRACK);
  const keys = call(t.sendKeys, { paneId: "%1", keys: "x rm #" });
  const command = call(t.executeCommand, { paneId: "%1", command: "ls" });
  const both = [await t.allow(policy, command), await t.allow(policy, command)];
  for (const { endTyping } of both) {
    assertMatch(await outcome(policy, keys), /^busy: /);
    endTyping(true);
  }
  const { endTyping } = await t.allow(policy, keys);
  assertMatch(await outcome(policy, command), /^busy: /);
  endTyping(true);
  assertEquals(await outcome(policy, command), "allowed");
});

Deno.test("synchronized panes are not followed", async () => {
  await deny(policyWith(TRACK), call(t.sendKeys, { paneId: "%6", keys: "ls" }), `${FILTER}.raw_input`);
});
