// The tool that talks to an interactive program.
import * as z from "zod";
import { defineTool } from "../tool.ts";
import type { WaitingProgram } from "../watch/handed_over.ts";
import { askPerson } from "./handover.ts";
import { onInput, paneId, timeout } from "./params.ts";
import { handedOver, waiting } from "./shapes.ts";
import { passwordCheck } from "./typing_checks.ts";
import { reportWaiting } from "./waiting_progress.ts";

export const runInRepl = defineTool({
  name: "run-in-repl",
  title: "Run in REPL",
  description:
    "Send a line to an interactive program (python, psql, gdb), wait until it wants more, and return what it printed. " +
    "For longer waits, use send-keys, then watch-pane with background.",
  scope: "agentic",
  groups: ["interactive", "raw-input"],
  effect: "input",
  waits: true,
  readsOn: "Call capture-pane with start and end for what the pane still holds.",
  input: z.strictObject({
    paneId,
    input: z.string().describe("Text to type"),
    promptPattern: z.string().min(1).optional().describe("Regex (RE2) of the prompt"),
    timeout: timeout(10),
    onInput,
    allowShell: z.boolean().default(false).describe("Type even at a shell prompt"),
  }),
  output: z.strictObject({
    paneId: z.string(),
    output: z.string().optional(),
    exited: z.boolean().optional(),
    timedOut: z.boolean().optional(),
    outputTruncated: z.boolean().optional(),
    prompt: z.string().optional(),
    status: z.enum(["waiting"]).optional(),
    waiting: waiting.optional(),
    handedOver: handedOver.optional(),
    hint: z.string().optional(),
  }),
  maxResultSizeChars: 500_000,
  targets: ({ paneId }) => [{ kind: "pane", id: paneId }],
  shellText: ({ input }) => {
    const text = input.replace(/\r?\n$/, "");
    return [{ kind: /[\r\n\t]/.test(text) ? "paste" : "bytes", text }, { kind: "bytes", text: "\r" }];
  },
  async run({ paneId, ...asked }, context) {
    const { tmux, repls, snapshot, signal } = context;
    const handOver = (waiting: WaitingProgram, until: number) =>
      askPerson({ tmux, paneId, waiting, until }, context);
    const mayType = passwordCheck(context);
    using _ = reportWaiting(context, { paneId, total: asked.timeout, message: () => "no prompt yet" });
    return {
      paneId,
      ...await repls.run(tmux, { paneId, ...asked, handOver, snapshot: await snapshot(), mayType, signal }),
    };
  },
});
