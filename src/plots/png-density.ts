/**
 * The resolution of PNG files, by which word processors choose the size of a picture.
 * Source: Portable Network Graphics (PNG) Specification, third edition, sections 5 and 11.3.4.3.
 */

const SIGNATURE_BYTES = 8;
/** Length, type, 13 bytes of content and checksum of the first chunk. */
const HEADER_BYTES = 25;
const METER_IN_INCHES = 100 / 2.54;

/** A PNG file without a resolution, with one. */
export function withDotsPerInch(png: Uint8Array, dotsPerInch: number): Uint8Array<ArrayBuffer> {
  const at = SIGNATURE_BYTES + HEADER_BYTES;
  const chunk = resolutionChunk(dotsPerInch);
  const made = new Uint8Array(png.length + chunk.length);
  made.set(png.subarray(0, at));
  made.set(chunk, at);
  made.set(png.subarray(at), at + chunk.length);
  return made;
}

/** A chunk `pHYs`: pixels per meter in both directions. */
function resolutionChunk(dotsPerInch: number): Uint8Array {
  const chunk = new Uint8Array(4 + 4 + 9 + 4);
  const view = new DataView(chunk.buffer);
  const perMeter = Math.round(dotsPerInch * METER_IN_INCHES);
  view.setUint32(0, 9);
  chunk.set(
    [...'pHYs'].map((letter) => letter.charCodeAt(0)),
    4,
  );
  view.setUint32(8, perMeter);
  view.setUint32(12, perMeter);
  chunk[16] = 1;
  view.setUint32(17, checksum(chunk.subarray(4, 17)));
  return chunk;
}

/** The CRC-32 of ISO 3309. */
function checksum(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
