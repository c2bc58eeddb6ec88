// Ways to a command that the filter denies: spellings of it, and roads to a shell.
import type { Attempt, Call, Stage, Table } from "./stage.ts";

/** Shell text that makes the canary, written so that a filter might not see it; `C` is the canary. */
const SPELLINGS = [
  "touch C",
  "true; touch C",
  "true && touch C",
  "false || touch C",
  "true | touch C",
  "true & touch C",
  "true\ntouch C",
  "echo $(touch C)",
  "echo `touch C`",
  'echo "$(touch C)"',
  "cat <(touch C)",
  "(touch C)",
  "{ touch C; }",
  "! touch C",
  "if true; then touch C; fi",
  "for i in 1; do touch C; done",
  "case x in x) touch C;; esac",
  "f() { touch C; }; f",
  "cat <<E\n$(touch C)\nE",
  "cat <<< $(touch C)",
  "echo ${x:-$(touch C)}",
  "echo \"${x:-'$(touch C)'}\"",
  "cat <<E\n${x:-'`touch C`'}\nE",
  "echo $((1+'$(touch C)'))",
  "echo ${a['$(touch C)']}",
  "for x in $'a[\\x24(touch${IFS}C)]'; do echo $((x)); done",
  "for x in 'a['; do for y in '$(touch C)]'; do echo $(($x$y)); done; done",
  "x='$(touch C)'; echo >&$x",
  "echo >&'$(touch C)'",
  "declare -a x='($(touch C))'",
  "for x in 'a[$'; do read \"$x(touch C)]\" </dev/null; done",
  "x='$(touch C)'; echo ${x@P}",
  "/bin/touch C",
  "to\\uch C",
  "'to'uch C",
  'to""uch C',
  "$'\\x74ouch' C",
  "t?uch C",
  "/bin/t[o]uch C",
  "{touch,C}",
  "${x:-touch} C",
  "x=touch; $x C",
  'set -- touch C; "$@"',
  "A=1 touch C",
  ">x touch C",
  "to\\\nuch C",
  "env touch C",
  "env -S'touch C'",
  "command touch C",
  "builtin command touch C",
  "exec touch C",
  "nohup touch C",
  "timeout 5 touch C",
  "busybox touch C",
  "echo C | xargs touch",
  "echo touch C | xargs env",
  "echo 'touch C' | xargs -I{} sh -c {}",
  "find . -maxdepth 0 -exec touch C ;",
  "sh -c 'touch C'",
  "sh -c 'to''uch C'",
  "bash <<< 'touch C'",
  "bash <<E\ntouch C\nE",
  "echo touch C | sh",
  "echo dG91Y2ggQwo= | base64 -d | sh",
  "printf '\\164ouch C' | bash -s",
  ". /dev/stdin <<< 'touch C'",
  "source <(echo touch C)",
  "eval touch C",
  "eval 'to''uch' C",
  "trap 'touch C' EXIT",
  "trap 'touch C' DEBUG",
  "alias q='touch C'",
  "alias q=touch",
  "hash -p /bin/touch q",
  "mapfile -C 'touch C' -c 1 x <<< a",
  "compgen -C 'touch C'",
  "coproc touch C",
  "PROMPT_COMMAND='touch C'",
  "PS1='$(touch C)'",
  "export 'PROMPT_COMMAND=touch C'",
  'for v in PROMPT_COMMAND; do export "$v=touch C"; done',
  "printf -v PROMPT_COMMAND 'touch C'",
  "BASH_ENV=x bash -c true",
  "PATH=/tmp:$PATH",
  "bind -x '\"q\":touch C'",
  "history -s touch C",
  "fc -s touch",
  "script -qc'touch C' /dev/null",
  "awk x | { sh; }",
  "su <<< 'touch C'",
  "printf 'to%s C' uch | su root",
  "printf 'to%s C' uch | sudo -s",
  "printf 'to%s C' uch | nice sg root",
  "newgrp root <<< 'touch C'",
  "unshare -m <<E\ntouch C\nE",
  "printf 'to%s C\\nexit\\n' uch | script -q /dev/null",
  "setarch -R <<< 'touch C'",
  "printf 'to%s C' uch > >(sh)",
  "cat > >(sh) <<< 'touch C'",
  "exec <<< 'touch C'",
  'echo "hi"#;touch C',
  "echo $x#;touch C",
  'echo "$\\\n(touch C)"',
  "echo ${x:-$\\\n(touch C)}",
  "cat <<E\n$\\\n(touch C)\nE",
  "cat <<E\\\nE\ntouch C\nEE",
  "cat <<'é'\ntouch C\né",
  'echo `echo "`touch C`"`',
  "echo $(cat <<E\nE\ntouch C)",
  "echo $~x; $=x touch C",
  "touch: touch C",
  "for x in 'a[$' ; do declare -i y=\"$x(touch C)]\"; done",
  "{ sh; } <<E\ntouch C\nE",
  "sh < <(echo touch C)",
  "f() { sh; }; echo touch C | f",
  "while sh; do break; done <<< 'touch C'",
  "eval t\\\\ouch C",
  "command {touch,C}",
  "env /bin/t[o]uch C",
  "time -- touch C",
  "echo touch | xargs -Iz z C",
  "setpriv touch C",
  "prlimit touch C",
  "ssh-agent touch C",
  "sg root 'touch C'",
  "command export PROMPT_COMMAND='touch C'",
  "bash <(echo touch C)",
  "git -c alias.z='!touch C' z",
  "touch\tC",
  "\u00a0touch C",
  "true\rtouch C",
  "touch C #\0",
  "echo 'open",
];

