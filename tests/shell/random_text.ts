// Shell text made at random: whole commands put together, and pieces of syntax thrown in.
import { STUBS } from "./execution.ts";

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
  ...STUBS, " ", " ", " ", ";", "; ", "|", "&", "&&", "||", "\n", "\n", "(", ")", "$(", ")", "`", "'", "'", '"', '"', "\\", "$'",
  "#", " #", "{ ", " }", "; }", "<(", "<<E\n", "\nE\n", "<<<", "> f", " 2>&1", "&> f ", "&>f ", "|& ", "$((", "))", "((", "[[ ",
  " ]]", "${x:-", "}", "${", "x=", "a=(", "if ", "; then ", "; fi", "while ", "; do ", "; done", "for i in ", "case a in a) ",
  ";; esac", "! ", "time ", "f() ", "function f ", "end", "begin ", "\\\n", "\\'", '\\"', "*(", "repeat 1 ", "=", "[", "]", "$x",
  "\"${x:-'", "'}\"", "${x/", "$(( '", "' ))", "a[", "]=1", ">&", "${!", "<&", "$[", "for x in ", "\\$\\(", "\\)", "declare ", "let ",
  "*", "~", "^", "@", "%", "!", "\t", "echo ", "true;", "false||", "esac", "&!", "&|", ":", "-", "{", "}", "{c0,c1}",
];

type Shape = (inner: () => string, stub: string) => string;

const SHAPES: readonly Shape[] = [
  (inner) => `${inner()}; ${inner()}`,
  (inner) => `${inner()} && ${inner()}`,
  (inner) => `${inner()} | ${inner()}`,
  (inner) => `${inner()} & ${inner()}`,
  (inner) => `${inner()}\n${inner()}`,
  (inner) => `(${inner()})`,
  (inner) => `{ ${inner()}; }`,
  (inner) => `! ${inner()}`,
  (inner, stub) => `${stub} $(${inner()})`,
  (inner, stub) => `${stub} "$(${inner()})"`,
  (inner, stub) => `${stub} \`${inner()}\``,
  (inner, stub) => `${stub} <(${inner()})`,
  (inner, stub) => `x=$(${inner()}) ${stub}`,
  (inner) => `if ${inner()}; then ${inner()}; else ${inner()}; fi`,
  (inner) => `while ${inner()}; do ${inner()}; break; done`,
  (inner) => `for i in $(${inner()}) b; do ${inner()}; done`,
  (inner) => `case $(${inner()}) in *) ${inner()};; esac`,
  (inner) => `f() { ${inner()}; }; f`,
  (inner) => `cat <<E\n$(${inner()})\nE\n${inner()}`,
  (inner) => `echo \${x:-$(${inner()})}`,
  (inner) => `echo $(( $(${inner()}; echo 1) + 1 ))`,
  (inner) => `echo "\${x:-'$(${inner()})'}"`,
  (inner) => `echo "\${x:-"\`${inner()}\`"}"`,
  (inner) => `cat <<E\n\${x:-'$(${inner()})'}\nE`,
  (inner) => `echo $((1+'$(${inner()})'))`,
  (inner) => `echo \${a['$(${inner()})']}`,
  (inner) => `for x in 'a['; do for y in '$(${inner()})]'; do echo $(($x$y)); done; done`,
  (inner) => `for x in a['$'"(${inner()})"]; do [[ $x -eq 1 ]]; done`,
  (inner) => `x='$(${inner()})'; echo >&$x`,
  (inner) => `echo >&'$(${inner()})'`,
  (inner) => `declare -a x='($(${inner()}))'`,
  (inner) => `x='a['; y='$(${inner()})]'; read "$x$y" </dev/null`,
  (inner) => `echo '${inner()}'`,
  (inner) => `echo "${inner().replaceAll('"', "")}"`,
  (inner) => `${inner()} # ${inner()}`,
];

function command(random: Random, depth: number): string {
  const stub = random.pick(STUBS);
  return depth === 0 ? stub : random.pick(SHAPES)(() => command(random, random.below(depth)), stub);
}

function disturb(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  const cut = random.below(3) === 0 ? 1 + random.below(2) : 0;
  return text.slice(0, at) + (cut > 0 ? "" : random.pick(PIECES)) + text.slice(at + cut);
}

export function randomText(random: Random): string {
  if (random.below(3) === 0) {
    return Array.from({ length: 3 + random.below(14) }, () => random.pick(PIECES)).join("");
  }
  let text = command(random, 1 + random.below(3));
  for (let left = random.below(4); left > 0; left--) text = disturb(text, random);
  return text;
}
