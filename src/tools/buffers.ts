// Tools on paste buffers.
import * as z from "zod";
import { characterAfter, characterAt } from "../bytes.ts";
import { defineTool, type Target, type TextPart } from "../tool.ts";
import { bracketed, paneId } from "./params.ts";

const bufferName = z.string().min(1).describe("Buffer name");
const sized = z.strictObject({ name: z.string(), size: z.int() });
const filed = z.strictObject({ name: z.string(), path: z.string(), size: z.int() });

export const listBuffers = defineTool({
  name: "list-buffers",
  description: "List the paste buffers, newest first, without their contents. Use show-buffer to read one.",
  groups: ["list", "buffer-read"],
  effect: "read",
  readsOn: "Call show-buffer or search-buffer for their contents.",
  input: z.strictObject({}),
  output: z.strictObject({
    buffers: z.array(
      z.strictObject({ name: z.string(), size: z.int(), created: z.int(), orderIndex: z.int() }),
    ),
  }),
  targets: () => [],
  async run(_args, { tmux, sees }) {
    const buffers = await tmux.buffers.list();
    const seen = await Promise.all(buffers.map(({ name }) => sees.buffer(name)));
    const inScope = buffers.filter((_, at) => seen[at]);
    return { buffers: inScope.map((buffer, orderIndex) => ({ ...buffer, orderIndex })) };
  },
});

export const showBuffer = defineTool({
  name: "show-buffer",
  description: "Read part of a paste buffer. Use search-buffer to find the part that matters.",
  groups: ["buffer-read"],
  effect: "read",
  maxResultSizeChars: 500_000,
  input: z.strictObject({
    name: bufferName.optional().describe("Buffer name; omitted: the newest buffer"),
    offsetBytes: z.int().min(0).default(0).describe("First byte to read"),
    maxBytes: z.int().min(0).default(65536).describe("Maximum bytes to read"),
  }),
  output: "text",
  targets: ({ name }): Target[] => [{ kind: "buffer", ...(name === undefined ? {} : { name }) }],
  async run({ name, offsetBytes, maxBytes }, { tmux, fit }) {
    const bytes = await tmux.buffers.read(name);
    return await fit(maxBytes, (most) => readPage(bytes, { offset: offsetBytes, most }));
  },
});

export const setBuffer = defineTool({
  name: "set-buffer",
  description: "Create or replace a paste buffer. Use paste-text to send text to a pane without a buffer.",
  groups: ["buffer-write"],
  effect: "change",
  input: z.strictObject({ name: bufferName, content: z.string().describe("The whole content") }),
  output: sized,
  targets: named,
  madeBuffers: ({ name }) => [name],
  async run({ name, content }, { tmux }) {
    return { name, size: await tmux.buffers.set(name, new TextEncoder().encode(content)) };
  },
});

export const appendBuffer = defineTool({
  name: "append-buffer",
  title: "Append to buffer",
  description: "Append text to a paste buffer, creating it if needed.",
  groups: ["buffer-write"],
  effect: "change",
  input: z.strictObject({ name: bufferName, content: z.string().describe("Text to add") }),
  output: sized,
  targets: named,
  madeBuffers: ({ name }) => [name],
  async run({ name, content }, { tmux }) {
    return { name, size: await tmux.buffers.append(name, new TextEncoder().encode(content)) };
  },
});

export const loadBuffer = defineTool({
  name: "load-buffer",
  description: "Fill a paste buffer from a file in an allowed directory.",
  groups: ["buffer-write"],
  effect: "change",
  input: z.strictObject({ name: bufferName, path: z.string().min(1).describe("File to read") }),
  output: filed,
  targets: ({ name, path }) => [{ kind: "buffer", name }, { kind: "path", path, list: "buffer" }],
  madeBuffers: ({ name }) => [name],
  async run({ name, path }, { tmux }) {
    return { name, ...await tmux.buffers.load(name, path) };
  },
});

export const saveBuffer = defineTool({
  name: "save-buffer",
  description: "Write a paste buffer to a file in an allowed directory.",
  groups: ["buffer-write"],
  effect: "change",
  input: z.strictObject({
    name: bufferName,
    path: z.string().min(1).describe("File to write; its content is replaced"),
  }),
  output: filed,
  targets: ({ name, path }) => [{ kind: "buffer", name }, { kind: "path", path, list: "buffer" }],
  async run({ name, path }, { tmux }) {
    return { name, ...await tmux.buffers.save(name, path) };
  },
});

export const renameBuffer = defineTool({
  name: "rename-buffer",
  description: "Rename a paste buffer; fails if the new name is taken.",
  groups: ["buffer-write"],
  effect: "change",
  input: z.strictObject({ from: bufferName.describe("Current name"), to: bufferName.describe("New name") }),
  output: z.strictObject({ name: z.string() }),
  targets: ({ from, to }) => [{ kind: "buffer", name: from }, { kind: "buffer", name: to }],
  madeBuffers: ({ from, to }, owns) => owns(from) ? [to] : [],
  async run({ from, to }, { tmux }) {
    await tmux.buffers.rename(from, to);
    return { name: to };
  },
});

export const deleteBuffer = defineTool({
  name: "delete-buffer",
  description: "Delete a paste buffer.",
  groups: ["buffer-write"],
  effect: "destroy",
  input: z.strictObject({ name: bufferName }),
  output: z.strictObject({ deleted: z.string() }),
  targets: named,
  async run({ name }, { tmux }) {
    await tmux.buffers.delete(name);
    return { deleted: name };
  },
});

export const pasteBuffer = defineTool({
  name: "paste-buffer",
  description: "Paste a paste buffer into a pane; the buffer stays. " +
    "Use paste-text to paste text without a buffer.",
  groups: ["interactive", "raw-input"],
  effect: "input",
  input: z.strictObject({ paneId, name: bufferName, bracketed }),
  output: z.strictObject({ paneId: z.string(), bytes: z.int(), hint: z.string().optional() }),
  targets: ({ paneId, name }) => [{ kind: "pane", id: paneId }, { kind: "buffer", name }],
  shellText: ({ name }) => [{ kind: "opaque", text: name }],
  async run({ paneId, name, bracketed }, { tmux, snapshot }) {
    return {
      paneId,
      bytes: await tmux.buffers.paste(paneId, name, { snapshot: await snapshot(), bracketed }),
    };
  },
});

/** Page of whole characters: it begins and ends between characters. */
function readPage(bytes: Uint8Array, { offset, most }: { offset: number; most: number }): TextPart {
  const start = characterAt(bytes, offset);
  const within = characterAt(bytes, offset + most);
  const end = within > start || most === 0 ? within : characterAfter(bytes, start);
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(start, end));
  if (end >= bytes.length) return { text };
  const range = `Bytes ${start} to ${end} of ${bytes.length}`;
  return { text, omitted: `${range}: call show-buffer with offsetBytes ${end} for the rest` };
}

function named({ name }: { name: string }): Target[] {
  return [{ kind: "buffer", name }];
}