function spelled(text: string): Attempt {
  return {
    name: `execute-command ${JSON.stringify(text)}`,
    calls: (
      { inside, canary },
    ) => [["execute-command", { paneId: inside, command: put(text, canary), timeout: 5 }]],
  };
}

/** The canary's path in the place of `C`. */
function put(text: string, canary: string): string {
  return text.replaceAll(/\bC\b/g, canary);
}

type Named = (stage: Stage) => readonly Call[];

function attempts(table: Readonly<Record<string, Named>>): Attempt[] {
  return Object.entries(table).map(([name, calls]) => ({ name, calls }));
}

const special = "enter tab escape backspace up down left right page-up page-down home end cancel eof".split(
  " ",
);
const VARIABLES = [
  "PATH",
  "BASH_ENV",
  "ENV",
  "PROMPT_COMMAND",
  "PS1",
  "LD_PRELOAD",
  "LD_LIBRARY_PATH",
  "histchars",
  "SHELLOPTS",
  "GIT_SSH_COMMAND",
  "EDITOR",
  "NODE_OPTIONS",
  "PYTHONPATH",
  "TAR_OPTIONS",
  "KUBECONFIG",
  "DOTNET_STARTUP_HOOKS",
];

/** Options that tmux runs, or that make a key send something else. */
const OPTIONS: Readonly<Record<string, string>> = {
  "default-command": "touch C",
  "default-client-command": "run-shell 'touch C'",
  "default-shell": "/bin/touch",
  "lock-command": "touch C",
  "editor": "touch",
  "copy-command": "touch C",
  "status-right": "#(touch C)",
  "status-left": "#{E:@x}",
  "status-format[0]": "#{T:@x}",
  "window-status-format": "#%p(touch C)",
  "pane-border-format": "#{%EpE:@x}",
  "set-titles-string": "#{=9;E:@x}",
  "@mine": "#(touch C)",
  "@resurrect-hook-post-save-all": "touch C",
  "command-alias[99]": "list-panes=run-shell 'touch C'",
  "user-keys": "x",
  "update-environment": "LD_PRELOAD",
  "backspace": "t",
  "extended-keys": "always",
  "after-new-window": "run-shell 'touch C'",
};

const ROADS = attempts({
  "execute-command as it is typed": (
    { inside, canary },
  ) => [["execute-command", { paneId: inside, command: `touch ${canary}`, rawMode: true }]],
  "execute-command without Enter": (
    { inside, canary },
  ) => [["execute-command", { paneId: inside, command: `touch ${canary}`, noEnter: true }]],
  "execute-command in a subshell": (
    { inside, canary },
  ) => [["execute-command", { paneId: inside, command: `touch ${canary}`, subshell: true }]],
  "execute-command that names another shell": (
    { inside, canary },
  ) => [["execute-command", { paneId: inside, command: `touch ${canary}`, shell: "fish" }]],
  "start-and-watch in a pane": (
    { inside, canary },
  ) => [["start-and-watch", { paneId: inside, command: `true;touch ${canary}`, timeout: 5 }]],
  "start-and-watch in a session of its own": (
    { canary },
  ) => [["start-and-watch", { command: `touch ${canary}`, timeout: 5 }]],
  "send-keys as text": ({ inside }) => [["send-keys", { paneId: inside, keys: "touch" }]],
  "send-keys by name": ({ inside }) => [["send-keys", { paneId: inside, keys: "Enter", literal: false }]],
  "send-keys so much that it is not spelled out": (
    { inside },
  ) => [["send-keys", { paneId: inside, keys: "x".repeat(1000), repeat: 10_000 }]],
  "send-hex": ({ inside }) => [["send-hex", { paneId: inside, hex: "746f7563680d" }]],
  "paste-text": (
    { inside, canary },
  ) => [["paste-text", { paneId: inside, text: `touch ${canary}`, enter: true }]],
  "a buffer filled in pieces, then pasted": ({ inside, canary }) => [
    ["set-buffer", { name: "b", content: "tou" }],
    ["append-buffer", { name: "b", content: `ch ${canary}\n` }],
    ["paste-buffer", { paneId: inside, name: "b", bracketed: false }],
  ],
  "a buffer out of a file, then pasted": ({ inside, world }) => [
    ["load-buffer", { name: "c", path: `${world.folder}/config.toml` }],
    ["paste-buffer", { paneId: inside, name: "c" }],
  ],
  "run-in-repl": ({ inside, canary }) => [["run-in-repl", { paneId: inside, input: `touch ${canary}` }]],
  "create-session with a command": (
    { canary },
  ) => [["create-session", { name: "n", command: `touch ${canary}` }]],
  "create-window with a command": (
    { canary },
  ) => [["create-window", { sessionId: "in", command: `touch ${canary}` }]],
  "split-pane with a command": (
    { inside, canary },
  ) => [["split-pane", { paneId: inside, command: `exec touch ${canary}` }]],
  "split-pane with a command in fish's words": (
    { inside, canary },
  ) => [["split-pane", { paneId: inside, command: `echo (touch ${canary})` }]],
  "respawn-pane with a command": ({ inside, canary }) => [
    ["split-pane", { paneId: inside }],
    ["respawn-pane", { paneId: inside, command: `touch ${canary}` }],
  ],
  ...Object.fromEntries(
    special.map((
      key,
    ) => [`send-${key}`, ({ inside }: Stage) => [[`send-${key}`, { paneId: inside }] as const]]),
  ),
  ...Object.fromEntries(VARIABLES.flatMap((name): [string, Named][] => [
    [`set-environment ${name}`, () => [["set-environment", { name, value: "x" }]]],
    [
      `set-environment ${name} of a session`,
      () => [["set-environment", { name, value: "x", sessionId: "in" }]],
    ],
    [
      `split-pane with ${name}`,
      ({ inside }) => [["split-pane", { paneId: inside, environment: { [name]: "x" } }]],
    ],
    [
      `create-session with ${name}`,
      () => [["create-session", { name: "v", environment: { OK: "1", [name]: "x" } }]],
    ],
    [
      `create-window with ${name}`,
      () => [["create-window", { sessionId: "in", environment: { [name]: "x" } }]],
    ],
  ])),
});

