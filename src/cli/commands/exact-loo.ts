/**
 * Leave-one-out cross-validation of draws from files, with refits for the observations for which importance sampling
 * fails.
 */
import { openStoredDraws, readRows } from '../../fit-files/reading.js';
import type { LeaveOneOut } from '../../fits/cross-validation.js';
import { compile, openFit } from '../../node/library/index.js';
import { readProgram } from '../../node/program-files.js';
import { readValues } from '../draws/data-file.js';
import type { FinishedDraws, ProgramFiles } from '../draws/finished-draws.js';
import { withLibrary } from '../running/library-errors.js';

/** The sampler of refits, and the preceding estimates. */
export interface ExactSettings {
  readonly momentMatch: boolean;
  readonly sampler: { readonly random_seed: number; readonly num_warmup: number; readonly num_samples: number };
}

/**
 * Log likelihoods are derived from the program. Refits start with the last positions of the draws and, if the files
 * contain them, with their step size and metric.
 */
export async function leaveOneOutExactlyOf(
  { contents, ranges, signal }: FinishedDraws,
  { data, includePath, program }: ProgramFiles,
  { momentMatch, sampler }: ExactSettings,
): Promise<LeaveOneOut> {
  const { name, ...source } = readProgram(program, includePath);
  const values = data === undefined ? '{}' : readValues(data);
  const stored = openStoredDraws(contents.path);
  return withLibrary(signal, async () => {
    const model = await compile(source.program, { name, includes: source.includes, signal });
    const fit = openFit({
      program: name,
      asked: { function: '', arguments: {}, random_seed: sampler.random_seed, created: '' },
      outputs: [],
      columns: contents.columns,
      diagnosticColumns: [],
      chains: ranges.map((range) => ({
        id: range.chain,
        warmup: 0,
        draws: range.count,
        values: readRows(contents.path, range),
        diagnostics: new Float64Array(),
        initial: undefined,
        adapted: undefined,
        comments: [],
        state: stored?.state(range.chain),
      })),
    });
    return model.loo(fit, values, { momentMatch, exact: sampler, signal });
  });
}
