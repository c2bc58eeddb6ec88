import { assertEquals } from "@std/assert";
import { findInteractiveShell } from "../../src/process/shells.ts";

const CASES: readonly [command: string, executable: string, dialect: string | undefined][] = [
  ["bash", "/usr/bin/bash", "bash"],
  ["-bash", "/usr/bin/bash", "bash"],
  ["-zsh", "/usr/bin/zsh", "zsh"],
  ["/bin/zsh-5.9 -f", "/usr/bin/zsh-5.9", "zsh"],
  ["bash --norc --noprofile", "/usr/bin/bash", "bash"],
  ["bash --rcfile /tmp/rc", "/usr/bin/bash", "bash"],
  ["bash --rcfile /tmp/rc -i", "/usr/bin/bash", "bash"],
  ["bash -o vi", "/usr/bin/bash", "bash"],
  ["bash -il", "/usr/bin/bash", "bash"],
  ["bash script.sh", "/usr/bin/bash", undefined],
  ["bash -x script.sh -i", "/usr/bin/bash", undefined],
  ["bash -i script.sh", "/usr/bin/bash", "bash"],
  ["bash -c sleep", "/usr/bin/bash", undefined],
  ["bash -lc sleep", "/usr/bin/bash", undefined],
  ["bash -ic sleep", "/usr/bin/bash", "bash"],
  ["bash -s one two", "/usr/bin/bash", "bash"],
  ["bash -- script.sh", "/usr/bin/bash", undefined],
  ["sh", "/usr/bin/dash", "dash"],
  ["sh", "/usr/bin/bash", "bash"],
  ["-sh", "", "sh"],
  ["sh -c true", "/usr/bin/dash", undefined],
  ["dash -i", "/usr/bin/dash", "dash"],
  ["fish", "/usr/bin/fish", "fish"],
  ["fish --no-config", "/usr/bin/fish", "fish"],
  ["fish -C clear", "/usr/bin/fish", "fish"],
  ["fish -c ls", "/usr/bin/fish", undefined],
  ["fish prompt.fish", "/usr/bin/fish", undefined],
  ["ksh", "/usr/bin/ksh93", "ksh"],
  ["rksh", "", "ksh"],
  ["mksh", "/usr/bin/mksh", "mksh"],
  ["yash --norc", "/usr/bin/yash", "yash"],
  ["posh", "/usr/bin/posh", "posh"],
  ["busybox ash", "/usr/bin/busybox", "ash"],
  ["busybox sh -c ls", "/usr/bin/busybox", undefined],
  ["busybox vi", "/usr/bin/busybox", undefined],
  ["sh", "/bin/busybox", "ash"],
  ["vi notes", "/bin/busybox", undefined],
  ["tcsh -f", "/usr/bin/tcsh", "tcsh"],
  ["-csh", "/usr/bin/bsd-csh", "csh"],
  ["nu", "/usr/bin/nu", "nu"],
  ["nu -e ls", "/usr/bin/nu", "nu"],
  ["nu -c ls", "/usr/bin/nu", undefined],
  ["pwsh -NoLogo", "/opt/microsoft/powershell/7/pwsh", "pwsh"],
  ["pwsh -Command ls", "/opt/microsoft/powershell/7/pwsh", undefined],
  ["pwsh -NoExit -Command ls", "/opt/microsoft/powershell/7/pwsh", "pwsh"],
  ["elvish -norc", "/usr/bin/elvish", "elvish"],
  ["elvish run.elv", "/usr/bin/elvish", undefined],
  ["python3 /usr/bin/xonsh", "/usr/bin/python3.11", "xonsh"],
  ["python3 /usr/bin/xonsh -c ls", "/usr/bin/python3.11", undefined],
  ["python3 -sP /usr/bin/xonsh", "/usr/bin/python3.11", "xonsh"],
  ["xonsh --no-rc", "/usr/bin/python3.11", "xonsh"],
  ["python3 -q", "/usr/bin/python3.11", undefined],
  ["vim bash", "/usr/bin/vim.basic", undefined],
  ["", "", undefined],
  ["", "/usr/bin/bash", undefined],
];

for (const [command, executable, dialect] of CASES) {
  Deno.test(`findInteractiveShell() of "${command}" (${executable || "hidden"}) is ${dialect ?? "none"}`, () => {
    const argv = command.split(" ");
    assertEquals(findInteractiveShell({ argv, ...(executable && { executable }) }), dialect);
  });
}

const FROM_A_PIPE: readonly [command: string, dialect: string | undefined][] = [
  ["bash", undefined],
  ["bash -s -- -i", undefined],
  ["sh -", undefined],
  ["bash -i", "bash"],
  ["bash -is one", "bash"],
  ["pwsh -NoLogo", undefined],
];

for (const [command, dialect] of FROM_A_PIPE) {
  Deno.test(`findInteractiveShell() of "${command}" with a script as its input is ${dialect ?? "none"}`, () => {
    const image = { argv: command.split(" "), readsScript: () => true };
    assertEquals(findInteractiveShell(image), dialect);
  });
}
