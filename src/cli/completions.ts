// `tmux-mcp completions SHELL`: prints the script that lets a shell complete this program's commands and flags.
import type { CompletionsCommand } from "../config.ts";
import { bashScript } from "./completions/bash.ts";
import { fishScript } from "./completions/fish.ts";
import { zshScript } from "./completions/zsh.ts";
import type { Invocation } from "./invocation.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

export function runCompletions({ print }: Invocation, { shell }: CompletionsCommand): number {
  print(SCRIPTS[shell]());
  return 0;
}
