// Users other than this one who can change the configuration file, and a filter that is off.
import { assertEquals } from "@std/assert";
import type { Invocation } from "../../../src/cli/invocation.ts";
import { checkSettings, findOtherWriter } from "../../../src/cli/checks/settings.ts";

const ACCOUNTS = {
  passwd:
    "root:x:0:0::/root:/bin/sh\nme:x:1000:1000::/home/me:/bin/sh\nyou:x:1001:1001::/home/you:/bin/sh\n" +
    "her:x:1002:100::/home/her:/bin/sh\nhim:x:1003:100::/home/him:/bin/sh\n",
  group: "root:x:0:\nusers:x:100:\nme:x:1000:\nyou:x:1001:me\nstaff:x:50:you\n",
};
const ME = 1000;

const CASES: [
  what: string,
  found: { mode: number; uid?: number; gid?: number; isDirectory?: true },
  uid: number,
  who?: string,
][] = [
  ["a file of this user alone", { mode: 0o600 }, ME],
  ["one that all can read", { mode: 0o644 }, ME],
  ["one that root gave to all readers", { mode: 0o644, uid: 0, gid: 0 }, ME],
  ["one that every user can change", { mode: 0o666 }, ME, "every user"],
  ["a folder whose files belong to their owners", { mode: 0o1777, isDirectory: true }, ME],
  ["a file with a folder's bit", { mode: 0o1666 }, ME, "every user"],
  ["one that a user's own group can change", { mode: 0o664 }, ME],
  [
    "one that a user's own group with a member can change",
    { mode: 0o664, uid: 1001, gid: 1001 },
    1001,
    "the group you",
  ],
  [
    "one that a group of several users can change",
    { mode: 0o664, uid: 1002, gid: 100 },
    1002,
    "the group users",
  ],
  ["one that a group with a member can change", { mode: 0o664, gid: 50 }, ME, "the group staff"],
  ["one that an unknown group can change", { mode: 0o664, gid: 77 }, ME, "the group 77"],
  ["one that root's group can change", { mode: 0o664, uid: 0, gid: 0 }, ME],
  ["another user's", { mode: 0o600, uid: 1001 }, ME, "the user you"],
  [
    "another user's folder, in which files belong to their owners",
    { mode: 0o1755, uid: 1001, isDirectory: true },
    ME,
    "the user you",
  ],
  ["another user's, for root", { mode: 0o644, uid: 1000 }, 0, "the user me"],
];

for (const [what, { uid: owner = ME, gid = ME, isDirectory = false, mode }, uid, who] of CASES) {
  Deno.test(`who can change ${what}`, () => {
    const writer = findOtherWriter({ mode, uid: owner, gid, isDirectory }, { uid, accounts: ACCOUNTS });
    assertEquals(writer?.who, who);
  });
}

Deno.test("without a known user, only modes are judged", () => {
  const found = { uid: 1001, gid: 1001, isDirectory: false };
  const rules = { uid: undefined, accounts: ACCOUNTS };
  assertEquals(findOtherWriter({ ...found, mode: 0o600 }, rules), undefined);
  assertEquals(findOtherWriter({ ...found, mode: 0o602 }, rules)?.who, "every user");
});

Deno.test("doctor tells of a command filter with patterns that is off", async () => {
  const find = async (filterMode: string, filterPatterns: string[]) => {
    const options = { mask: [], filterMode, filterPatterns };
    const invocation = { config: { options }, variable: () => undefined } as unknown as Invocation;
    const findings = await Array.fromAsync(checkSettings(invocation, undefined));
    return findings.map(({ name, verdict }) => `${name}: ${verdict}`);
  };
  assertEquals(await find("off", ["^ls$"]), ["command filter: partly"]);
  assertEquals(await find("allowlist", ["^ls$"]), []);
  assertEquals(await find("off", []), []);
});
