// Unguessable marks for one command.
import type { MarkRef } from "../protocol.ts";

const PUBLIC_ID_CHARS = 8;

/** Returns new marks. The secret has 128 bits; the public id only tells this run's mark C from others. */
export function newMarks(secret: string = crypto.getRandomValues(new Uint8Array(16)).toHex()): MarkRef {
  return { publicId: crypto.randomUUID().slice(0, PUBLIC_ID_CHARS), secret };
}
