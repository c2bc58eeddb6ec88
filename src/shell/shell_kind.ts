// The shells that the command filter distinguishes.

/** The shell that will read the text; `sh` stands for dash, ash and ksh. */
export type ShellKind = "bash" | "zsh" | "fish" | "sh" | "unknown";

/** The kind of a shell, by its program's name. */
export function shellKind(program: string | undefined): ShellKind {
  if (program === "bash" || program === "zsh" || program === "fish") return program;
  return program !== undefined && /^(?:sh|dash|ash|ksh|mksh)$/.test(program) ? "sh" : "unknown";
}

/** True for a shell of another syntax, to which text that all of these kinds read alike may mean something else. */
export function hasOtherSyntax(program: string): boolean {
  return /^(?:(?:bsd-)?csh|tcsh|nu|pwsh|powershell|elvish|xonsh|ysh|rc|es)$/.test(program);
}
