// Builtins that evaluate their arguments, and options that change how a shell reads: neither gets around a filter.
import { assertEquals } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { CommandFilter } from "../../src/policy/command_filter.ts";
import type { ShellKind } from "../../src/shell/shell_kind.ts";

const FILTERS = {
  // The denied command is in the variable y, in pieces.
  denylist: filterWith("denylist", "^rm\\b"),
  allowlist: filterWith("allowlist", "(?s).*"),
};

function filterWith(filterMode: "denylist" | "allowlist", pattern: string): CommandFilter {
  return new CommandFilter({ filterMode, filterPatterns: [pattern], filterEnvironment: [] });
}

async function isAllowed(filter: CommandFilter, text: string, shell: ShellKind): Promise<boolean> {
  return await filter.checkCommand(text, shell).then(() => true, (error) => {
    if (error instanceof AppError && error.code === "denied") return false;
    throw error;
  });
}

/** Each ran a command of y's in that shell, and passed both filters. */
const EVALUATED: Readonly<Record<string, readonly string[]>> = {
  bash: [
    "fc -s Q= /tmp",
    "command fc -l -s /tmp",
    'printf "$y" z',
    "printf $o$y z",
    'command printf -v "$y" a',
    'builtin let "$y"',
    'command read "$y" <<< 1',
    'command test -v "$y"',
    'command typeset -i x="$y"',
    'declare "-i" x; x=$y',
    'declare z="$y"',
    'declare -A z; declare z="$y"',
    'typeset PIPESTATUS="$y"',
    'f() { local -a z; local z="$y"; }; f',
    'wait -n "$y"',
    'wait "$o" "$y"',
    'wait -np "$y"',
    '[ "$o" "$y" ]',
    '[ ! "$o" "$y" ]',
    '[ -n a -a "$o" "$y" ]',
    'test "$@"',
    "[ $o ]",
  ],
  zsh: [
    "r y=x",
    "fc -e - y=x",
    "for SECONDS in $y; do ls; done",
    "read -r SECONDS <<< $y",
    "getln $y",
    "getln SECONDS",
    "zformat -f SECONDS $y",
    "zparseopts -a $y z",
    "zstyle -s x y $y",
    "zstyle -e x y 'rm z'",
    "zregexparse x y '/a/' ':rm z'",
    "print -f %d $y",
    "print -f %d y",
    "print -v $y z",
    "print -z r",
    'print "$y" z',
    'set "$y" z',
    'set $o "$y" z',
    'noglob read "$y"',
    '- read "$y"',
    'builtin printf -v "$y" a',
    "setopt globsubst; ls $y",
    "setopt NO_glob_subst",
    "setopt $o; ls $y",
    "set -o glob_subst; ls $y",
    "emulate ksh; ls $y",
    "setopt extendedglob",
    "^ls",
    "r#m",
    "rm~x",
  ],
  sh: [
    "ulimit -c $y",
    "print -A y",
    'print "$y"',
    "PGRP=$y",
    "USER_ID=$y",
    'read SECONDS <<< "$y"',
    "read -r OPTIND <<E\n$y\nE",
    "for OPTIND in $y; do ls; done",
    "nameref -i y",
    'command unset "$y"',
    'exec let "$y"',
  ],
  fish: [
    "argparse 'x=!rm z' -- -x 1",
    "argparse 'x/y=!rm $z' -- -x 1",
    "commandline -r r",
    "read -p 'rm z' x",
    "read --prompt='rm z' x",
    "read -R 'rm z' x",
    "env x=&x sh -c rm",
    "env x=&'x' sh -c rm",
  ],
};

/** Commands that carry others: an allowlist that has their names lets them. */
const CARRIERS = /^(?:argparse|zstyle -e|(?:command )?fc|r )/;

for (const [shell, texts] of Object.entries(EVALUATED)) {
  Deno.test(`no filter lets ${shell} run what a builtin evaluates`, async () => {
    const modes = Object.entries(FILTERS);
    for (const kind of [shell as ShellKind, "unknown"] as const) {
      for (const [mode, filter] of modes) {
        const passed: string[] = [];
        for (const text of texts) {
          if (mode === "allowlist" && CARRIERS.test(text)) continue;
          if (await isAllowed(filter, text, kind)) passed.push(text);
        }
        assertEquals(passed, [], `${mode}, ${kind}`);
      }
    }
  });
}

Deno.test("no filter lets a function be given to bash by the environment, or a comment be turned off", async () => {
  for (const text of ["env 'BASH_FUNC_ls%%=() { rm z; }' bash -c ls", "/usr/bin/env LD_PRELOAD=x ls"]) {
    for (const filter of Object.values(FILTERS)) {
      assertEquals(await isAllowed(filter, text, "bash"), false, text);
    }
  }
  for (
    const text of ["shopt -u interactive_comments", "set +o interactive-comments", "shopt -u $x", "set -k"]
  ) {
    assertEquals(await isAllowed(FILTERS.allowlist, text, "bash"), false, text);
  }
});

Deno.test("a denylist reads the text of an alias after its name", async () => {
  for (
    const text of [
      "alias q='rm x'",
      "alias q='\"${x:-rm}\" y'",
      "alias q='$x y'",
      "alias -g q='; rm x'",
      "alias \\ q=rm",
    ]
  ) {
    for (const shell of ["bash", "zsh", "sh", "fish"] as const) {
      assertEquals(await isAllowed(FILTERS.denylist, text, shell), false, `${shell}: ${text}`);
    }
  }
  assertEquals(await isAllowed(FILTERS.denylist, "alias ll='ls -l' gs='git status'", "bash"), true);
});

Deno.test("a filter reads what scripts write with the same builtins", async () => {
  const plain: Readonly<Record<string, readonly string[]>> = {
    bash: [
      'f() { local name="$1"; echo "$name"; }; f a',
      'printf "%s\\n" "$x"',
      'printf "$x"',
      'printf -- "$x" a',
      "sleep 1 & wait $!",
      "sleep 1 & pid=$!; wait $pid",
      '[ -f "$x" ] && [ "$x" = "$y" -o -n "$z" ]',
      '[ "$x" ] || test ! -d "$x"',
      'read -r -p "Go on? " answer',
      "set -euo pipefail",
      'set -- "$@" a',
      "shopt -s nullglob globstar",
      'declare -r v=1; export PATH_TO="$HOME"; readonly d="$1"',
      'for f in "$@"; do echo "$f"; done',
      "ulimit -n 4096",
      "env FOO=bar make",
      "fc -l",
      "fc -ln -5 -1",
    ],
    zsh: ["setopt pipefail null_glob", "emulate -L zsh", 'print -r -- "$x"', "set -- $x", "~/bin/x"],
    sh: ["ulimit -c unlimited", "ulimit -n 64", 'print -r -- "$x"', "set -eu"],
    fish: ["argparse h/help 'n/name=' -- $argv", "read -P 'Name: ' x", "read -l line"],
  };
  for (const [shell, texts] of Object.entries(plain)) {
    for (const text of texts) {
      assertEquals(await isAllowed(FILTERS.allowlist, text, shell as ShellKind), true, `${shell}: ${text}`);
    }
  }
});
