// Tools that type into a pane.
import * as z from "zod";
import { byteLength } from "../bytes.ts";
import { AppError } from "../errors.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { defineTool } from "../tool.ts";
import { bracketed, paneId, repeat } from "./params.ts";
import { typed, typedAnswer } from "./shapes.ts";
import { checkLines, passwordCheck } from "./typing_checks.ts";

/** Longer text, counted with its repetitions, is opaque to the command filter, and its lines are not measured. */
const MAX_JUDGED_CHARS = 4_000_000;

export const sendKeys = defineTool({
  name: "send-keys",
  description: "Type text into a pane exactly as given, or press named keys with literal: false. " +
    "Use execute-command for shell commands.",
  scope: "both",
  groups: ["interactive", "raw-input"],
  effect: "input",
  input: z.strictObject({
    paneId,
    keys: z.string().describe("Text, or key names: C-c Up Enter"),
    literal: z.boolean().default(true).describe("Type as text, not as key names"),
    enter: z.boolean().default(false).describe("Then press Enter"),
    repeat,
    delayMs: z.int().min(0).max(10_000).optional().describe("Pause between keys"),
  }),
  output: typed,
  targets: ({ paneId }) => [{ kind: "pane", id: paneId }],
  shellText: ({ keys, literal, enter, repeat }) => {
    if (keys.length * repeat > MAX_JUDGED_CHARS) return [{ kind: "opaque", text: keys }];
    return literal
      ? [{ kind: "bytes", text: keys.repeat(repeat) + (enter ? "\r" : "") }]
      : [{ kind: "keys", text: `${keys} `.repeat(repeat) + (enter ? "Enter" : "") }];
  },
  async run({ paneId, keys, literal, ...asked }, context) {
    const { tmux, signal } = context;
    const snapshot = await context.snapshot();
    const keyMode = snapshot.panes.find((pane) => pane.paneId === paneId)?.keyMode ?? "";
    const typing = literal
      ? { text: keys }
      : { keys: tmux.input.parseKeys(keys, { version: snapshot.version, keyMode }) };
    if (literal && keys.length * asked.repeat <= MAX_JUDGED_CHARS) {
      await checkLines(paneId, keys.repeat(asked.repeat), context);
    }
    const how = { ...asked, snapshot, mayType: passwordCheck(context), signal };
    const alsoTyped = await tmux.input.type(paneId, typing, how);
    return { ...typedAnswer(paneId, alsoTyped), ...(literal ? hintAbout(keys, asked.enter, tmux) : {}) };
  },
});

/** Returns how to press keys that were typed as text, as in `tmux send-keys "ls" Enter`. */
function hintAbout(text: string, enter: boolean, tmux: Tmux): { hint?: string } {
  if (tmux.input.looksLikeKeys(text)) {
    return { hint: `"${text}" was typed as text; literal: false presses the keys of that name` };
  }
  const last = enter ? undefined : /\s(?:Enter|C-m)$|\\[nr]$/.exec(text.slice(-8))?.[0].trim();
  return last === undefined ? {} : { hint: `"${last}" was typed as text; enter: true presses Enter instead` };
}

export const sendHex = defineTool({
  name: "send-hex",
  title: "Send bytes",
  description: "Send hexadecimal bytes to the program in a pane. Use send-keys for text and named keys.",
  groups: ["interactive", "raw-input"],
  effect: "input",
  input: z.strictObject({
    paneId,
    hex: z.string().refine((hex) => bytesOf(hex).length > 0, "expected pairs of hexadecimal digits").describe(
      "Bytes such as 1b 5b 41, spaces optional",
    ),
  }),
  output: typed,
  targets: ({ paneId }) => [{ kind: "pane", id: paneId }],
  shellText: ({ hex }) => [{ kind: "bytes", text: new TextDecoder().decode(bytesOf(hex)) }],
  async run({ paneId, hex }, { tmux, snapshot }) {
    return typedAnswer(paneId, await tmux.input.bytes(paneId, bytesOf(hex), await snapshot()));
  },
});

export const pasteText = defineTool({
  name: "paste-text",
  description:
    "Paste text into a pane as a terminal would: as a bracketed paste if the program asked for that. " +
    "Use send-keys to type it key by key.",
  groups: ["interactive", "raw-input"],
  effect: "input",
  input: z.strictObject({
    paneId,
    text: z.string().describe("Text to paste"),
    bracketed,
    enter: z.boolean().default(false).describe("Press Enter afterwards"),
  }),
  output: z.strictObject({ paneId: z.string(), bytes: z.int(), hint: z.string().optional() }),
  targets: ({ paneId }) => [{ kind: "pane", id: paneId }],
  shellText: ({ text, bracketed, enter }) => [
    { kind: bracketed ? "paste" : "bytes", text },
    ...(enter ? [{ kind: "bytes", text: "\r" } as const] : []),
  ],
  async run({ paneId, text, bracketed, enter }, context) {
    if (bracketed && text.includes("\x1b[201~")) {
      throw new AppError("invalid-argument", "Cannot paste text that contains the end mark of a paste", {
        hint: "Remove ESC [201~ from it, or set bracketed: false",
      });
    }
    await checkLines(paneId, text, context);
    const { tmux, snapshot } = context;
    await tmux.input.paste(paneId, text, { snapshot: await snapshot(), bracketed, enter });
    return { paneId, bytes: byteLength(text) };
  },
});

/** Bytes of pairs of digits with blanks between pairs; none for other text. Their number would overflow one regex. */
function bytesOf(hex: string): Uint8Array {
  const none = new Uint8Array();
  if (hex.matchAll(/\S+/g).some(([run]) => run.length % 2 === 1)) return none;
  try {
    return Uint8Array.fromHex(hex.replace(/\s+/g, ""));
  } catch {
    return none;
  }
}
