// Shell text made at random: commands put together by a grammar, with denied ones where they should be data.
import { ALLOWED, DENIED } from "./execution.ts";
import { randomBuiltin } from "./random_builtins.ts";
import { SYNTAX } from "./random_syntax.ts";

/** Numbers from a seed, so that what failed can be run again. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** 0 to below `limit` (mulberry32). */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }
}

// deno-fmt-ignore
const PIECES = [
  " ", " ", " ", ";", "; ", "|", "&", "&&", "||", "\n", "\n", "\t", "\r", "\0", "(", ")", "$(", ")", "`", "'", "'", '"', '"', "\\", "\\\n",
  " \\\n", "$'", '$"', "#", " #", "#;", "{ ", " }", "; }", "{", "}", "{}", "<(", ">(", "=(", "<<E\n", "<<'E'\n", "<<\\E\n", "<<-E\n\t", "<<E\\\n",
  "<<é\n", "\nE\n", "\n E\n", "\nE;", "<<<", "> f", ">f ", ">| ", ">! ", ">& ", ">>| ", " 2>&1", ">&1 ", "<&3 ", "&> f ", "&>f ", "&>>f ", "|& ",
  "&| ", "&! ", "$((", "))", "((", "$[", "[[ ", " ]]", "[ ", " ]", "${x:-", "${x:=", "${x/", "${x#", "${(e)x}", "${!x", "${x@P}", "${ ", "${|", "${",
  "$x", "$~x ", "$=x ", "$^x ", "$$", "$$(", "$?", "$#", "$@", "$*", "$-", "$!", "$1", "$x[", "]", "x=", "x+=", "a=(", "a[", "]=1", "PATH=. ",
  "if ", "; then ", "; else ", "; fi", "while ", "; do ", "; done", "for i in ", "for ((", "case a in a) ", ";; esac", ";&", ";;", "! ", "time ",
  "time -p ", "time -- ", "f() ", "f () {", "function f ", "function ", "end", "begin ", "; end", "and ", "or ", "not ", "else ", "select x in ", "coproc ",
  "repeat 1 ", "foreach i (", "noglob ", "nocorrect ", "- ", "command ", "builtin ", "exec ", "eval ", "env ", "nohup ", "xargs ", "sh -c ", "| sh ",
  "label: ", "x: ", ": ", "\\'", '\\"', "\\$", "\\`", "\\(", "\\)", "\\ ", "\\;", "\\x64", "\\u0064", "\\144", "*(", "?(", "@(", "*(e:", ":)", "(#",
  "=", "=d0", "~[", "~", "*", "?", "[", "^", "^d", "@", "%", "!", ":", "-", ",", "{a0,d0}", "{d0,x}", "{x}>f ", "echo ", "echo", "true;", "false||",
  "esac", "declare -i x=", "let x=", "typeset ", "export ", "local ", "test ", " -eq 1 ", "printf %d ", "\u00e9", "\u00a0", "\u2028", "\ufeff", "\u3000",
  "a0", "a0 ", "d0", "d0 x", ";d0 ", "\nd0\n", "$(d0)", "`d0`", "(d0)", "&d0 ", "|d0",
];

type Make = () => string;

interface Inner {
  /** Commands, of which all may run. */
  readonly run: Make;
  /** Text that nothing may run. */
  readonly data: Make;
}

/** A way to put commands and data together; `stub` is one command. */
export type Shape = (inner: Inner, stub: string) => string;

