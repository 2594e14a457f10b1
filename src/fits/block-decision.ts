/** The decision after each block of iterations of a run that stops when its draws are precise enough. */

import { placesOf, splitNames } from '../formats/columns.js';
import type { DeclaredOutput } from '../formats/program-blocks.js';
import { worstShortfall } from '../inference/diagnostics/precision.js';
import { RequestError } from '../requests/request-error.js';
import { type CurrentShortfall, ruleProblem, type Stopped, type Until } from '../requests/until.js';
import { diagnosedColumns } from './diagnosis.js';
import type { NamedSummary } from './statistics.js';

/** What is known after a block of iterations of all chains. The run continues without `stopped` and `isComplete`. */
export interface BlockDecision {
  readonly stopped?: Stopped;
  /** All iterations of a run without a rule are complete. */
  readonly isComplete?: true;
  /** Absent if the draws are precise enough. */
  readonly shortfall?: CurrentShortfall;
}

/** The draws of all chains at the end of a block. */
export interface BlockDraws {
  readonly columns: readonly string[];
  /** The program's variables with their blocks. */
  readonly outputs: readonly DeclaredOutput[];
  /** Summaries of columns, by their indexes. */
  summarize(columns: readonly number[]): Promise<readonly NamedSummary[]>;
}

/**
 * The decision after a block of a run with at most `limit` iterations. It depends only on the draws, so that every process decides alike.
 * Throws `RequestError` if the rule's quantities match no column, such as an element beyond the size of its variable.
 */
export async function decideAfter(
  { limit, until }: { readonly limit: number; readonly until: Until },
  iterations: number,
  draws: BlockDraws,
): Promise<BlockDecision> {
  const judged = columnsToJudge(until, draws);
  if (judged.length === 0) {
    const { quantities = [] } = until;
    throw new RequestError([ruleProblem('quantities', `matches no column of the draws: ${quantities.join(', ')}`)]);
  }
  const shortfall = worstShortfall(until, await draws.summarize(judged));
  if (shortfall === undefined) return { stopped: { reason: 'precise', iterations } };
  const current = { shortfall: { iterations, ...shortfall } };
  return iterations < limit ? current : { ...current, stopped: { reason: 'max_iterations', iterations, shortfall } };
}

/** The indexes of a rule's quantities in the columns of draws. */
function columnsToJudge(
  { quantities }: Until,
  { columns, outputs }: Pick<BlockDraws, 'columns' | 'outputs'>,
): readonly number[] {
  if (quantities === undefined) return diagnosedColumns({ function: undefined, columns, outputs }).judged;
  return [...new Set(quantities.flatMap(splitNames).flatMap((name) => placesOf(name, columns)))];
}
