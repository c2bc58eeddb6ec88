// The tool that draws a pane.
import { resolve } from "@std/path";
import * as z from "zod";
import { AppError } from "../errors.ts";
import { type Content, defineTool, type ToolContext } from "../tool.ts";
import { paneId } from "./params.ts";

type PictureFormat = "png" | "svg" | "html";

const input = z.strictObject({
  paneId,
  theme: z.enum(["dark", "light"]).default("dark").describe("Colors of cells that have none of their own"),
  output: z.enum(["image", "svg", "html", "file", "browser"]).default("image").describe(
    "browser: open it for the person",
  ),
  path: z.string().min(1).optional().describe("With file: .svg, .html, else PNG"),
});

type PictureArguments = z.output<typeof input>;

export const screenshotPane = defineTool({
  name: "screenshot-pane",
  description: "Draw a pane as a picture, with colors and cursor. For text, capture-pane costs less.",
  scope: "both",
  groups: ["capture"],
  effect: "read",
  readsOn: "Call capture-pane for its text, or screenshot-pane with output file if that is available.",
  maxResultSizeChars: 500_000,
  input,
  readOnlyInput: input.omit({ path: true }).extend({
    output: z.enum(["image", "svg", "html"]).default("image").describe(
      "An image, or the text of an SVG or HTML page",
    ),
  }),
  output: "text",
  targets: ({ paneId, path }) => [
    { kind: "pane", id: paneId },
    ...(path === undefined ? [] : [{ kind: "path", path, list: "output", here: true } as const]),
  ],
  effectOf: ({ output }) => output === "file" || output === "browser" ? "change" : "read",
  async run(asked, context) {
    if (asked.path !== undefined && asked.output !== "file" && asked.output !== "browser") {
      throw new AppError("invalid-argument", `Cannot use path with output: ${asked.output}`, {
        hint: "Set output: file to write the picture to path",
      });
    }
    if (asked.output === "browser" && formatOf(asked.path ?? ".html") !== "html") {
      // Desktops run files of some names.
      const what = `Cannot open "${asked.path}" in a browser: expected a .html file`;
      throw new AppError("invalid-argument", what, {
        hint: "Leave out path, or give one that ends in .html",
      });
    }
    switch (asked.output) {
      case "image":
        return await answerImage(asked, context);
      case "svg":
      case "html":
        return [{ type: "text", text: await draw(asked.output, asked, context) as string }];
      case "file":
        return await save(formatOf(asked.path), asked, context);
      case "browser": {
        const path = await save("html", asked, context);
        await context.openInBrowser(path);
        return path;
      }
    }
  },
});

async function answerImage(
  { paneId, theme }: PictureArguments,
  { tmux, pictures }: ToolContext,
): Promise<Content[]> {
  const capture = await tmux.capture.styled(paneId);
  const { png, width, height } = await pictures.png({ capture, theme });
  const { columns, rows } = capture;
  return [
    { type: "image", data: png.toBase64(), mimeType: "image/png" },
    { type: "text", text: `Pane ${paneId}: ${columns}x${rows} cells, ${width}x${height} pixels` },
  ];
}

async function draw(
  format: PictureFormat,
  { paneId, theme }: PictureArguments,
  { tmux, pictures }: ToolContext,
): Promise<Uint8Array | string> {
  const request = { capture: await tmux.capture.styled(paneId), theme };
  if (format === "png") return (await pictures.png(request)).png;
  return format === "svg" ? await pictures.svg(request) : await pictures.html(request, `Pane ${paneId}`);
}

async function save(format: PictureFormat, asked: PictureArguments, context: ToolContext): Promise<string> {
  const { files } = context;
  const content = await draw(format, asked, context);
  const path = asked.path === undefined
    ? await files.newPath(`pane-${asked.paneId.slice(1)}`, format)
    : resolve(asked.path);
  await files.write(path, format, content);
  return path;
}

function formatOf(path: string | undefined): PictureFormat {
  const extension = /\.(svg|html)$/i.exec(path ?? "")?.[1]?.toLowerCase();
  return (extension as PictureFormat | undefined) ?? "png";
}
