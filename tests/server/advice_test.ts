import { assertEquals } from "@std/assert";
import { visibleAdvice, visibleDescription } from "../../src/server/advice.ts";

const HIDDEN = ["list-servers", "exit-copy-mode", "capture-since", "list-windows"];
const removedBy = (name: string) => HIDDEN.includes(name) ? "--scope agentic" : undefined;

const ADVICE: [given: string, shown: string][] = [
  ["Call list-panes for the ones that exist", "Call list-panes for the ones that exist"],
  [
    "Call create-session to start one, or list-servers for those that run",
    "Call create-session to start one",
  ],
  ["Call list-servers, then create-session", "Call create-session"],
  [
    "Leave it with exit-copy-mode",
    "Ask the person to do this by hand: --scope agentic removes the tool for it",
  ],
  ["Call list-windows for the ones that exist", "Call list-panes for the ones that exist"],
  ["Give a list-windows-like name", "Give a list-windows-like name"],
];

for (const [given, shown] of ADVICE) {
  Deno.test(`hints name only tools this client has: ${given}`, () => {
    assertEquals(visibleAdvice(given, removedBy), shown);
  });
}

const DESCRIPTIONS: [given: string, shown: string][] = [
  ["Read a pane. Use capture-pane to look.", "Read a pane. Use capture-pane to look."],
  ["Read a pane. Use capture-since for what is new.", "Read a pane."],
  [
    "Read a pane. Use capture-since for what is new, execute-command to run one.",
    "Read a pane. Use execute-command to run one.",
  ],
  ["Return at once; read the result with capture-since", "Return at once"],
  ["From capture-since", ""],
];

for (const [given, shown] of DESCRIPTIONS) {
  Deno.test(`descriptions name only tools this client has: ${given}`, () => {
    assertEquals(visibleDescription(given, removedBy), shown);
  });
}
