import { assertEquals } from "@std/assert";
import { findDialect } from "../../src/shell/dialects.ts";

Deno.test("shells are known by their program's name, paths and login dashes aside", () => {
  const known: Record<string, string> = {
    bash: "bash",
    "-bash": "bash",
    "/usr/bin/zsh": "zsh",
    fish: "fish",
    sh: "sh",
    dash: "sh",
    ash: "sh",
    ksh: "ksh",
    mksh: "mksh",
  };
  for (const [name, dialect] of Object.entries(known)) assertEquals(findDialect(name)?.name, dialect);
});

Deno.test("shells without a dialect have none", () => {
  for (const name of ["nu", "pwsh", "elvish", "xonsh", "csh", "tcsh", "vim", ""]) {
    assertEquals(findDialect(name), undefined);
  }
});

Deno.test("what is typed is one constant line, without an exclamation mark or an escape", () => {
  for (const name of ["bash", "zsh", "fish", "sh", "ksh", "mksh"]) {
    const loader = findDialect(name)?.loader ?? "";
    assertEquals(/^ [\x20-\x7e]{40,245}$/.test(loader), true, loader);
    assertEquals(loader.includes("!"), false);
  }
});
