/** Checks that CSV files in CmdStan's format contain draws and are complete. */
import { csvRequest } from './csv-request.js';
import { type CsvEntry, csvSetting, csvSettings, endOfWarmup } from './stan-csv.js';

/** The last comment at the head of the diagnostic file of a variational approximation. */
const VARIATIONAL_DIAGNOSTICS = 'iter,time_in_seconds,ELBO';

/**
 * Whether a file is a diagnostic file. It has the comments of the file with the draws, but different columns. For a sampler, these are the
 * unconstrained parameters and as many momenta `p_…` and gradients `g_…`; for a variational approximation, a comment names them.
 */
export function areDiagnostics(head: readonly string[], columns: readonly string[]): boolean {
  const isVariational = [...head, columns.join()].some((line) => line.endsWith(VARIATIONAL_DIAGNOSTICS));
  return isVariational || areSamplerDiagnostics(head, columns);
}

/** Throws an `Error` for a diagnostic file. */
export function refuseDiagnostics(head: readonly string[], columns: readonly string[]): void {
  if (!areDiagnostics(head, columns)) return;
  throw new Error(
    'the columns are those of a diagnostic file (diagnostic_file), which has no draws on the scale of the parameters. Open the output file of the same run',
  );
}

function areSamplerDiagnostics(head: readonly string[], columns: readonly string[]): boolean {
  // A run without a diagnostic file has parameters of these names.
  if (csvSetting(csvSettings(head), 'diagnostic_file') === '') return false;
  const own = columns.filter((name) => !name.endsWith('__'));
  const count = own.length / 3;
  return (
    count >= 1 &&
    own.slice(0, count).every((name, k) => own[count + k] === `p_${name}` && own[2 * count + k] === `g_${name}`)
  );
}

/** The problem with a sampler's chain that has fewer draws than the comments specify; undefined if the chain is complete. */
export function missingDraws(head: readonly string[], entries: readonly CsvEntry[]): string | undefined {
  if (csvSettings(head).get('method') !== 'sample') return undefined;
  const { num_samples: samples, num_thin: thin = 1 } = csvRequest(head).arguments;
  if (typeof samples !== 'number' || typeof thin !== 'number') return undefined;
  const end = endOfWarmup(entries);
  const found = entries.slice(end + 1).filter(({ kind }) => kind === 'draw').length;
  const expected = Math.ceil(samples / thin);
  if (found >= expected) return undefined;
  return `only ${found} of ${expected} draws, because its run was stopped or has not ended, or the file is truncated`;
}
