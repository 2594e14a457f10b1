/**
 * Rows of a chain before its draws, as in CmdStan's files: the mean of a variational approximation, and the iterations of an optimizer
 * before the last one. Like draws of warmup, they are stored and sent but do not count.
 */
import type { Algorithm, LeadingRows } from '../inference/algorithms/algorithm.js';
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
 * The leading rows of a chain in a file. Without a function name, the columns identify it. The mean of an approximation is recognised by
 * its own columns, which are all 0: a part of a fit may lack it.
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

function hasOwnColumns({ drawColumns }: Algorithm, columns: readonly string[]): boolean {
  return drawColumns.every((name, place) => columns[place] === name);
}
