// Parameters that many tools take.
import * as z from "zod";
import { ID_PATTERNS } from "../ids.ts";
import { SHELLS } from "../vocabulary.ts";

export const paneId: z.ZodString = z.string().regex(ID_PATTERNS.pane, "expected a pane id such as %5")
  .describe("Such as %5");

export const windowId: z.ZodString = z.string().regex(ID_PATTERNS.window, "expected a window id such as @3")
  .describe("Such as @3");

export const sessionId: z.ZodString = z.string().min(1, "expected a session id or name").describe(
  "Such as $1, or its exact name",
);

export const windowIndex = z.int().min(0).describe("Window index in sessionId");

export const startDirectory: z.ZodString = z.string().min(1).describe("Working directory");

export const command: z.ZodString = z.string().min(1).describe("Shell command to run instead of a shell");

export const shell = z.enum(SHELLS).describe("The pane's shell, if ssh or docker hides it");

export const variableName: z.ZodString = z.string().regex(
  /^[A-Za-z_][A-Za-z0-9_]*$/,
  "expected a variable name",
);

export const environment: z.ZodRecord<z.ZodString, z.ZodString> = z.record(variableName, z.string()).describe(
  "Environment variables to add",
);

export const direction = z.enum(["vertical", "horizontal", "above", "below", "left", "right"])
  .default("vertical").describe("vertical: below; horizontal: right");

export const percent = z.int().min(1).max(99).describe("Percent for the new pane");

export const cells = z.int().min(1).max(10000);

export const repeat = z.int().min(0).max(10000).default(1).describe("Number of times");
export const count: z.ZodInt = z.int().min(0, "expected 0 or more");

export const bracketed = z.boolean().default(true).describe(
  "Send it as a bracketed paste if the program asked for that",
);

export const onInput = z.enum(["return", "wait", "person"]).default("return").describe(
  "When the program waits for input: return, wait for the program's end, or have a person answer",
);

/** `seconds`: the default. */
export function timeout(seconds: number): z.ZodDefault<z.ZodNumber> {
  return z.number().min(0).default(seconds).describe("Maximum seconds to wait");
}

/** `onInput` of read-only tools: asking a person would show something. */
export const onInputUnasked = z.enum(["return", "wait"]).default("return").describe(
  "When the program waits for input: return, or wait for the program's end",
);
