// The words that callers write for watches, on every front end.

/** Triggers that are one word. */
export const PLAIN_TRIGGERS = ["exit", "shell", "user_input", "error", "bell"] as const;

/** Every trigger, as callers are told of them. */
export const TRIGGERS: string = [...PLAIN_TRIGGERS, "idle:SECONDS", "pattern:REGEX"].join(", ");

/** What a watch waits for unless it is told. */
export const STANDARD_TRIGGERS = "exit,user_input,error";

/** How often a watch tells of its progress. */
export const MODES = ["quick", "medium", "slow", "line", "bunch", "screen"] as const;

export type Mode = typeof MODES[number];
