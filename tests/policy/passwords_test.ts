// Typing where a program waits for a password, or a person answers it.
import { assertEquals } from "@std/assert";
import { decide } from "../../src/policy/decide.ts";
import { sendKeys } from "../../src/tools/input.ts";
import { executeCommand } from "../../src/tools/commands.ts";
import { pipePane } from "../../src/tools/panes.ts";
import { call, outcome, policyWith } from "./fixture.ts";

const KEYS = { paneId: "%1", keys: "x", literal: true, enter: false, repeat: 1 };
const RUN = { paneId: "%1", command: "true" };

Deno.test("type_passwords = false denies whatever types while a password is asked for", async () => {
  const policy = policyWith({ typePasswords: false });
  for (const [tool, args] of [[sendKeys, KEYS], [executeCommand, RUN]] as const) {
    assertEquals(await outcome(policy, call(tool, args)), "allowed");
    assertEquals(
      (await outcome(policy, call(tool, args, { password: "%1" }))).includes(
        "security.type_passwords = false",
      ),
      true,
    );
  }
});

Deno.test("what is typed reaches synchronized panes, so a password asked for there counts", async () => {
  const policy = policyWith({ typePasswords: false });
  const asked = call(sendKeys, { ...KEYS, paneId: "%6" }, { password: "%7" });
  assertEquals((await outcome(policy, asked)).includes('pane "%7"'), true);
});

Deno.test("where passwords may be typed the caller gets a hint, for what it types", async () => {
  const policy = policyWith();
  const hints = async (...asked: Parameters<typeof call>) => (await decide(call(...asked), policy)).hints;
  assertEquals((await hints(sendKeys, KEYS, { password: "%1" })).length, 1);
  assertEquals((await hints(sendKeys, KEYS, { password: "%2" })).length, 0);
  assertEquals((await hints(executeCommand, RUN, { password: "%1" })).length, 0);
  assertEquals((await hints(pipePane, { paneId: "%1", outputPath: null }, { password: "%1" })).length, 0);
});
