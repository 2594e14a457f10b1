import { createHash, randomBytes } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const BYTES = 15;
const PATTERN = /^[a-z2-7]{24}$/;

/** Identifier computed from these parts: 120 bits of SHA-256 in lower-case base32 (RFC 4648). */
export function identifierOf(...parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return base32(hash.digest().subarray(0, BYTES));
}

/** A random identifier. */
export function randomIdentifier(): string {
  return base32(randomBytes(BYTES));
}

/** Whether a client's text has the form of the identifiers above, and is therefore a safe file name. */
export function isIdentifier(text: string): boolean {
  return PATTERN.test(text);
}

function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let count = 0;
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    count += 8;
    while (count >= 5) {
      count -= 5;
      text += ALPHABET[(bits >> count) & 31];
    }
    bits &= (1 << count) - 1;
  }
  return text;
}
