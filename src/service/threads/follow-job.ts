/** Jobs of reading threads on running fits. */
import type { NonFinite } from '../../formats/numbers.js';
import type { ErrorDetail } from '../errors.js';

/** A growing journal. The descriptor remains open while it is read. */
export interface LiveJournal {
  /** Its path, which is never used for another journal. */
  readonly file: string;
  readonly descriptor: number;
}

/** The form in which a journal is sent: all messages, or draws as server-sent events. */
export interface LiveForm {
  readonly text: 'messages' | 'draw events';
  readonly style: NonFinite;
  /** Names of columns in the form that `wantedColumns` parses. Absent: all columns, with the diagnostics. */
  readonly variables?: string;
}

/**
 * Requests the rendered bytes of all whole records from a position in a journal to the end of its stride. A long result is split;
 * `skip` requests the next part.
 */
export interface FollowJob {
  readonly kind: 'follow';
  /** The fit's folder. */
  readonly path: string;
  readonly journal: LiveJournal;
  readonly form: LiveForm;
  /** Position of the first record. */
  readonly from: number;
  /** Number of bytes already received, a multiple of `PART_BYTES`. */
  readonly skip: number;
}

export type Followed =
  | {
      readonly kind: 'followed';
      /** Consecutive slices, all but the last of `SLICE_BYTES`. Later records are only appended. */
      readonly slices: readonly Uint8Array<ArrayBuffer>[];
      /** Whether more bytes of these records follow the slices. */
      readonly more: boolean;
      /** Position of the next record; `from` if no record was whole. */
      readonly to: number;
    }
  /** The requested columns do not exist. */
  | { readonly kind: 'not followed'; readonly problem: ErrorDetail };

export const SLICE_BYTES = 1 << 16;
export const PART_SLICES = 16;
/** Maximum size of a result. Rows can be long. */
export const PART_BYTES = PART_SLICES * SLICE_BYTES;
