/** Conditional requests and byte ranges (RFC 9110, sections 13 and 14), for responses whose bytes are deterministic. */
import type { FastifyRequest } from 'fastify';

/** Bytes from `from` up to but excluding `to`. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** A requested range, before the length is known. Negative numbers count from the end. */
interface RequestedRange {
  readonly first: number;
  readonly last: number | undefined;
}

/**
 * The one range that a request names. Undefined for all bytes: other units, several ranges and invalid headers are
 * ignored, and so is a range of a response that has changed since (`If-Range`).
 */
export function requestedRange({ headers, method }: FastifyRequest, tag: string): RequestedRange | undefined {
  const { range, 'if-range': condition } = headers;
  if (method !== 'GET' || range === undefined || (condition !== undefined && condition !== tag)) return undefined;
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(range) ?? [];
  if (first === '') return last === '' ? undefined : { first: -Number(last), last: undefined };
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return { first: Number(first), last: last === '' ? undefined : Number(last) };
}

/** The bytes of a range; undefined if it contains none. */
export function rangeWithin({ first, last }: RequestedRange, length: number): ByteRange | undefined {
  const from = first < 0 || Object.is(first, -0) ? Math.max(0, length + first) : first;
  const to = Math.min(length, (last ?? length) + 1);
  return from < to ? { from, to } : undefined;
}

/** Whether the client has these bytes (`If-None-Match`, compared weakly). */
export function isCached({ headers }: FastifyRequest, tag: string): boolean {
  const given = headers['if-none-match'];
  if (given === undefined) return false;
  const tags = given.split(',').map((each) => each.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(tag);
}

/**
 * The entity tag of the response. It is weak if the response may be compressed, because compressed bytes differ between
 * versions of the compressor.
 */
export function responseTag({ headers }: FastifyRequest, tag: string): string {
  return mayBeCompressed(headers['accept-encoding']) ? `W/${tag}` : tag;
}

function mayBeCompressed(encodings: string | undefined): boolean {
  return encodings !== undefined && /gzip|br|\*/i.test(encodings);
}
