/** What reading threads are asked for of fits that are being made. */
import type { NonFinite } from '../../messages/numbers.js';
import type { ErrorDetail } from '../errors.js';

/** A journal that is read while it grows. The descriptor stays open while it is read. */
export interface LiveJournal {
  /** Where it is or was; no other one is ever there. */
  readonly file: string;
  readonly descriptor: number;
}

/** How a journal is sent: its messages, or its draws as server-sent events. */
export interface LiveForm {
  readonly text: 'messages' | 'draw events';
  readonly style: NonFinite;
  /** Names of columns as `wantedColumns` reads them; all columns, with the diagnostics, unless given. */
  readonly variables?: string;
}

/**
 * Asks for the bytes of the records from one place in a journal on: all that are whole, up to the end of a stride. Where that is
 * much, the answer has a part of it, and `skip` asks for the next one.
 */
export interface FollowJob {
  readonly kind: 'follow';
  /** The fit's folder. */
  readonly path: string;
  readonly journal: LiveJournal;
  readonly form: LiveForm;
  /** Where a record begins. */
  readonly from: number;
  /** Bytes that were given before, a multiple of `PART_BYTES`. */
  readonly skip: number;
}

export type Followed =
  | {
      readonly kind: 'followed';
      /** One after the other; all but the last have `SLICE_BYTES`. With more records there would be the same and others. */
      readonly slices: readonly Uint8Array<ArrayBuffer>[];
      /** Whether there are bytes of these records behind the slices. */
      readonly more: boolean;
      /** Where the next record begins; `from` when no record was whole. */
      readonly to: number;
    }
  /** The draws have no such columns. */
  | { readonly kind: 'not followed'; readonly problem: ErrorDetail };

export const SLICE_BYTES = 1 << 16;
export const PART_SLICES = 16;
/** Most that an answer has: rows may be long. */
export const PART_BYTES = PART_SLICES * SLICE_BYTES;
