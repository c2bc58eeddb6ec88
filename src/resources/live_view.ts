// The page of open-live-view: one HTML text that contains xterm.js, so that it loads nothing.
import { type Theme, THEMES } from "../terminal/pictures/theme.ts";
import { VERSION } from "../version.ts";
import { APP_TYPE, type Resource } from "./resource.ts";

const ANSI = "black red green yellow blue magenta cyan white".split(" ");

export const liveView: Resource = {
  name: "resource-live-view",
  title: "Live view",
  description: "The page that clients render for open-live-view",
  uri: "ui://tmux-mcp/pane",
  mimeType: APP_TYPE,
  groups: ["capture"],
  changes: "nothing",
  page: { prefersBorder: true },
  targets: () => [],
  read: assemble,
};

async function assemble(): Promise<string> {
  const [skeleton, host, typing, pane, terminal, widths, style] = await Promise.all([
    text(import("../../views/pane.html", { with: { type: "text" } })),
    text(import("../../views/host.js", { with: { type: "text" } })),
    text(import("../../views/typing.js", { with: { type: "text" } })),
    text(import("../../views/pane.js", { with: { type: "text" } })),
    text(import("@xterm/xterm/lib/xterm.js", { with: { type: "text" } })),
    text(import("@xterm/addon-unicode11/lib/addon-unicode11.js", { with: { type: "text" } })),
    text(import("@xterm/xterm/css/xterm.css", { with: { type: "text" } })),
  ]);
  const settings = { version: VERSION, themes: { dark: colours(THEMES.dark), light: colours(THEMES.light) } };
  const parts: Readonly<Record<string, string>> = {
    "xterm.css": style,
    "xterm.js": withoutMap(terminal),
    "unicode11.js": withoutMap(widths),
    "settings": JSON.stringify(settings),
    // A frame that loads nothing can't import, so each module follows those that it imports.
    "pane.js": [host, typing, pane].join("\n").replace(/^import .* from "\.\/\w+\.js";$/gm, ""),
  };
  return skeleton.replace(/\/\* \{\{([\w.]+)\}\} \*\//g, (_, name) => parts[name]!);
}

/** A theme in the form of xterm.js. */
function colours({ foreground, background, cursor, palette }: Theme): Record<string, string> {
  const named = palette.map((colour, index) => {
    const name = ANSI[index % ANSI.length]!;
    const bright = `bright${name[0]!.toUpperCase()}${name.slice(1)}`;
    return [index < ANSI.length ? name : bright, colour];
  });
  return { foreground, background, cursor, cursorAccent: background, ...Object.fromEntries(named) };
}

/** The script without the name of its source map, which isn't available. */
function withoutMap(script: string): string {
  return script.replace(/\/\/# sourceMappingURL=.*\s*$/, "");
}

/** Content of a file imported as text, whatever type TypeScript gives it. */
async function text(file: Promise<{ default?: unknown }>): Promise<string> {
  return String((await file).default);
}
