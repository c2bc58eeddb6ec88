// What is found in a text, compared with what real shells run of it.
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { checkComplete, findMissing, parseStatements, type ShellKind } from "../../src/shell/statements.ts";
import { type Execution, prepareExecution, type Shell } from "./execution.ts";
import { Random, randomText } from "./random_text.ts";

async function sources(text: string, shell: ShellKind = "bash"): Promise<string[]> {
  return (await parseStatements(text, shell)).map(({ source }) => source);
}

Deno.test("each simple command as it was written", async () => {
  assertEquals(await sources("A=1 ls >f 2>&1 | wc -l & ! x"), ["A=1 ls >f 2>&1", "wc -l", "x"]);
  assertEquals(await sources('echo "$(a "b c")" `d` <(e)'), [
    'echo "$(a "b c")" `d` <(e)',
    'a "b c"',
    "d",
    "e",
  ]);
  assertEquals(await sources("{ a; } > f; > g"), ["> f", "a", "> g"]);
  assertEquals(await sources("export X=$(a); [[ $(b) ]]; (( 1 ))"), [
    "export X=$(a)",
    "a",
    "[[ $(b) ]]",
    "b",
    "(( 1 ))",
  ]);
  assertEquals(await sources("cat <<E | b\n$(a)\nE"), ["cat <<E", "a", "b"]);
  assertEquals(await sources("«é» $(b)"), ["«é» $(b)", "b"]);
  assertEquals(await sources("# nothing"), []);
});

Deno.test("substitutions in every place a shell looks for them", async () => {
  const texts = [
    "${x/$(c)/b}",
    "${x/a/$(c)}",
    "${x^$(c)}",
    '"${x:-"$(c)"}"',
    ">$(c)",
    "2> >(c)",
    "<<<$(c)",
  ];
  for (const text of texts) assert((await sources(`echo ${text}`)).includes("c"), text);
  const statements = [
    "declare -a y=($(c))",
    "coproc c",
  ];
  for (const text of statements) assert((await sources(text)).includes("c"), text);
});

Deno.test("what a shell would evaluate once more is refused", async () => {
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
    // Quotes that are none to some shells.
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
  for (const text of refused) {
    {
      assertEquals(await sources(text).catch((error) => error instanceof AppError), true, text);
    }
  }
  const read = [
    "x=3; echo $((x * 2 + 0x1f))",
    "n=$#; echo $((n - 1)) $(($? + ${#n}))",
    "for i in 1 2 {3..9}; do echo $((i)); done",
    "for ((i=0; i<3; i++)); do echo $i; done",
    "echo ${x[0]} ${x[@]} ${!x[@]} ${!x@} ${x:1:2} ${x:-'a b'} ${x%.*}",
    "[[ $x == y && -f $z ]]",
    "c >&2 2>&1 >&f <&3 >&-",
  ];
  for (const text of read) assert((await sources(text)).length > 0, text);
});

Deno.test("words without quotes, names only where they can be told", async () => {
  const first = async (text: string): Promise<unknown> => {
    const [{ name, words, assigns, input }] = await parseStatements(text, "bash") as [
      Awaited<ReturnType<typeof parseStatements>>[0],
    ];
    return { name, words, assigns, input };
  };
  const bare = { assigns: [], input: [] };
  assertEquals(await first(`r''m "a b" \\$x`), { name: "rm", words: ["rm", "a b", "$x"], ...bare });
  assertEquals(await first("$'\\x72\\155' $'\\n'"), { name: "rm", words: ["rm", "\n"], ...bare });
  assertEquals(await first('rm "$x"'), { name: "rm", words: ["rm", undefined], ...bare });
  for (const text of ["$x a", "r* a", "r? a", "{rm,a}", "=rm a", "r\\x6d a", "!'rm' a", '$"rm" a']) {
    assertEquals((await first(text) as { name: unknown }).name, undefined, text);
  }
  assertEquals(await first("A=1 B+=2 read C"), {
    name: "read",
    words: ["read", "C"],
    assigns: ["A", "B", "C"],
    input: [],
  });
  assertEquals(await first("bash <<E <<< 'x y'\nrm\nE"), {
    name: "bash",
    words: ["bash"],
    assigns: [],
    input: ["rm\n", "x y"],
  });
});

