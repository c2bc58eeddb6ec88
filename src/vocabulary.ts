// The words that callers use for watches and shells, on every front end.

/** Triggers that consist of one word. */
export const PLAIN_TRIGGERS = ["exit", "shell", "user_input", "error", "bell"] as const;

const FORMS = ["port[:NUMBER]", "idle:SECONDS", "pattern:REGEX"];
/** All triggers, as callers see them. */
export const TRIGGERS: string = [...PLAIN_TRIGGERS, ...FORMS].join(", ");

/** Default triggers of a watch. */
export const STANDARD_TRIGGERS = "exit,user_input,error";

/** Paces of a watch's progress reports. */
export const MODES = ["quick", "medium", "slow", "line", "bunch", "screen"] as const;

export type Mode = typeof MODES[number];

/** Shells that can run commands, as callers name them. */
export const SHELLS = ["bash", "zsh", "fish", "sh", "dash", "ash", "ksh", "mksh", "yash"] as const;
