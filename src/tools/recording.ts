// The tool that records a pane.
import { resolve } from "@std/path";
import * as z from "zod";
import { defineTool } from "../tool.ts";
import { paneId } from "./params.ts";

export const recordPane = defineTool({
  name: "record-pane",
  description: "Record what a pane shows, with timing, into an asciicast v2 file that any player opens. " +
    "The recording lasts until action stop, or until the pane is gone. " +
    "Use pipe-pane for the plain output, screenshot-pane for one picture.",
  groups: ["capture"],
  effect: "change",
  input: z.strictObject({
    paneId,
    action: z.enum(["start", "stop"]).describe("Start or end the recording"),
    outputPath: z.string().min(1).optional().describe("File to write; omitted: the server chooses one"),
  }),
  output: z.strictObject({
    paneId: z.string(),
    outputPath: z.string(),
    recording: z.boolean(),
    bytes: z.int().optional(),
  }),
  targets: ({ paneId, action, outputPath }) => [
    { kind: "pane", id: paneId, kept: action === "stop" },
    ...(outputPath === undefined
      ? []
      : [{ kind: "path", path: outputPath, list: "output", here: true } as const]),
  ],
  async run({ paneId, action, outputPath }, { tmux, recordings, files }) {
    const given = outputPath === undefined ? undefined : resolve(outputPath);
    if (action === "stop") {
      const { path, bytes } = await recordings.stop(tmux, paneId, given);
      return { paneId, outputPath: path, recording: false, bytes };
    }
    const path = given ?? await files.newPath(`pane-${paneId.slice(1)}`, "cast");
    await recordings.start(tmux, paneId, path);
    return { paneId, outputPath: path, recording: true };
  },
});
