// A screen as a self-contained HTML page.
import type { Screen } from "../screen.ts";
import { stretchesOf, type StyledStretch } from "./stretch.ts";
import { escapeXml } from "./svg.ts";
import type { Theme } from "./theme.ts";

/** Returns a page that shows the screen as selectable text, without scripts or requests. */
export function writeHtml(screen: Screen, theme: Theme, title: string): string {
  const rows = screen.rows.map((_, row) =>
    stretchesOf(screen, row, theme).map((s) => writeStretch(s, theme)).join("")
  );
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeXml(title)}</title>
<style>
body { margin: 0; padding: 12px; background: ${theme.background}; color: ${theme.foreground}; }
pre { margin: 0; font: 15px/1.2 "DejaVu Sans Mono", Menlo, Consolas, "Liberation Mono", monospace; }
.w { display: inline-block; width: 2ch; overflow: hidden; vertical-align: bottom; }
</style>
</head>
<body>
<pre>${rows.join("\n")}</pre>
</body>
</html>
`;
}

function writeStretch(stretch: StyledStretch, theme: Theme): string {
  const text = stretch.cells.map((cell) =>
    cell.width === 2 ? `<span class="w">${escapeXml(cell.text)}</span>` : escapeXml(cell.text)
  ).join("");
  const style = styleOf(stretch, theme);
  return style === "" ? text : `<span style="${style}">${text}</span>`;
}

function styleOf({ foreground, background, style }: StyledStretch, theme: Theme): string {
  const lines = [
    style.underline && "underline",
    style.strikethrough && "line-through",
    style.overline && "overline",
  ]
    .filter((line) => line !== false);
  return [
    foreground !== theme.foreground && `color:${foreground}`,
    background !== theme.background && `background:${background}`,
    style.bold && "font-weight:bold",
    style.italic && "font-style:italic",
    lines.length > 0 && `text-decoration:${lines.join(" ")}`,
  ].filter((declaration) => declaration !== false).join(";");
}
