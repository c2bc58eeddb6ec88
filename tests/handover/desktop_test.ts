// The bytes of a desktop notification: which sequence a terminal gets, and that the text can't end it.
import { assertEquals } from "@std/assert";
import { desktopNotification } from "../../src/handover/desktop.ts";

const read = (bytes: Uint8Array | string | undefined): string | undefined =>
  typeof bytes === "object" ? new TextDecoder().decode(bytes) : bytes;
const shown = (
  text: string,
  notify: "auto" | "osc9" | "osc777" | "off",
  terminal = "xterm",
): string | undefined => read(desktopNotification(text, { notify, terminal }));

Deno.test("a desktop notification is OSC 9, and OSC 777 for terminals that take nothing else", () => {
  assertEquals(shown("sudo waits", "auto", "iTerm2 3.5"), shown("sudo waits", "osc9"));
  for (const terminal of ["foot(1.16)", "VTE(7600)", "rxvt"]) {
    assertEquals(shown("sudo waits", "auto", terminal), shown("sudo waits", "osc777"));
  }
  assertEquals(shown("sudo waits", "osc9"), "\x1b]9;tmux: sudo waits\x1b\\");
  assertEquals(shown("sudo waits", "osc777"), "\x1b]777;notify;tmux;sudo waits\x1b\\");
  assertEquals(shown("sudo waits", "off"), undefined);
});

Deno.test("no text of a prompt ends a desktop notification or begins another sequence", () => {
  for (const notify of ["osc9", "osc777"] as const) {
    const bytes = shown("a\x07b\x1b\\c\x9cd\u202e\n", notify) ?? "";
    const body = bytes.slice("\x1b".length, -"\x1b\\".length);
    assertEquals(/[\p{Cc}\p{Bidi_Control}]/u.test(body), false, JSON.stringify(body));
  }
});