const OPTION_ATTEMPTS: Attempt[] = Object.entries(OPTIONS).flatMap(([option, value]) =>
  [{ global: true }, { scope: "server" }, { target: "in" }].map((place) => ({
    name: `set-option ${option} ${JSON.stringify(place)}`,
    calls: ({ canary }: Stage) => [["set-option", { option, value: put(value, canary), ...place }] as const],
    ...(option.startsWith("after-") ? { denied: /would outlive|security\.command_filter/ } : {}),
  }))
);

export const denylist: Table = {
  policy: "a denylist that refuses typing",
  settings:
    `[security.command_filter]\nmode = "denylist"\npatterns = ["^touch\\\\b"]\n[server]\nsafety = "destructive"`,
  denied: /security\.command_filter/,
  attempts: [...SPELLINGS.map(spelled), ...ROADS, ...OPTION_ATTEMPTS],
};

/** One command with one argument: whatever gets it to run more is a bypass. */
export const strict: Table = {
  policy: "an allowlist of one command",
  settings: `[security.command_filter]\nmode = "allowlist"\npatterns = ['^echo "[a-z ]*"$']`,
  denied: /security\.command_filter/,
  attempts: [
    'echo "hi"#;touch C',
    'echo "hi"\\\n#;touch C',
    'echo "hi";touch C',
    'echo "hi" >C',
    'echo "hi"\ntouch C',
    'echo "hi" # it\ntouch C',
    'echo "hi" "$(touch C)"',
    'echo "hi" $(touch C)',
    'echo "hi"; echo "x"#\ntouch C',
    'echo() { touch C; }; echo "hi"',
    'alias echo="touch C"; echo "hi"',
    'PATH=. echo "hi"',
    'x=y echo "hi"',
    'echo "hi"&&touch C',
    'echo "hi"|touch C',
    'echo "hi"&touch C',
    '(touch C) echo "hi"',
    'echo "hi" <(touch C)',
    'time touch C; echo "hi"',
    'echo "hi" || touch C',
    'if echo "hi"; then touch C; fi',
    '[[ $(touch C) ]] && echo "hi"',
    'case x in x) touch C;; esac; echo "hi"',
  ].map(spelled),
};

/** Spellings that look like an `echo` or an assignment to a filter that only reads the beginning. */
const ECHOES = SPELLINGS.filter((text) => /^(?:echo|true|for|cat)\b/.test(text));

export const allowlist: Table = {
  policy: "an allowlist of echo, true and cat",
  settings: `[security.command_filter]\nmode = "allowlist"\npatterns = ["^(?:echo|true|cat)\\\\b"]`,
  denied: /security\.command_filter/,
  attempts: [
    ...ECHOES,
    "echo=1 touch C",
    "echo+=1 touch C",
    "echo= true=x touch C",
    "echo=1 >x touch C",
    "echo=1 true; true=1 touch C",
    "cat''man C",
    "true\\x C",
  ].map(spelled),
};
