/** Assesses the draws at the end of a run. */

import { type FitContents, readContents } from '../fit-files/reading.js';
import type { Finding } from '../inference/diagnostics/findings.js';
import { type DiagnosedFit, diagnose } from '../run/diagnosis.js';
import { enumeration } from '../run/enumeration.js';
import type { BlockDraws } from '../run/until.js';
import { convergenceOf, finitenessOf, type PerformFitJob, rangesOf, summariesOf } from './finished-draws.js';

/** Diagnoses draws after warmup. */
export async function judgeRun(
  contents: FitContents,
  run: Pick<DiagnosedFit, 'function' | 'maximumDepth'>,
  perform: PerformFitJob,
): Promise<Finding[]> {
  const { columns, outputs, path } = contents;
  const ranges = rangesOf(contents);
  return diagnose(
    { ...run, columns, outputs },
    {
      reports: async (maximumDepth) => {
        const sampler = await perform({ kind: 'sampler', path, ranges, maximumDepth });
        return sampler.kind === 'sampler' ? sampler.reports : [];
      },
      convergence: (places) => convergenceOf({ path, columns: places, ranges }, perform),
      finiteness: (places) => finitenessOf({ path, columns: places, ranges }, perform),
    },
  );
}

/** The draws of all chains at the end of a block, in its folder. */
export function blockDraws(path: string, perform: PerformFitJob): BlockDraws {
  const contents = readContents(path);
  if (contents === undefined) throw new Error('a block has no draws');
  const ranges = rangesOf(contents);
  return { ...contents, summarize: (columns) => summariesOf({ path, columns, ranges }, perform) };
}

/** One line per problem, or one line that reports no problems. */
export function reportText(found: readonly Finding[]): string {
  const problems = found.filter(({ ok }) => !ok);
  const [first] = found;
  if (first?.check === 'simulations' && problems.length === 0) return `${first.message}\n`;
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
