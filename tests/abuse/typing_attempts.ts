// Ways to a denied command through keys, where the filter follows the line that they build up.
import type { Attempt, Call, Stage, Table } from "./stage.ts";

/** Pieces typed one after the other: text as it is, `<Name>` a key by name, `{hex}` bytes, `[text]` a paste, `[[text]]` a marked one. */
const LINES: Readonly<Record<string, readonly string[]>> = {
  "in one piece": ["touch C", "<Enter>"],
  "with its newline": ["touch C\n"],
  "with its return": ["touch C\r"],
  "in pieces": ["to", "uch", " C", "<Enter>"],
  "letter by letter, by name": ["<t o u c h Space>", "C", "<Enter>"],
  "in hexadecimal": ["{746f756368}", " C", "{0d}"],
  "with a line feed in hexadecimal": ["touch C", "{0a}"],
  "after a line that is fine": ["true\ntouch C\n"],
  "after an empty line": ["\n\ntouch C\n"],
  "after a semicolon": ["true;", "touch C", "<Enter>"],
  "C-m": ["touch C", "<C-m>"],
  "C-j": ["touch C", "<C-j>"],
  "KPEnter": ["touch C", "<KPEnter>"],
  "M-Enter": ["touch C", "<M-Enter>"],
  "S-Enter": ["touch C", "<S-Enter>"],
  "C-o, which runs too": ["touch C", "<C-o>"],
  "a pasted command": ["[touch C]", "<Enter>"],
  "a paste with a newline": ["[touch C\n]"],
  "a paste with its own marks": ["\x1b[200~touch C\x1b[201~", "<Enter>"],
  "a paste that is left open, in which C-u is a character": [
    "\x1b[200~touch C #",
    "<C-u>",
    "\x1b[201~",
    "<Enter>",
  ],
  "a newline in a marked paste, which sends nothing": [
    "[[echo 'x'\n]]",
    "<BSpace BSpace>",
    "echo ';touch C #'",
    "<Enter>",
  ],
  "a paste that ends itself": ["[true\x1b[201~\rtouch C\r]"],
  "backspaces": ["toucz", "<BSpace>", "h C", "<Enter>"],
  "C-h, which erases nothing without a line editor": ["echo 'a'", "<C-h>", ";touch C #'", "<Enter>"],
  "erased as a character": ["touchx", "\x7f", " C", "<Enter>"],
  "a line that was cleared": ["true", "<C-u>", "touch C", "<Enter>"],
  "a line that was interrupted": ["true", "<C-c>", "touch C", "<Enter>"],
  "a line that was interrupted, then cleared": ["true", "<C-c>", "<C-u>", "touch C", "<Enter>"],
  "what an interrupt may leave of a line": ["true touch C", "<C-c>", "<Enter>"],
  "arrows": ["ouch C", "<Home>", "t", "<Enter>"],
  "Left": ["ouch", "<Left Left Left Left>", "t", "<Enter>"],
  "word by word": ["touch C", "<M-b>", "<Enter>"],
  "the history, Up": ["<Up>", "<Enter>"],
  "the history, C-p": ["<C-p>", "<Enter>"],
  "the history, C-r": ["<C-r>", "touch", "<Enter>"],
  "the history, M-.": ["tou", "<M-.>", "<Enter>"],
  "!!": ["!!", "<Enter>"],
  "!prefix": ["!touch", "<Enter>"],
  "!?part": ["!?ouch", "<Enter>"],
  "!n": ["!-1", "<Enter>"],
  "!( that is a prefix": ["!(touch)", "<Enter>"],
  "^x^y": ["^true^touch", "<Enter>"],
  "completion": ["tou", "<Tab>", " C", "<Enter>"],
  "completion as a character": ["tou\t C", "<Enter>"],
  "a backslash at the end": ["to\\", "<Enter>", "uch C", "<Enter>"],
  "an open quote": ["to'", "<Enter>"],
  "an open here-document": ["sh <<E", "<Enter>"],
  "quoted in C-v": ["<C-v>", "touch C", "<Enter>"],
  "cut and put back": ["touch C", "<C-w>", "<C-y>", "<Enter>"],
  "an editor": ["<C-x>", "<C-e>"],
  "the end of input": ["<C-d>"],
  "a byte that is no character": ["{c3}", "touch C", "<Enter>"],
  "half a character, then the other half": ["{e2}", "{82}", "{ac}", "touch C", "<Enter>"],
  "a NUL between": ["to\x00uch C", "<Enter>"],
  "an escape between": ["to\x1b[Cuch C", "<Enter>"],
  "a character without width": ["to\u200buch C\u2028touch C", "<Enter>"],
  "a variable that was set": ["PROMPT_COMMAND='touch C'", "<Enter>"],
  "a key by its number": ["<0x74>", "ouch C", "<Enter>"],
  "a key by its caret": ["touch C", "<^M>"],
};

function pressed(piece: string, stage: Stage): Call {
  const paneId = stage.inside;
  const text = piece.replaceAll(/\bC\b(?!-)/g, stage.canary);
  if (/^<.+>$/.test(piece)) return ["send-keys", { paneId, keys: piece.slice(1, -1), literal: false }];
  if (/^\{.+\}$/.test(piece)) return ["send-hex", { paneId, hex: piece.slice(1, -1) }];
  if (/^\[\[[\s\S]+\]\]$/.test(piece)) return ["paste-text", { paneId, text: text.slice(2, -2) }];
  if (/^\[[\s\S]+\]$/.test(piece)) {
    return ["paste-text", { paneId, text: text.slice(1, -1), bracketed: false }];
  }
  return ["send-keys", { paneId, keys: text }];
}

const typed: Attempt[] = Object.entries(LINES).map(([name, pieces]) => ({
  name,
  calls: (stage) => [
    ["send-cancel", { paneId: stage.inside }],
    ...["<C-u>", ...pieces].map((piece) => pressed(piece, stage)),
  ],
}));

const others: Attempt[] = [
  {
    name: "a buffer is not followed",
    calls: ({ inside, canary }) => [
      ["set-buffer", { name: "b", content: `touch ${canary}\n` }],
      ["paste-buffer", { paneId: inside, name: "b" }],
    ],
  },
  {
    name: "Backspace made to send something else",
    calls: () => [["set-option", { option: "backspace", value: "t", scope: "server" }]],
  },
  {
    name: "two panes of which one hides what the other gets",
    calls: ({ inside }) => [
      ["split-pane", { paneId: inside }],
      ["set-synchronize-panes", { windowId: "@0", enabled: true }],
      ["send-keys", { paneId: inside, keys: "true" }],
    ],
  },
  {
    name: "where no shell is at its prompt",
    // The shell inside has had fifty times text and Ctrl-C within a second: bash may be left with text at its prompt.
    calls: ({ outside }) => [
      ["set-synchronize-panes", { windowId: "@0", enabled: false }],
      ["execute-command", { paneId: outside, command: "cat" }],
      ["send-keys", { paneId: outside, keys: "x" }],
    ],
  },
];

export const tracked: Table = {
  policy: "a denylist that follows typing",
  settings: `[security.command_filter]\nmode = "denylist"\npatterns = ["^touch\\\\b"]\nraw_input = "track"`,
  denied: /security\.command_filter/,
  piecemeal: true,
  attempts: [...typed, ...others],
};
