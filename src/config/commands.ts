// The commands other than serving: their arguments and help.
import { MODES, STANDARD_TRIGGERS, TRIGGERS } from "../vocabulary.ts";

export interface CommandFlag {
  /** Placeholder for the value in help; empty for a flag that takes none: `--write`, `--no-write`. */
  readonly placeholder: string;
  /** The possible values, if they are few. */
  readonly values?: readonly string[];
  readonly help: string;
}

export interface CommandRow {
  readonly summary: string;
  /** The single argument, if the command takes one. */
  readonly argument?: { readonly placeholder: string; readonly values?: readonly string[] };
  readonly flags: Readonly<Record<string, CommandFlag>>;
  /** Paragraphs of the help text. */
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

const COMMANDS = {
  doctor: {
    summary: "Check this machine, and print a fix for whatever does not work",
    flags: {},
    text: [
      "Checks tmux and its version, the tmux server, Deno's permissions, the C library, the rights to inspect processes, " +
      "shells, ssh, terminal and locale, and the configuration files of the server and your clients. Finally, it starts a " +
      "private tmux, runs a program that asks for input, and checks that a watch reports it.",
      "Each line begins with works, partly or fails, and is followed by a fix if there is one.",
    ],
    exits: ["0  the server can work here", "1  it can't", WRONG_SETTING],
    examples: ["tmux-mcp doctor", "tmux-mcp doctor --socket work"],
  },
  config: {
    summary: "Print the current configuration and where each value was set",
    flags: {
      schema: { placeholder: "", help: "Print the JSON Schema of the configuration file" },
    },
    text: ["The output is TOML that can be used as a configuration file. Literal masks are hidden."],
    exits: ["0  done", WRONG_SETTING],
    examples: ["tmux-mcp config --scope all", "tmux-mcp config --schema >tmux-mcp.schema.json"],
  },
  init: {
    summary: "Print the entry that makes a client start this program, or add it",
    argument: { placeholder: "CLIENT", values: INIT_CLIENTS },
    flags: {
      write: {
        placeholder: "",
        help:
          "Add the entry to the client's own configuration; the previous file is kept as a copy beside it",
      },
      force: {
        placeholder: "",
        help:
          "With --write or --remove: change the tmux entry even if it starts something else or has other options",
      },
      remove: {
        placeholder: "",
        help:
          "Remove the entry from the client's own configuration; the previous file is kept as a copy beside it",
      },
    },
    text: [
      "Extra options are stored in the entry. Other entries and comments stay. A file that can't be parsed, or whose " +
      "tmux entry starts something else, isn't changed.",
    ],
    exits: [
      "0  printed, added, removed, or nothing to do",
      "1  the file could not be written",
      "2  the file could not be parsed, and was not changed",
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
        placeholder: "LIST",
        help: `Triggers to wait for, separated by commas: ${TRIGGERS} (RE2) (default ${STANDARD_TRIGGERS})`,
      },
      timeout: { placeholder: "SECONDS", help: "Seconds to wait (default 50)" },
      mode: {
        placeholder: MODES.join("|"),
        values: MODES,
        help: "Also print progress, as often as this mode reports it",
      },
      host: { placeholder: "NAME", help: "The machine the pane is on" },
    },
    text: ["PANE is an id such as %3. The event is what the tool watch-events would return."],
    exits: ["0  an event came", "1  none came in time, or it was interrupted", "2  it could not watch"],
    examples: [
      "tmux-mcp watch %3 --triggers 'pattern:listening on \\d+,exit' --timeout 600",
      "tmux-mcp watch %3 --triggers shell --timeout 900 && notify-send 'build is over'",
    ],
  },
  clean: {
    summary: "Remove the records of commands and watches on disk",
    flags: {},
    text: ["Records that a running server still needs stay. Panes and programs aren't touched."],
    exits: ["0  done, or nothing to do", "1  the folder could not be read", WRONG_SETTING],
    examples: ["tmux-mcp clean", "tmux-mcp clean --durable-path /srv/records"],
  },
  completions: {
    summary: "Print a script that lets a shell complete commands, options and values",
    argument: { placeholder: "SHELL", values: COMPLETION_SHELLS },
    flags: {},
    text: ["Load the script when your shell starts, as the examples do for bash, zsh and fish."],
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

/** The row of a command, as the general type. */
export function commandRow(name: CommandName): CommandRow {
  return COMMANDS[name];
}
