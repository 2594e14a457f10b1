/** Assesses the draws at the end of a run. */

import type { FitContents } from '../fit-files/reading.js';
import { type Finding, findings } from '../inference/diagnostics/findings.js';
import { enumeration } from '../run/enumeration.js';
import type { NamedSummary } from '../run/statistics.js';
import type { DrawRange } from '../service/threads/fit-job.js';
import { convergenceOf, type PerformFitJob, summariesOf } from './finished-draws.js';

/** CmdStan's default `max_depth`, for files that do not contain it. */
export const USUAL_DEPTH = 10;

/** Checks the draws of a sampler after warmup. Convergence is assessed for `columns`. */
export async function judgeRun(
  contents: FitContents,
  columns: readonly number[],
  maximumDepth: number | undefined,
  perform: PerformFitJob,
): Promise<Finding[]> {
  const { path } = contents;
  const sampler = await perform({ kind: 'sampler', path, ranges: rangesOf(contents), maximumDepth });
  const quantities = await convergenceOf(path, columns, rangesOf(contents), perform);
  return findings(sampler.kind === 'sampler' ? sampler.reports : [], quantities, maximumDepth);
}

/** Summaries of columns after warmup. Chains of unequal length are truncated to the shortest. */
export function judgedSummaries(
  contents: FitContents,
  columns: readonly number[],
  perform: PerformFitJob,
): Promise<readonly NamedSummary[]> {
  return summariesOf(contents.path, columns, rangesOf(contents), perform);
}

function rangesOf({ chains }: FitContents): DrawRange[] {
  const count = Math.min(...chains.map(({ draws }) => draws));
  return chains.map(({ id, warmup }) => ({ chain: id, from: warmup, count }));
}

/** One line per problem, or one line that reports no problems. */
export function reportText(found: readonly Finding[]): string {
  const problems = found.filter(({ ok }) => !ok);
  if (problems.length > 0) return problems.map(({ message }) => `warning: ${message}\n`).join('');
  const checked = CHECKED.filter(([check]) => found.some((each) => each.check === check)).map(([, words]) => words);
  return checked.length === 0 ? '' : `No problems found in ${enumeration(checked)}.\n`;
}

const CHECKED: readonly (readonly [Finding['check'], string])[] = [
  ['divergences', 'divergences'],
  ['treedepth', 'tree depth'],
  ['energy', 'E-BFMI'],
  ['rhat', 'R-hat'],
  ['ess', 'effective sample sizes'],
];
