// Which setting takes which tool away, for every tool there is and every setting.
import { assert, assertEquals } from "@std/assert";
import { GROUPS, type Tool } from "../../src/tool.ts";
import { tools } from "../../src/tools/all.ts";
import { groupsOf } from "../../src/policy/switches.ts";
import { detailQuoting } from "../../src/line_details.ts";
import { withoutContents } from "../../src/policy/redaction.ts";
import type { PolicySettings } from "../../src/policy/types.ts";
import { findRemoval } from "../../src/policy/visibility.ts";
import { policyWith, tool } from "./fixture.ts";

const SWITCHES: [keyof PolicySettings, string, Tool["groups"]][] = [
  ["allowExecuteCommand", "security.allow_execute_command = false", ["execute"]],
  ["allowSendKeys", "security.allow_send_keys = false", ["raw-input", "interactive", "special-keys"]],
  ["allowKill", "security.allow_kill = false", ["kill"]],
  ["allowCreate", "security.allow_create = false", ["create"]],
  ["allowSplit", "security.allow_split = false", ["split"]],
  ["allowRename", "security.allow_rename = false", ["rename"]],
  ["allowMove", "security.allow_move = false", ["move"]],
  ["allowCapture", "security.allow_capture = false", ["capture", "buffer-read", "buffer-write"]],
  ["allowList", "security.allow_list = false", ["list"]],
];

Deno.test("each switch closes its groups and no other", () => {
  for (const [name, setting, groups] of SWITCHES) {
    const policy = policyWith({ scope: "all", [name]: false });
    for (const group of GROUPS) {
      const removed = findRemoval(tool("some-tool", { groups: [group] }), policy.settings);
      assertEquals(removed, groups.includes(group) ? setting : undefined, `${name} ${group}`);
    }
  }
  const capture = policyWith({ allowCapture: false });
  assertEquals(
    findRemoval(tool("wait-for-text", { groups: ["wait"] }), capture.settings),
    "security.allow_capture = false",
  );
});

Deno.test("apply-workspace is closed with each thing that it does", () => {
  const applyWorkspace = tools.find(({ name }) => name === "apply-workspace")!;
  for (const name of ["allowCreate", "allowSplit", "allowExecuteCommand"]) {
    const [, setting] = SWITCHES.find(([each]) => each === name)!;
    assertEquals(findRemoval(applyWorkspace, policyWith({ scope: "all", [name]: false }).settings), setting);
  }
});

Deno.test("[security.tools] takes names and groups away, or leaves only them", () => {
  const denying = policyWith({ tools: { mode: "deny", items: ["kill-pane", "@raw-input"] } });
  const keys = tool("send-keys", { groups: ["interactive"] });
  assertEquals(findRemoval(tool("kill-pane"), denying.settings), "security.tools denies kill-pane");
  assertEquals(findRemoval(keys, denying.settings), "security.tools denies @raw-input");
  assertEquals(findRemoval(tool("list-panes"), denying.settings), undefined);
  const allowing = policyWith({ tools: { mode: "allow", items: ["@read", "send-keys"] } });
  assertEquals(findRemoval(tool("list-panes"), allowing.settings), undefined);
  assertEquals(findRemoval(keys, allowing.settings), undefined);
  const create = tool("create-session", { effect: "change" });
  assertEquals(findRemoval(create, allowing.settings), "security.tools allows only @read, send-keys");
  assertEquals(
    findRemoval(create, policyWith({ tools: { mode: "deny", items: ["@all"] } }).settings),
    "security.tools denies @all",
  );
  assertEquals(
    findRemoval(create, policyWith({ tools: { mode: "allow", items: [] } }).settings),
    "security.tools allows only nothing",
  );
});

Deno.test("scope and tier name themselves", () => {
  const workflow = tool("watch-pane", { scope: "agentic" });
  const { scope: _, ...primitive } = tool("move-window", { effect: "change" });
  assertEquals(findRemoval(primitive, policyWith().settings), "--scope agentic");
  assertEquals(findRemoval(workflow, policyWith({ scope: "primitives" }).settings), "--scope primitives");
  const all = policyWith({ scope: "all", safety: "readonly" });
  assertEquals(findRemoval(primitive, all.settings), "--safety readonly");
  assertEquals(findRemoval(workflow, all.settings), undefined);
  assertEquals(findRemoval(tool("kill-pane", { effect: "destroy" }), policyWith().settings), undefined);
});

/** They show something to a person, which none of the groups is about. */
const IN_NO_GROUP = ["display-message", "write-to-display"];

Deno.test("every tool there is stands in a group that a setting can name", () => {
  for (const each of tools) {
    assert(
      groupsOf(each).size > 1 || IN_NO_GROUP.includes(each.name),
      `${each.name} is in no group but @all`,
    );
    const policy = policyWith({ scope: "all", tools: { mode: "allow", items: [] } });
    assert(findRemoval(each, policy.settings) !== undefined, each.name);
  }
});

Deno.test("what came out of a pane is taken out of results, however deep", () => {
  const result = {
    paneId: "%1",
    output: "secret",
    events: [{ output: "secret", lines: ["secret"], matchedLines: [] }],
  };
  assertEquals(withoutContents(result), { paneId: "%1", events: [{}] });
  const cursors = { cursor: "0f3a9c21-4", events: [{ cursor: "%1:A42W0S3g" }] };
  assertEquals(withoutContents(cursors), { cursor: "0f3a9c21-4", events: [{}] });
  assertEquals(withoutContents({ output: "1:x", matches: 3, nextOffset: 2, outputTruncated: true }), {});
});

Deno.test("no detail of an event on a line quotes the line, whatever it begins with", () => {
  const shown = (event: string, detail: string) => withoutContents({ event, detail });
  for (const event of ["error", "pattern:se.*t"]) {
    assertEquals(shown(event, detailQuoting("Seen at dawn", "secret: 5")), { event, detail: "Seen at dawn" });
    assertEquals(shown(event, "secret"), { event, detail: "" });
  }
  const shell = { event: "shell", detail: "bash was already at its prompt: no program runs there" };
  assertEquals(withoutContents(shell), shell);
});
