import { Command } from 'commander';
import { LOG_LIKELIHOOD } from '../../derive/derived-names.js';
import { type ComparedFit, compareFits } from '../../fits/comparison.js';
import type { LeaveOneOut } from '../../fits/cross-validation.js';
import { placesOf } from '../../formats/columns.js';
import type { Compared } from '../../inference/validation/comparison.js';
import { readText } from '../../node/input-files.js';
import { printData, printProblem } from '../../node/standard-streams.js';
import type { FitWithEvidence } from '../../studies/evidence-comparison.js';
import { leaveOneOutOf, withDraws } from '../draws/finished-draws.js';
import { CommandError } from '../errors.js';
import { digitsOption, formatOption } from '../options/table-options.js';
import { modelTable } from '../tables/tables.js';
import { isEvidence, printEvidenceComparison, readPriors } from './compare-evidence.js';

interface CompareFlags {
  readonly variable: string;
  readonly prior?: string;
  readonly sigFigs: number;
  readonly format: string;
}

/** `leapfrog compare`: compares predictions of the same observations by several models. */
export function compareCommand(): Command {
  return new Command('compare')
    .description(
      'Compare how well models predict the same observations, by leave-one-out cross-validation, or their log evidences.',
    )
    .argument(
      '<files...>',
      'files with draws, or results of `leapfrog loo` or `leapfrog evidence` with `--format json`; files that differ only in the suffix _1, _2, … are chains of one fit',
    )
    .option('--variable <name>', 'variable with the log likelihood of each observation', LOG_LIKELIHOOD)
    .option(
      '--prior <numbers>',
      'with log evidences, probabilities of the models before the data, separated by commas; equal by default',
    )
    .addOption(digitsOption())
    .addOption(formatOption())
    .addHelpText(
      'after',
      '\nExamples:\n  $ leapfrog compare pooled-sample_*.csv hierarchical-sample_*.csv\n  $ leapfrog compare pooled.arrow hierarchical.arrow\n  $ leapfrog loo pooled-sample_*.csv --program pooled.stan --data data.json --format json > pooled.json\n  $ leapfrog compare pooled.json hierarchical.json',
    )
    .action(async (paths: string[], { format, prior, sigFigs, variable }: CompareFlags) => {
      const fits: ComparedFit[] = [];
      const named = fitsOf(paths);
      if (named.size === 1) {
        const [name] = named.keys();
        throw new CommandError(`error: all files belong to one fit, ${name}; pass files of at least one other fit`);
      }
      const results = resultsOf(named);
      const evidence = evidenceFits(results, prior);
      if (evidence !== undefined) return printEvidenceComparison(evidence, format, sigFigs);
      if (prior !== undefined)
        throw new CommandError('error: --prior requires results of `leapfrog evidence --format json`');
      for (const result of results) fits.push({ ...(await leaveOneOutIn(result, variable)), name: result.name });
      const { cautions, models } = compareFits(fits).comparison;
      for (const caution of cautions) printProblem(`note: ${caution}\n`);
      printData(modelTable(HEADINGS, models, cells, { digits: sigFigs, format }));
    });
}

/** The files of a fit, and the value in them if they are a JSON file. */
interface Result {
  readonly name: string;
  readonly files: readonly string[];
  readonly isJson: boolean;
  /** Undefined for files with draws, and for text that is not JSON. */
  readonly value: unknown;
}

function resultsOf(named: ReadonlyMap<string, readonly string[]>): readonly Result[] {
  return [...named].map(([name, files]) => {
    const isJson = files.length === 1 && /\.json$/i.test(files[0]);
    return { name, files, isJson, value: isJson ? parsedJson(files[0]) : undefined };
  });
}

/** The value in a JSON file; undefined if it is not JSON. */
function parsedJson(file: string): unknown {
  const text = readText(file, { name: file });
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The cross-validation of draws, computed or read from a file. */
async function leaveOneOutIn(
  { files, isJson, name, value }: Result,
  variable: string,
): Promise<Omit<ComparedFit, 'name'>> {
  if (!isJson) {
    return withDraws(files, (draws) => {
      if (placesOf(variable, draws.contents.columns).length > 0) return leaveOneOutOf(draws, variable);
      throw new CommandError(
        `error: the draws of ${name} have no variable ${variable}. Compare results of \`leapfrog loo --program --data --format json\`, which ` +
          'derives the log likelihood from the program, or pass --variable to name the variable with the log likelihood of each observation.',
      );
    });
  }
  if (!isLeaveOneOut(value)) throw new CommandError(`error: ${files[0]} is not a result of leapfrog loo --format json`);
  return value;
}

/**
 * The log evidences of all fits, if all files are results of `leapfrog evidence`; undefined if none is. `prior` lists
 * the models' probabilities.
 */
function evidenceFits(results: readonly Result[], prior: string | undefined): readonly FitWithEvidence[] | undefined {
  const found = results.flatMap(({ name, value }) => (isEvidence(value) ? [{ ...value, name }] : []));
  if (found.length === 0) return undefined;
  const other = results.find(({ value }) => !isEvidence(value));
  if (other !== undefined)
    throw new CommandError(`error: ${other.files[0]} is not a result of leapfrog evidence --format json`);
  const priors = prior === undefined ? [] : readPriors(prior, found.length);
  return found.map((fit, k) => ({ ...fit, prior: priors[k] ?? 1 }));
}

function isLeaveOneOut(value: unknown): value is LeaveOneOut {
  if (typeof value !== 'object' || value === null || !('looic' in value) || !('observations' in value)) return false;
  const { observations } = value;
  const isObservation = (each: unknown) =>
    typeof each === 'object' && each !== null && 'name' in each && 'elpd' in each && typeof each.elpd === 'number';
  const others = 'greatestK' in value && 'unreliable' in value && Array.isArray(value.unreliable);
  return others && Array.isArray(observations) && observations.length > 0 && observations.every(isObservation);
}

/** Files by the names of their fits: paths without the number of the chain and the extension. */
export function fitsOf(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const fits = new Map<string, string[]>();
  for (const path of paths) {
    const name = path.replace(/\.\w+$/, '').replace(/_\d+$/, '');
    fits.set(name, [...(fits.get(name) ?? []), path]);
  }
  return fits;
}

const HEADINGS = ['elpd_diff', 'se_diff', 'p_worse', 'elpd_loo', 'stacking', 'pseudo_bma_plus'];

function cells(compared: Compared, text: (value: number) => string) {
  const { name, difference, elpd, probabilityWorse, pseudoBmaPlus, stacking, standardError } = compared;
  const probability = Number.isNaN(probabilityWorse) ? '' : text(probabilityWorse);
  return [name, text(difference), text(standardError), probability, ...[elpd, stacking, pseudoBmaPlus].map(text)];
}
