/**
 * Checksums of the store's files, which are verified before use. A file that is read as a whole ends with a seal: a
 * separate line with the CRC-32 (RFC 1952, section 8) of the preceding bytes. Files that are read in parts have one
 * checksum per block (checked-file.ts).
 */
import { crc32 } from 'node:zlib';

/** A file whose checksum does not match. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile';
  readonly path: string;

  constructor(path: string) {
    super(`${path} is corrupt: its checksum does not match`);
    this.path = path;
  }
}

const SEAL_BYTES = 10;

export function sealed(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([bytes, sealOf(bytes)]);
}

/** The content before the seal; undefined if the checksum does not match. */
export function unsealed(bytes: Buffer): Buffer | undefined {
  const end = bytes.length - SEAL_BYTES;
  if (end < 0) return undefined;
  const content = bytes.subarray(0, end);
  return sealOf(content).equals(bytes.subarray(end)) ? content : undefined;
}

function sealOf(bytes: Uint8Array): Buffer {
  return Buffer.from(`\n${crc32(bytes).toString(16).padStart(8, '0')}\n`);
}

/** The result of a read, or a substitute if the file is damaged. */
export async function ifDamaged<Value, Instead>(
  reading: Promise<Value>,
  instead: (damage: DamagedFile) => Instead | Promise<Instead>,
): Promise<Value | Instead> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof DamagedFile) return instead(error);
    throw error;
  }
}
