// Finds the end of the whole characters in a run of UTF-8 bytes.

/**
 * Length of the longest prefix of `bytes` that does not end inside a UTF-8 character.
 * Bytes that can never become a character count as whole: a decoder replaces them.
 */
export function wholeCharacters(bytes: Uint8Array): number {
  const end = bytes.length;
  for (let back = 1; back <= 3 && back <= end; back++) {
    const byte = bytes[end - back] as number;
    if ((byte & 0xc0) === 0x80) continue;
    return sequenceLength(byte) > back ? end - back : end;
  }
  return end;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0 && lead < 0xf5) return 4;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  return 1;
}

export function isAscii(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at++) if ((bytes[at] as number) >= 0x80) return false;
  return true;
}
