/**
 * Rows of a chain before its draws, as in CmdStan's files: the mean of a variational approximation, and the iterations of an optimizer
 * before the last one. Like warmup draws, they are stored and sent but do not count as draws.
 */
import type { Algorithm, LeadingRows } from '../inference/algorithms/algorithm.js';
import { TERMINATED_NORMALLY, TERMINATED_WITH_ERROR } from '../inference/algorithms/optimize/end.js';
import { algorithms, findAlgorithm } from '../inference/algorithms/registry.js';

/** The number of leading rows among `rows` rows of a chain. */
export function countLeadingRows(kind: LeadingRows | undefined, rows: number): number {
  if (kind === undefined) return 0;
  return kind === 'first' ? Math.min(1, rows) : Math.max(0, rows - 1);
}

/** The leading rows of a function's chains. */
export function leadingRowsOf(functionName: string): LeadingRows | undefined {
  return findAlgorithm(functionName)?.leadingRows;
}

/**
 * The leading rows of a chain in a file. Without a function name, the columns identify it. The mean of an approximation is recognized by
 * its algorithm columns, which are all 0, because a part of a fit may lack it.
 */
export function leadingRowsIn(
  columns: readonly string[],
  firstRow: Float64Array | undefined,
  functionName?: string,
): LeadingRows | undefined {
  const algorithm =
    functionName === undefined
      ? algorithms.find((each) => each.leadingRows !== undefined && hasOwnColumns(each, columns))
      : findAlgorithm(functionName);
  if (algorithm?.leadingRows !== 'first' || !hasOwnColumns(algorithm, columns)) return algorithm?.leadingRows;
  const isMean = firstRow?.subarray(0, algorithm.drawColumns.length).every((value) => value === 0) === true;
  return isMean ? algorithm.leadingRows : undefined;
}

/** An entry of a chain in a file: the numbers of a row, or a text between rows. */
type Entry =
  | { readonly kind: 'draw' | 'diagnostic'; readonly values: Float64Array }
  | { readonly kind: 'remark'; readonly text: string };

/**
 * The leading rows of a chain with these entries, as in `leadingRowsIn`. Throws an `Error` if the chain of an optimizer lacks the optimum.
 */
export function leadingRowsAmong(
  columns: readonly string[],
  entries: readonly Entry[],
  functionName?: string,
): LeadingRows | undefined {
  const rows = entries.flatMap((entry) => (entry.kind === 'draw' ? [entry.values] : []));
  const isOptimizer = entries.some((entry) => entry.kind === 'remark' && isOptimizerEnd(entry.text));
  if (isOptimizer && !isOptimum(columns, rows.at(-1), functionName)) {
    throw new Error('the rows are iterations of an optimizer without the last one, which is the optimum');
  }
  return leadingRowsIn(columns, rows[0], functionName);
}

/** The remark after the optimum, which parts without the optimum also have. */
function isOptimizerEnd(remark: string): boolean {
  return [TERMINATED_NORMALLY, TERMINATED_WITH_ERROR].some((words) => remark.startsWith(words));
}

/**
 * Whether the last row of a finished optimizer is the optimum. Only iterations before the optimum have the code 0. A file that has no
 * column with the code and does not name its function is a part without the optimum (`lacksKeyRow` of `service/fits/formats.ts`).
 */
function isOptimum(columns: readonly string[], last: Float64Array | undefined, functionName?: string): boolean {
  const place = columns.indexOf('converged__');
  return place < 0 ? functionName !== undefined : last?.[place] !== 0;
}

function hasOwnColumns({ drawColumns }: Algorithm, columns: readonly string[]): boolean {
  return drawColumns.every((name, place) => columns[place] === name);
}
