// The line that separates what a login shell prints at its start from the output of the program it then runs.
import { concatBytes } from "../../bytes.ts";

/** Returns a stream of the bytes after the line; without the line, of none. */
export function bytesAfter(mark: string): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const line = `${mark}\n`;
  /** The last bytes before the line, with which it may begin; undefined after it. */
  let before: Uint8Array | undefined = new Uint8Array();
  return new TransformStream({
    transform(chunk, controller) {
      if (before === undefined) return controller.enqueue(chunk);
      const bytes = concatBytes([before, chunk]);
      // One character for each byte.
      const at = new TextDecoder("latin1").decode(bytes).indexOf(line);
      before = at < 0 ? bytes.slice(1 - line.length) : undefined;
      if (at >= 0 && bytes.length > at + line.length) controller.enqueue(bytes.subarray(at + line.length));
    },
  });
}

/** Returns the text after the line; without the line, the whole text, which is ssh's own. */
export function textAfter(text: string, mark: string | undefined): string {
  const at = mark === undefined ? -1 : text.indexOf(`${mark}\n`);
  return at < 0 ? text : text.slice(at + `${mark}\n`.length);
}
