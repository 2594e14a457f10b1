/**
 * Checksums of the store's files, which are verified before use. A file that is read as a whole ends with a seal: a
 * separate line with the CRC-32 (RFC 1952, section 8) of the owner's name and the preceding bytes. The owner is the
 * resource to which the file belongs, so that files of another resource are detected. Files that are read in parts have
 * one checksum per block (checked-file.ts).
 */
import { crc32 } from 'node:zlib';
import { storageFaultOf } from '../node/system-errors.js';

/** The error in a file that exists according to the other files. */
export const FLAWS = ['checksum', 'missing', 'type', 'permission', 'foreign'] as const;
export type Flaw = (typeof FLAWS)[number];

const FLAW_TEXTS: Readonly<Record<Flaw, string>> = {
  checksum: 'its checksum does not match',
  missing: 'it is missing',
  type: 'it is not a file',
  permission: 'it may not be read',
  foreign: 'it belongs to something else',
};

/** A file that has changed since it was written. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile';
  readonly path: string;
  readonly flaw: Flaw;

  constructor(path: string, flaw: Flaw = 'checksum') {
    super(`${path} is corrupt: ${FLAW_TEXTS[flaw]}`);
    this.path = path;
    this.flaw = flaw;
  }
}

/** Converts an error from opening a file that must exist. Returns other errors unchanged. */
export function asDamage(path: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return new DamagedFile(path, 'missing');
  // A symbolic link, a socket, a folder or a device.
  if (code === 'ELOOP' || code === 'ENXIO' || code === 'EISDIR' || code === 'ENODEV')
    return new DamagedFile(path, 'type');
  return storageFaultOf(error) === 'permission denied' ? new DamagedFile(path, 'permission') : error;
}

const SEAL_BYTES = 10;

export function sealed(content: string | Uint8Array, owner = ''): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([bytes, sealOf(bytes, owner)]);
}

/**
 * The content before the seal; undefined if the checksum does not match. Also accepts a seal without an owner, which
 * earlier versions have written.
 */
export function unsealed(bytes: Buffer, owner = ''): Buffer | undefined {
  const end = bytes.length - SEAL_BYTES;
  if (end < 0) return undefined;
  const content = bytes.subarray(0, end);
  const seal = bytes.subarray(end);
  return sealOf(content, owner).equals(seal) || sealOf(content, '').equals(seal) ? content : undefined;
}

function sealOf(bytes: Uint8Array, owner: string): Buffer {
  const sum = crc32(bytes, crc32(owner));
  return Buffer.from(`\n${sum.toString(16).padStart(8, '0')}\n`);
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
