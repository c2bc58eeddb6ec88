import { assertEquals } from "@std/assert";
import { didYouMean, findNearest } from "../src/nearest.ts";

const ARGUMENTS = ["paneId", "command", "timeout", "maxLines", "maxBytes", "shell", "rawMode"];
const TOOLS = ["list-sessions", "list-panes", "capture-pane", "capture-since", "send-keys"];

Deno.test("a slip of the hand finds the word that was meant", () => {
  assertEquals(findNearest("comand", ARGUMENTS), ["command"]);
  assertEquals(findNearest("comamnd", ARGUMENTS), ["command"]);
  assertEquals(findNearest("list-sesions", TOOLS), ["list-sessions"]);
  assertEquals(findNearest("list_panes", TOOLS), ["list-panes"]);
  assertEquals(findNearest("pane_id", ARGUMENTS), ["paneId"]);
});

Deno.test("a part of a word finds it, or a word with more, or the few that share it", () => {
  assertEquals(findNearest("pane", ARGUMENTS), ["paneId"]);
  assertEquals(findNearest("timeoutSeconds", ARGUMENTS), ["timeout"]);
  assertEquals(findNearest("lines", ARGUMENTS), ["maxLines"]);
  assertEquals(findNearest("capture", TOOLS), ["capture-pane", "capture-since"]);
  assertEquals(findNearest("max", ARGUMENTS), ["maxLines", "maxBytes"]);
  const keys = ["security.allow_kill", "security.allow_execute_command", "security.allow_split"];
  assertEquals(findNearest("security.allow_exec", keys), ["security.allow_execute_command"]);
});

Deno.test("what resembles nothing finds nothing", () => {
  assertEquals(findNearest("colour", ARGUMENTS), []);
  assertEquals(findNearest("id", ARGUMENTS), []);
  assertEquals(findNearest("", ARGUMENTS), []);
  assertEquals(didYouMean("colour", ARGUMENTS), "");
  assertEquals(didYouMean("pane", ARGUMENTS), "Did you mean paneId? ");
  assertEquals(didYouMean("max", ARGUMENTS), "Did you mean maxLines or maxBytes? ");
});
