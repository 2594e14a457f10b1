/**
 * Frames of the protocol between the engine and its clients. A frame consists of 16 bytes in little-endian order (u32
 * length of the header, u32 kind, u64 length of the payload), a JSON header, and a payload of binary parts. The member
 * `parts` of the header contains the length of each part in bytes. Numbers in headers may be the bare tokens NaN,
 * Infinity and -Infinity. Over a socket, they are strings, because R cannot parse these tokens.
 */
import { writeJson } from '../formats/json.js';
import type { NonFinite } from '../formats/numbers.js';

export interface Frame {
  /** 0: the header contains the request. Other kinds are defined in `evaluator.ts`. */
  readonly kind: number;
  /** JSON text; empty for kinds without a header. */
  readonly header: string;
  readonly payload: Uint8Array<ArrayBuffer>;
}

export const HEAD_BYTES = 16;

export interface FrameLengths {
  readonly kind: number;
  readonly header: number;
  readonly payload: number;
}

export function readHead(bytes: Uint8Array): FrameLengths {
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEAD_BYTES);
  return {
    header: view.getUint32(0, true),
    kind: view.getUint32(4, true),
    payload: Number(view.getBigUint64(8, true)),
  };
}

export function writeHead(bytes: Uint8Array, { header, kind, payload }: FrameLengths): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEAD_BYTES);
  view.setUint32(0, header, true);
  view.setUint32(4, kind, true);
  view.setBigUint64(8, BigInt(payload), true);
}

/** A number array as bytes, without a copy. */
export function bytesOf(values: Float64Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

/**
 * The pieces of a frame of kind 0, in the order in which they are written. `nonFinite` is the style of non-finite
 * numbers in the header.
 */
export function framePieces(
  header: object,
  parts: readonly Uint8Array[] = [],
  nonFinite: NonFinite = 'literal',
): readonly Uint8Array[] {
  const text = new TextEncoder().encode(
    writeJson({ ...header, parts: parts.map(({ byteLength }) => byteLength) }, nonFinite),
  );
  const head = new Uint8Array(HEAD_BYTES);
  const payload = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  writeHead(head, { header: text.length, kind: 0, payload });
  return [head, text, ...parts];
}

/** The parts of a payload, each in a separate buffer. */
export function splitParts(payload: Uint8Array<ArrayBuffer>, lengths: readonly number[]): Uint8Array<ArrayBuffer>[] {
  let start = 0;
  return lengths.map((length) => {
    const part = payload.slice(start, start + length);
    start += length;
    return part;
  });
}

/** Assembles frames from the chunks of a stream. */
export class FrameReader {
  private readonly receive: (frame: Frame) => void;
  private chunks: Uint8Array[] = [];
  private length = 0;
  private lengths: FrameLengths | undefined;

  constructor(receive: (frame: Frame) => void) {
    this.receive = receive;
  }

  add(chunk: Uint8Array): void {
    this.chunks.push(chunk);
    this.length += chunk.byteLength;
    for (;;) {
      if (this.lengths === undefined) {
        if (this.length < HEAD_BYTES) return;
        this.lengths = readHead(this.take(HEAD_BYTES));
      }
      const { header, kind, payload } = this.lengths;
      if (this.length < header + payload) return;
      this.lengths = undefined;
      const text = new TextDecoder().decode(this.take(header));
      this.receive({ kind, header: text, payload: this.take(payload) });
    }
  }

  /** The next bytes of the stream, copied. */
  private take(count: number): Uint8Array<ArrayBuffer> {
    const taken = new Uint8Array(count);
    let filled = 0;
    while (filled < count) {
      const [first] = this.chunks;
      const piece = first.subarray(0, count - filled);
      taken.set(piece, filled);
      filled += piece.byteLength;
      if (piece.byteLength === first.byteLength) this.chunks.shift();
      else this.chunks[0] = first.subarray(piece.byteLength);
    }
    this.length -= count;
    return taken;
  }
}