const COMMANDS: readonly Shape[] = [
  ({ data }, stub) => `${stub} ${data()}`,
  ({ data }, stub) => `${stub} ${data()}${data()}`,
  ({ data }) => `echo ${data()}`,
  ({ run }) => `${run()}; ${run()}`,
  ({ run }) => `${run()} && ${run()}`,
  ({ run }) => `${run()} || ${run()}`,
  ({ run }) => `${run()} | ${run()}`,
  ({ run }) => `${run()} & ${run()}`,
  ({ run }) => `${run()}\n${run()}`,
  ({ run }) => `(${run()})`,
  ({ run }) => `{ ${run()}; }`,
  ({ run, data }) => `{ ${run()}; } > ${data()}`,
  ({ run }) => `! ${run()}`,
  ({ run }) => `time ${run()}`,
  ({ run }, stub) => `${stub} $(${run()})`,
  ({ run }, stub) => `${stub} "$(${run()})"`,
  ({ run }, stub) => `${stub} \`${run()}\``,
  ({ run }, stub) => `${stub} <(${run()})`,
  ({ run, data }, stub) => `x=$(${run()}) y=${data()} ${stub}`,
  ({ run }) => `if ${run()}; then ${run()}; else ${run()}; fi`,
  ({ run }) => `while ${run()}; do ${run()}; break; done`,
  ({ run, data }) => `for i in ${data()} $(${run()}) b; do ${run()}; done`,
  ({ run, data }) => `case ${data()} in ${data()}) ${run()};; *) ${run()};; esac`,
  ({ run }) => `f() { ${run()}; }; f`,
  ({ run, data }) => `cat <<E\n${data()}\n$(${run()})\nE\n${run()}`,
  ({ run, data }) => `cat <<'E'; ${run()}\n${data()}\nd0\nE\n${run()}`,
  ({ run, data }) => `cat <<-E && ${run()}\n\t${data()}\n\tE\n${run()}`,
  ({ run, data }) => `echo \${x:-${data()}} ${data()}; ${run()}`,
  ({ run }) => `echo \${x:-$(${run()})}`,
  ({ data }) => `echo "\${x:-${data()}}"`,
  ({ run }) => `i=1; echo $((i + 1)); ${run()}`,
  ({ run, data }) => `x=${data()}; [ "$x" = ${data()} ] && ${run()}`,
  ({ run, data }) => `[[ ${data()} == ${data()} ]] && ${run()}`,
  ({ run, data }) => `begin; ${run()}; end; ${run()}; if ${data()}; ${run()}; end`,
  ({ run, data }, stub) => `${stub} ${data()} # ${data()}\n${run()}`,
  ({ data }, stub) => `${stub} ${data()}#${data()}`,
  ({ data }, stub) => `${stub} \\\n  ${data()}`,
  ({ data }, stub) => `${stub} > ${data()} ${data()}`,
  ({ data }, stub) => `${stub} ${data()} 2>&1 &> f`,
  ({ data }) => `printf '%s' ${data()}`,
  ({ data }) => `export x=${data()}`,
  ({ data }) => `x=${data()}`,
  ({ data }) => `env ${data()}`,
  ({ data }) => `eval ${data()}`,
  ({ data }) => `echo ${data()} | { sh; }`,
  ({ data }) => `echo ${data()} | xargs a0`,
  ({ data }) => `sh -c ${data()}`,
  ({ data }) => `sh < <(echo ${data()})`,
  ...SYNTAX,
];

const DATA: readonly Shape[] = [
  () => "x",
  () => "-l",
  (_, stub) => stub,
  ({ data }) => `'${data().replaceAll("'", "")}'`,
  ({ data }) => `"${data().replaceAll('"', "")}"`,
  ({ data }) => `$'${data().replaceAll("'", "\\'")}'`,
  ({ data }) => `\${x:-${data()}}`,
  ({ data }) => `"\${x:-'${data()}'}"`,
  ({ data }) => `a[${data()}]`,
  ({ data }) => `${data()}${data()}`,
  ({ data }) => `\\${data()}`,
  ({ data }) => `{${data()},${data()}}`,
  ({ data }) => `$((1+'${data()}'))`,
  ({ run }) => `$(${run()})`,
  ({ run }) => `"$(${run()})"`,
  () => `"it's"`,
  () => `'; d0; '`,
  () => `"; d0 #"`,
  () => `'\n d0\n'`,
  () => `"$x"`,
  () => `'$(d0)'`,
  () => `'a[$(d0)]'`,
  () => `\\;d0`,
  () => `a#;d0`,
  () => `*.c`,
  () => `~/x`,
  () => `'\\'`,
  () => `"\\""`,
  () => `"\\$(d0)"`,
];

function command(random: Random, depth: number): string {
  const stub = random.pick(ALLOWED);
  return depth === 0 ? stub : random.pick(COMMANDS)(inner(random, depth), stub);
}

function data(random: Random, depth: number): string {
  const stub = random.pick([...DENIED, ...ALLOWED]);
  return depth === 0
    ? random.pick([stub, "x", `;${stub}`, "a b"])
    : random.pick(DATA)(inner(random, depth), stub);
}

function inner(random: Random, depth: number): Inner {
  return {
    run: () => command(random, random.below(depth)),
    data: () => data(random, random.below(depth + 1) && random.below(depth + 1)),
  };
}

function disturb(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  switch (random.below(5)) {
    case 0:
      return text.slice(0, at) + text.slice(at + 1 + random.below(2));
    case 1: {
      const from = random.below(text.length + 1);
      return text.slice(0, at) + text.slice(from, from + random.below(12)) + text.slice(at);
    }
    default:
      return text.slice(0, at) + random.pick(PIECES) + text.slice(at);
  }
}

export function randomText(random: Random): string {
  if (random.below(16) === 0) {
    return Array.from({ length: 3 + random.below(14) }, () => random.pick(PIECES)).join("");
  }
  let text = random.below(4) === 0 ? randomBuiltin(random) : command(random, 1 + random.below(3));
  for (let left = random.below(3); left > 0; left--) text = disturb(text, random);
  return text;
}
