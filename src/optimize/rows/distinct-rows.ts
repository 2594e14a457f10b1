import { type Builder, pointer } from '../../ir/builder.js';
import { add, apply, compare, int, select } from '../../ir/expressions.js';
import type { Expr, Ref } from '../../ir/nodes.js';

/** Grouping pays off if at most one in this number of rows differs from all previous rows. */
const ROWS_PER_DIFFERENT_ROW = 2;
/** Maximum number of rows in a list, which takes about 10 bytes per row and 8 bytes per number while rows are grouped. */
export const MOST_ROWS = 2 ** 23;

/** The number of rows to list, which is `extent` or 0, and the maximum number of different rows: one in `share`. */
export function listedRows(
  builder: Builder,
  extent: Expr,
  share = ROWS_PER_DIFFERENT_ROW,
): { readonly listed: Expr; readonly limit: Expr } {
  const listed = builder.bind(upTo(MOST_ROWS, extent, extent), 'listed');
  const limit = builder.bind(apply('div_int', 'int', listed, int(share)), 'limit');
  return { listed, limit };
}

/** The contiguous numbers of `extent` rows, and lists for the results of `group_rows` (kernels/rows/rows.ts). */
export interface RowLists {
  readonly first: Ref;
  readonly counts: Ref;
  /** The group of each row; null if it is not needed. */
  readonly groups: Ref | null;
  readonly keys: Ref;
  /** Where each row starts and the last one ends among the numbers; if all rows have the same length, that length. */
  readonly starts: Ref | Expr;
}

/** Groups equal rows. Returns the number of different rows, or 0 if it exceeds `limit`. */
export function distinctRows(builder: Builder, lists: RowLists, extent: Expr, limit: Expr): Expr {
  const { counts, first, groups, keys, starts } = lists;
  // At most two thirds of the slots are taken.
  const slots = builder.bind(add(add(limit, apply('div_int', 'int', limit, int(2))), int(2)), 'slots');
  const table = builder.allocate('int', [slots], 'table');
  return builder.kernelResult('int', 'group_rows', [
    pointer(first),
    pointer(counts),
    groups === null ? int(0) : pointer(groups),
    pointer(keys),
    ...(starts.kind === 'ref' ? [pointer(starts), int(0)] : [int(0), starts]),
    pointer(table),
    slots,
    extent,
    limit,
  ]);
}

/** The value where `count` is at most `most`, otherwise 0. */
export function upTo(most: number, count: Expr, value: Expr): Expr {
  return select(compare('le', count, int(most)), value, int(0));
}
