// The commands other than serving: their arguments and help.
import { MODES, STANDARD_TRIGGERS, TRIGGERS } from "../vocabulary.ts";

/** A flag of one command. */
export interface CommandFlag {
  /** True if it stands alone: `--write`, `--no-write`. */
  readonly toggle: boolean;
  /** The word for its value in help; empty for a toggle. */
  readonly placeholder: string;
  /** The possible values, if they are few. */
  readonly values?: readonly string[];
  readonly help: string;
}

export interface CommandRow {
  readonly summary: string;
  /** The one word it takes, where it takes one. */
  readonly argument?: { readonly placeholder: string; readonly values?: readonly string[] };
  readonly flags: Readonly<Record<string, CommandFlag>>;
  /** Paragraphs. */
  readonly text: readonly string[];
  readonly exits: readonly string[];
  readonly examples: readonly string[];
}

export const COMPLETION_SHELLS = ["bash", "zsh", "fish"] as const;
export const INIT_CLIENTS = [
  "claude-code",
  "claude-desktop",
  "codex",
  "gemini",
  "cursor",
  "windsurf",
  "vscode",
  "copilot",
  "zed",
  "opencode",
  "amp",
  "antigravity",
  "cline",
  "goose",
  "jetbrains",
  "kiro",
  "qwen",
] as const;

const WRONG_SETTING = "2  a flag, key or value is wrong";

export const COMMANDS = {
  doctor: {
    summary: "Check this machine, and print a fix for whatever does not work",
    flags: {},
    text: [
      "Looks at tmux and its version, the tmux server, Deno's permissions, the C library, the rights to look at processes, " +
      "shells, ssh, terminal and locale, and the configuration of your clients. Finally, it starts a private tmux, runs a " +
      "program that asks for input, and checks that a watch reports it.",
      "Each line begins with works, partly or fails; a fix follows what does not work.",
    ],
    exits: ["0  the server can work here", "1  it cannot", WRONG_SETTING],
    examples: ["tmux-mcp doctor", "tmux-mcp doctor --socket work"],
  },
  config: {
    summary: "Print the configuration in force and where each value was set",
    flags: {
      schema: { toggle: true, placeholder: "", help: "Print the JSON Schema of the configuration file" },
    },
    text: ["The text is TOML that can be used as a configuration file. It hides the text of literal masks."],
    exits: ["0  done", WRONG_SETTING],
    examples: ["tmux-mcp config --scope all", "tmux-mcp config --schema >tmux-mcp.schema.json"],
  },
  init: {
    summary: "Print the entry that makes a client start this program, or add it",
    argument: { placeholder: "CLIENT", values: INIT_CLIENTS },
    flags: {
      write: {
        toggle: true,
        placeholder: "",
        help: "Add the entry to the client's own configuration; a copy of what was there is kept beside it",
      },
      force: {
        toggle: true,
        placeholder: "",
        help:
          "With --write or --remove: also where the tmux entry starts something else or has other options",
      },
      remove: {
        toggle: true,
        placeholder: "",
        help:
          "Take the entry out of the client's own configuration; a copy of what was there is kept beside it",
      },
    },
    text: [
      "Extra options are stored in the entry. Other entries and comments stay. A file that cannot be parsed, or whose " +
      "tmux entry starts something else, is left as it is.",
    ],
    exits: [
      "0  printed, added, removed, or nothing to do",
      "1  it could not be written",
      "2  not understood: left as it was",
    ],
    examples: [
      "tmux-mcp init claude-code",
      "tmux-mcp init codex --write --safety=readonly",
      "tmux-mcp init codex --write --force --safety=mutating",
      "tmux-mcp init codex --remove",
    ],
  },
  watch: {
    summary: "Wait for an event in a pane and print it as one line of JSON",
    argument: { placeholder: "PANE" },
    flags: {
      triggers: {
        toggle: false,
        placeholder: "LIST",
        help: `What to wait for, with commas between: ${TRIGGERS} (RE2) (default ${STANDARD_TRIGGERS})`,
      },
      timeout: { toggle: false, placeholder: "SECONDS", help: "Seconds to wait (default 50)" },
      mode: {
        toggle: false,
        placeholder: MODES.join("|"),
        values: MODES,
        help: "Print progress too, as often as this mode reports it",
      },
      host: { toggle: false, placeholder: "NAME", help: "The machine the pane is on" },
    },
    text: ["PANE is an id such as %3. The event is what the tool watch-events would return."],
    exits: ["0  an event came", "1  none came in time, or it was interrupted", "2  it could not watch"],
    examples: [
      "tmux-mcp watch %3 --triggers 'pattern:listening on \\d+,exit' --timeout 600",
      "tmux-mcp watch %3 --triggers shell --timeout 900 && notify-send 'build is over'",
    ],
  },
  clean: {
    summary: "Remove the records of commands and watches that are kept on disk",
    flags: {},
    text: [
      "Records of what still runs under a live server stay: that server needs them. Panes and programs are not touched.",
    ],
    exits: ["0  done, or nothing to do", "1  the folder could not be read", WRONG_SETTING],
    examples: ["tmux-mcp clean", "tmux-mcp clean --durable-path /srv/records"],
  },
  completions: {
    summary: "Print a script with which a shell completes commands, options and values",
    argument: { placeholder: "SHELL", values: COMPLETION_SHELLS },
    flags: {},
    text: ["Load it at a shell's start, as the examples do for bash, zsh and fish."],
    exits: ["0  done", WRONG_SETTING],
    examples: [
      `echo 'source <(tmux-mcp completions bash)' >>~/.bashrc`,
      `echo 'source <(tmux-mcp completions zsh)' >>~/.zshrc    (after compinit)`,
      "tmux-mcp completions fish >~/.config/fish/completions/tmux-mcp.fish",
    ],
  },
} as const satisfies Record<string, CommandRow>;

export type CommandName = keyof typeof COMMANDS;

export const COMMAND_NAMES = Object.keys(COMMANDS) as readonly CommandName[];

export function isCommandName(word: string | undefined): word is CommandName {
  return (COMMAND_NAMES as readonly (string | undefined)[]).includes(word);
}

/** The row of a command, as any command has it. */
export function commandRow(name: CommandName): CommandRow {
  return COMMANDS[name];
}