Deno.test("what cannot be read is refused", async () => {
  const texts = [
    "a # \\\nb",
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
    "echo $(".repeat(900),
  ];
  for (const text of texts) await assertRejects(() => parseStatements(text, "bash"), AppError, "Cannot read");
});

Deno.test("a text that ends too early is incomplete", async () => {
  for (const shell of ["bash", "zsh", "fish", "unknown"] as const) {
    for (const text of ["echo 'a", 'echo "a', "echo $(a", "a |", "a &&", "a ||", "a \\", "a \\\n"]) {
      assertEquals(await checkComplete(text, shell), "incomplete", `${shell} ${text}`);
    }
    for (const text of ["a", "a;", "a &", "a \\\\", "", "a # it's", "a\nb"]) {
      assertEquals(await checkComplete(text, shell), "complete", `${shell} ${text}`);
    }
  }
  assertEquals(await checkComplete("cat <<E", "bash"), "incomplete");
  assertEquals(await checkComplete("if a", "bash"), "incomplete");
  assertEquals(await checkComplete("if [[ a ]] { b }", "zsh"), "unknown");
  assertEquals(await checkComplete("if a; b; end", "fish"), "unknown");
  for (
    const open of [
      "if a",
      "if a; b; else if c; d",
      "while true; begin; end",
      "a; and begin",
      "function f # end",
    ]
  ) {
    assertEquals(await checkComplete(open, "fish"), "incomplete", open);
  }
  for (
    const closed of [
      "if a; else if b; end",
      "echo begin if",
      "echo 'if a'",
      "# if a",
      "begin; a; end | if b; end",
    ]
  ) {
    assertEquals(await checkComplete(closed, "fish") === "incomplete", false, closed);
  }
  assertEquals(await checkComplete("}; a", "bash"), "invalid");
});

/** What a line editor would act on: an earlier line called up, a Tab. */
const EDITED = /![^\s=(]|^\s*\^|\t/m;
const READERS: readonly [ShellKind, readonly Shell[]][] = [
  ["unknown", ["bash", "dash", "zsh", "fish", "ksh"]],
  ["bash", ["bash"]],
  ["zsh", ["zsh"]],
  ["fish", ["fish"]],
  ["sh", ["dash", "ksh"]],
];

/** The names it may run; undefined where the filter would refuse the text. */
async function seen(text: string, kind: ShellKind): Promise<Set<string | undefined> | undefined> {
  const statements = await parseStatements(text, kind).catch(() => undefined);
  const untold = statements?.some(({ name, assigns }) => name === undefined || assigns.includes(undefined));
  if (statements === undefined || untold) return undefined;
  const carriers = ["repeat", "begin", "time", "coproc"];
  return new Set(statements.flatMap(({ name, words }) => carriers.includes(name ?? "") ? words : [name]));
}

async function checkRandom(text: string, execution: Execution): Promise<number> {
  let count = 0;
  for (const [kind, shells] of READERS) {
    const names = await seen(text, kind);
    if (names === undefined) continue;
    for (const shell of shells) {
      for (const how of EDITED.test(text) ? ["argument"] as const : ["argument", "prompt"] as const) {
        const ran = await execution.run(text, shell, how);
        const unseen = [...ran].filter((name) => !names.has(name));
        assertEquals(
          unseen,
          [],
          `${shell} ran what was not seen in ${JSON.stringify(text)} (${how}, as ${kind})`,
        );
        count += ran.size;
      }
    }
  }
  return count;
}

Deno.test("no shell runs a command that was not seen", async () => {
  await using execution = await prepareExecution();
  const random = new Random(20_240_101);
  let ran = 0;
  for (let left = 40; left > 0; left--) ran += await checkRandom(randomText(random), execution);
  assert(ran > 100, `only ${ran} commands ran: the texts prove nothing`);
});

Deno.test("text that ends before what must come lacks something; what zsh alone understands does not", async () => {
  for (
    const text of [
      "if true",
      "for i in 1 2",
      "until false",
      "select x in a",
      "function f",
      "f()",
      "a &&",
      "a |",
    ]
  ) {
    assertMatch(await findMissing(text) ?? "", /must be followed by/, text);
  }
  for (
    const text of [
      "for i in 1 2; echo $i",
      "if [[ a ]] { b }",
      "{ echo a }",
      "repeat 3 a",
      "a; b",
      "echo )",
      "'",
    ]
  ) {
    assertEquals(await findMissing(text), undefined, text);
  }
});
