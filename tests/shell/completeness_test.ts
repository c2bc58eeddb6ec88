// Each shell's view of a text: whole, or not.
import { assertEquals, assertMatch } from "@std/assert";
import { checkComplete, endsBash, findMissingEnd } from "../../src/shell/completeness.ts";

Deno.test("text that would end bash 5.0 is known before it is typed", async () => {
  for (
    const text of ["echo \\", "true\necho a \\\n", "cat <<E", "cat <<-'E'\nE x", "echo ${x", "echo ${x:-${y}"]
  ) {
    assertEquals(await endsBash(text), true, text);
  }
  const whole = [
    ...["true # a \\", "echo \\\\", "cat <<E\nx\nE", "cat <<-E\n\tE", "cat <<<word", "echo $((1<<2))"],
    ...["echo ${x}", "echo '${x'", "echo 'a <<b'", "(echo", "echo $("],
  ];
  for (const text of whole) assertEquals(await endsBash(text), false, text);
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

Deno.test("an open here-document is incomplete, however its delimiter is quoted", async () => {
  for (
    const text of ["cat <<E\na", "cat <<'E'\na", "cat <<\\E\na", "cat <<-'E'\n\ta\n E", "a=$(cat <<'E'\na\n)"]
  ) {
    assertEquals(await checkComplete(text, "bash"), "incomplete", text);
  }
  assertEquals(await checkComplete("cat <<'E'\na\nE", "bash"), "complete");
});

Deno.test("text that more lines would not complete is invalid", async () => {
  for (
    const text of [
      "echo >",
      "echo 2> ",
      "cat <<<",
      "cat <<",
      "coproc",
      "[[ -f",
      "[[ a ==",
      "[[ -f ]] && echo",
      "[[ $x = ]]; echo ä",
      "echo ä\nif [[ -z ]]; then",
      "a=[[:x:]]; [[ -z\t]]",
    ]
  ) {
    assertEquals(await checkComplete(text, "bash"), "invalid", text);
  }
  for (const text of ["[[ a ]] && [[ b == c", "[[ a == b]]", "[[ a &&", "echo ]]; [[ b == c"]) {
    assertEquals(await checkComplete(text, "bash"), "incomplete", text);
  }
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
    assertMatch(await findMissingEnd(text) ?? "", /must be followed by/, text);
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
    assertEquals(await findMissingEnd(text), undefined, text);
  }
});
