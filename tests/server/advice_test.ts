import { assertEquals } from "@std/assert";
import { visibleAdvice } from "../../src/server/advice.ts";

const isHidden = (name: string): boolean => ["list-windows", "list-servers", "exit-copy-mode"].includes(name);

const ADVICE: [given: string, shown: string][] = [
  ["Call list-panes for the ones that exist", "Call list-panes for the ones that exist"],
  [
    "Call create-session to start one, or list-servers for those that run",
    "Call create-session to start one",
  ],
  ["Call list-servers, then create-session", "Call create-session"],
  [
    "Leave it with exit-copy-mode",
    "No tool that this client has helps here: ask the person who runs this server",
  ],
  ["Valid: tiled, or the layout of a window that list-windows shows", "Valid: tiled"],
  ["Give a list-windows-like name", "Give a list-windows-like name"],
];

for (const [given, shown] of ADVICE) {
  Deno.test(`hints name only tools this client has: ${given}`, () => {
    assertEquals(visibleAdvice(given, isHidden), shown);
  });
}
