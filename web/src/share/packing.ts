/** Values as compressed text in the fragment of an address. */
import { deflateSync, inflateSync, strFromU8, strToU8 } from 'fflate';

/** The start of a fragment that contains a project with a run. */
export const RESULTS = '#results=';

export function packed(value: unknown): string {
  return base64Url(deflateSync(strToU8(JSON.stringify(value)), { level: 9 }));
}

export function unpacked(text: string): unknown {
  return JSON.parse(strFromU8(inflateSync(bytesOf(text))));
}

function base64Url(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));
}
