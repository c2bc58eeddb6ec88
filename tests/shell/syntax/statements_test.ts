// Reading a text: its commands, or the reason to refuse it.
import { assert, assertEquals, assertThrows } from "@std/assert";
import { AppError } from "../../../src/errors.ts";
import { parseStatements } from "../../../src/shell/syntax/statements.ts";
import type { ShellKind } from "../../../src/shell/shell_kind.ts";

function sources(text: string, shell: ShellKind = "bash"): string[] {
  return parseStatements(text, shell).map(({ source }) => source);
}

/** Throws, or finds a command that cannot be told. */
function refuses(text: string, shell: ShellKind = "bash"): void {
  assertThrows(
    () => {
      const untold = parseStatements(text, shell).find(({ name, assigns }) =>
        name === undefined || assigns.includes(undefined)
      );
      throw untold === undefined
        ? new Error(`${text} is read`)
        : new AppError("denied", "Cannot read its name");
    },
    AppError,
    "Cannot read",
  );
}

Deno.test("each simple command as it was written", () => {
  assertEquals(sources("A=1 ls >f 2>&1 | wc -l & ! x"), ["A=1 ls >f 2>&1", "wc -l", "x"]);
  assertEquals(sources('echo "$(a "b c")" `d` <(e)'), [
    'a "b c"',
    "d",
    "e",
    'echo "$(a "b c")" `d` <(e)',
  ]);
  assertEquals(sources("{ a; } > f; > g"), ["a", "> f", "> g"]);
  assertEquals(sources("export X=$(a); [[ $(b) ]]"), [
    "a",
    "export X=$(a)",
    "b",
    "[[ $(b) ]]",
  ]);
  assertEquals(sources("cat <<E | b\n$(a)\nE"), ["cat <<E", "b", "a"]);
  assertEquals(sources("«é» $(b)"), ["b", "«é» $(b)"]);
  assertEquals(sources("# nothing"), []);
});

Deno.test("substitutions in every place a shell looks for them", () => {
  const texts = [
    "${x/$(c)/b}",
    "${x/a/$(c)}",
    "${x^$(c)}",
    '"${x:-$(c)}"',
    ">$(c)",
    "2> >(c)",
    "<<<$(c)",
  ];
  for (const text of texts) assert((sources(`echo ${text}`)).includes("c"), text);
  const statements = [
    "declare -a y=($(c))",
    "f() { c; }",
  ];
  for (const text of statements) assert((sources(text)).includes("c"), text);
});

Deno.test("what a shell would evaluate once more is refused", () => {
  const refused = [
    // Arithmetic evaluates what a name stands for, subscripts and their substitutions included.
    "echo $((x))",
    "echo $(($x + 1))",
    "echo $[x]",
    "((x))",
    "let x=y",
    "echo $(( $(c) ))",
    "echo ${x:$(c)}",
    "echo ${x:1:y}",
    "echo ${x[i]}",
    "a[i]=1",
    "a=([i]=1)",
    "x=1; read x; echo $((x))",
    "x=$y; echo $((x))",
    "x=1 c; echo $((x))",
    "false && x=1; echo $((x))",
    "x+=1; echo $((x))",
    "for x in 1 $y; do echo $((x)); done",
    "for x in 1; do c; done; echo $((x))",
    "[[ x -eq 1 ]]",
    "[[ -v $x ]]",
    "for ((i=$(c);;)); do b; done",
    "echo ${!x}",
    "echo >&$x",
    "echo >&'$(c)'",
    // Quotes that some shells do not take as quotes.
    "echo \"${x:-'$(c)'}\"",
    "echo ${x:-\"${y:-'`c`'}\"}",
    "cat <<E\n${x:-'$(c)'}\nE",
    "echo $((1+'$(c)'))",
    "echo ${a['$(c)']}",
    "a['$(c)']=1",
    "declare a[\\$\\(c\\)]=1",
    "for x in $'a[\\x24(c)]'; do d; done",
    "for x in a['$'\"(c)\"]; do d; done",
  ];
  for (const text of refused) refuses(text);
  const read = [
    "x=3; echo $((x * 2 + 0x1f))",
    "n=$#; echo $((n - 1)) $(($? + ${#n}))",
    "for i in 1 2 {3..9}; do echo $((i)); done",
    "echo ${x[0]} ${x[@]} ${x:1:2} ${x: -1} ${x:-a b} ${x%.*} ${x//a/b} ${x^^}",
    "[[ $x == y && -f $z ]]",
    "c >&2 2>&1 <&3 >&-",
  ];
  for (const text of read) assert((sources(text)).length > 0, text);
});

Deno.test("words without quotes, names only where they can be told", () => {
  const first = (text: string): unknown => {
    const { name, words, assigns, inputs } = parseStatements(text, "bash")[0]!;
    return { name, words, assigns, input: inputs.flat() };
  };
  const bare = { assigns: [], input: [] };
  assertEquals(first(`r''m "a b" \\$x`), { name: "rm", words: ["rm", "a b", "$x"], ...bare });
  assertEquals(first("$'\\x72\\155' $'\\n'"), { name: "rm", words: ["rm", "\n"], ...bare });
  assertEquals(first('rm "$x"'), { name: "rm", words: ["rm", undefined], ...bare });
  for (const text of ["$x a", "r* a", "r? a", "{rm,a}", "=rm a", "r\\x6d a", "!'rm' a"]) {
    assertEquals((first(text) as { name: unknown }).name, undefined, text);
  }
  assertEquals(first("A=1 B+=2 read C"), {
    name: "read",
    words: ["read", "C"],
    assigns: ["A", "B", "C"],
    input: [],
  });
  assertEquals(first("bash <<E <<< 'x y'\nrm\nE"), {
    name: "bash",
    words: ["bash"],
    assigns: [],
    input: ["rm", "x y"],
  });
});

Deno.test("what fish would run is refused where it may be the shell", () => {
  for (const text of ["c () { a; }", "a `c`", "cat <<E\nc\nE", "a '\\' '; c #'", "a >| c", "x=(c)"]) {
    refuses(text, "unknown");
  }
});

Deno.test("what cannot be read is refused", () => {
  const texts = [
    "a # \\\nb",
    "a | time -- b",
    "'",
    "a $(",
    ")",
    "}",
    "a\0b",
    "a\rb",
    "a\x1bb",
    "a\u2028b",
    "x".repeat(200_000),
    "(".repeat(50_000),
    ...["echo $(", "( ", "{ ", "if ", "while ", "f() { ", "case x in a) ", "echo ${x:-"].map((open) =>
      open.repeat(9000)
    ),
  ];
  for (const text of texts) refuses(text);
});
