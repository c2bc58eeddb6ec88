// Builtins with arguments made at random: what they evaluate, take for a variable's name, or run.
import type { Random } from "./random_text.ts";

/** Builtins of bash, zsh, ksh, mksh, yash and fish that run nothing of what they are given, or shall be denied it. */
export const BUILTINS =
  `read printf print declare typeset local export readonly unset set shift exit return break wait
  getopts mapfile readarray test [ [[ ulimit umask let integer float nameref global private pushd popd dirs jobs kill
  hash type command builtin exec noglob nocorrect getln vared zparseopts zformat zstyle zregexparse setopt unsetopt
  shopt emulate argparse string status contains count sysread limit functions array sleep history enum`.split(
    /\s+/,
  );

const OPTIONS =
  `-v -A -a -n -i -p -r -t -u -x -f -C -c -e -E -s -b -k -z -d -D -m -o +o -ga -np -in -Z3 -L3 -- - -g -T -O -P
  -R --prompt -eq -ne -z -nt = == =~ -a -o ! 1 0 ] ]] %d %s extendedglob globsubst bareglobqual interactive_comments extglob
  sh ksh zsh -k`.split(/\s+/);

/** Variables: `$y` holds a subscript that runs d0, the others an option with it, a list with it, a pattern with it. */
const HELD = `q='a[$'; y="$q(d0)]"; o="-v$y"; p="-v $y"; l="([$"; l="$l(d0)]=1)"; m='*(e:d'; m="$m"0:')'; `;
const WORDS =
  `$y "$y" y a[y] "a[$y]" x=$y x="$y" "x=$y" "x[$y]" $o "$o" $p "$@" "$1" $* x="$l" "$l" $m "$m" RANDOM SECONDS COLUMNS x z z=1
  OPTIND HISTSIZE PGRP d0 'd0 x' '$(d0)' "x=!d0" "r=d0" $z "\${z:-$y}" "\${y#a}" $((1)) "\${#y}" \${z:=1} \${SECONDS:=$y}`
    .split(/\s+(?!x')/);
const PREFIXES = [
  "",
  "",
  "",
  "",
  "command ",
  "builtin ",
  "exec ",
  "noglob ",
  "- ",
  "\\",
  "time ",
  "! ",
  "x=1 ",
  "command -p ",
];
const ENDS = [
  "",
  "",
  "",
  ' <<< "$y"',
  " < /dev/null",
  "; echo $z",
  "; echo $((x))",
  "; z=$y; echo $z",
  '; declare z="$l"',
];

/** A builtin, its arguments, and what comes after it. */
export function randomBuiltin(random: Random): string {
  const words = Array.from(
    { length: 1 + random.below(4) },
    () => random.pick(random.below(3) ? WORDS : OPTIONS),
  );
  const before = random.pick([
    "",
    "",
    "",
    "a=1; ",
    "a=(1 2); ",
    'set -- -v "$y"; ',
    "z=(1); ",
    "local -a z; ",
    "declare -A z; ",
  ]);
  const call = `${random.pick(PREFIXES)}${random.pick(BUILTINS)} ${words.join(" ")}${random.pick(ENDS)}`;
  const placed = random.pick([
    call,
    call,
    call,
    `f() { ${call}; }; f -v "$y"`,
    `for z in $y; do ${call}; done`,
    `a0 & ${call}`,
  ]);
  return HELD + before + placed;
}
