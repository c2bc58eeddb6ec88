// All prompts, in the order clients see them.
import { buildDevWorkspace } from "./build_dev_workspace.ts";
import { diagnoseFailingPane } from "./diagnose_failing_pane.ts";
import { interruptGracefully } from "./interrupt_gracefully.ts";
import type { Prompt } from "./prompt.ts";
import { runAndWait } from "./run_and_wait.ts";

export const prompts: readonly Prompt[] = [
  runAndWait,
  diagnoseFailingPane,
  buildDevWorkspace,
  interruptGracefully,
];
