// Text as the C library takes it.

const ENCODER = new TextEncoder();

/** Returns the text in UTF-8, with the zero byte that ends it. */
export function cString(text: string): Uint8Array<ArrayBuffer> {
  return ENCODER.encode(`${text}\0`);
}
