/** Decodes the bytes of a table: UTF-8, UTF-16 with or without a byte order mark, or Windows-1252, which Excel writes in Western Europe. */

/** Number of bytes in which zeros are counted to recognize UTF-16 without a byte order mark. */
const HEAD = 1024;

/** The text of a file, without its byte order mark. */
export function decodeTable(bytes: Uint8Array): string {
  const encoding = encodingOf(bytes);
  if (encoding !== undefined) return new TextDecoder(encoding).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** UTF-16 by its byte order mark or by the zeros in every second byte of Latin text. */
function encodingOf(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const head = bytes.subarray(0, HEAD);
  const zeros = [0, 0];
  for (const [index, byte] of head.entries()) if (byte === 0) zeros[index % 2]++;
  if (zeros[1] > head.length / 4 && zeros[0] < zeros[1] / 4) return 'utf-16le';
  return zeros[0] > head.length / 4 && zeros[1] < zeros[0] / 4 ? 'utf-16be' : undefined;
}
