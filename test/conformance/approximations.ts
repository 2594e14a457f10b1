import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mean, quantiles, standardDeviation } from '../../src/inference/diagnostics/moments.js';
import { packageRoot } from '../../src/node/package-root.js';
import type { Posterior } from '../posterior/compare.js';
import { compileForChains, type Program, runChain } from '../support/chain.js';
import { readJson } from './engine.js';
import { Comparison, type Outcome, unsupported } from './outcome.js';

/** Limits on the difference between the moments of an approximation and those of the posterior, over all runs. */
interface Limits {
  /** Maximum difference of the means, in standard deviations of the posterior. */
  readonly mean: number;
  /** Minimum and maximum ratio of standard deviations. */
  readonly ratio: readonly [number, number];
}

interface Approximation {
  readonly name: string;
  /** The arguments of the run that is compared with the posterior. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly limits: Limits;
}

const CONVERGED = { grad_samples: 10, tol_rel_obj: 0.001, output_samples: 2000 };

/**
 * Wide limits apply to independent normals, which lack correlations and are therefore too narrow, to full rank, whose scales still vary
 * after the ELBO has converged, and to a single path, which may end at any of its points. Narrow limits apply to draws that importance
 * resampling has corrected.
 */
const APPROXIMATIONS: readonly Approximation[] = [
  { name: 'meanfield', given: CONVERGED, limits: { mean: 0.6, ratio: [0.6, 1.2] } },
  { name: 'fullrank', given: CONVERGED, limits: { mean: 0.35, ratio: [0.8, 1.45] } },
  { name: 'pathfinder_lbfgs_single', given: {}, limits: { mean: 0.6, ratio: [0.75, 1.25] } },
  { name: 'pathfinder_lbfgs_multi', given: {}, limits: { mean: 0.15, ratio: [0.9, 1.1] } },
];

/** Models of the reference folder whose posteriors are approximately normal on the unconstrained scale. */
const NEARLY_NORMAL = [
  'ar_k_process',
  'beta_regression_proportions',
  'change_point_disasters',
  'empty_containers',
  'gp_marginal_predictive',
  'linear_regression_predictive',
  'logistic_glm',
  'poisson_glm_exposure',
  'probit_bioassay',
  'robust_student_regression',
];
const POSTERIOR_SEEDS = [1, 2, 3, 4];
/** Importance weights with heavier tails indicate a poor approximation. */
const LARGEST_K = 0.7;

/** Results of real Stan: for each parameter, the average mean, its standard deviation over runs, and the same for the sd. */
interface StanRuns {
  readonly runs: number;
  readonly failed: number;
  readonly moments: Readonly<Record<string, readonly [mean: number, spread: number, sd: number, spread: number]>>;
}

const STAN_SEEDS = Array.from({ length: 12 }, (_, index) => index + 1);
/** Maximum difference of an average over runs from Stan's, in combined standard errors. */
const STANDARD_ERRORS = 5;

/**
 * Compares variational and Pathfinder approximations with posteriors (`posterior.json` of a folder's models), and with real Stan's
 * approximations with default arguments, recorded in test/reference/approximations.json.
 */
export function* runApproximations(folder: string, only: RegExp): Generator<Outcome> {
  const file = join(packageRoot(import.meta.dirname), 'test', 'reference', 'approximations.json');
  const { models } = readJson<{ models: Readonly<Record<string, Readonly<Record<string, StanRuns>>>> }>(file);
  const names = [...new Set([...NEARLY_NORMAL, ...Object.keys(models)])].sort();
  for (const name of names.filter((each) => existsSync(join(folder, each, 'model.stan')))) {
    const ids = APPROXIMATIONS.flatMap((each) => [`${name}/${each.name}/posterior`, `${name}/${each.name}/stan`]);
    if (!ids.some((id) => only.test(id))) continue;
    const program = compileForChains(readFileSync(join(folder, name, 'model.stan'), 'utf8'));
    const data = readFileSync(join(folder, name, 'data.json'), 'utf8');
    for (const approximation of APPROXIMATIONS) {
      const id = `${name}/${approximation.name}`;
      const stan = models[name]?.[approximation.name];
      const toPosterior = NEARLY_NORMAL.includes(name) && only.test(`${id}/posterior`);
      const toStan = stan !== undefined && only.test(`${id}/stan`);
      if (program === undefined) yield unsupported(id, 'does not compile');
      else {
        const posterior = readJson<Posterior>(join(folder, name, 'posterior.json'));
        if (toPosterior) yield comparePosterior(`${id}/posterior`, approximation, { program, data }, posterior);
        if (toStan) yield compareStan(`${id}/stan`, approximation, { program, data }, stan);
      }
    }
  }
}

interface Case {
  readonly program: Program;
  readonly data: string;
}

function comparePosterior(id: string, approximation: Approximation, given: Case, posterior: Posterior): Outcome {
  const comparison = new Comparison();
  const runs = POSTERIOR_SEEDS.map((seed) => run(approximation.name, approximation.given, given, seed));
  const found = runs.filter(({ columns }) => columns !== undefined);
  if (2 * found.length <= runs.length) comparison.fail(`${runs.length - found.length} of ${runs.length} runs failed`);
  const [paretoK] = quantiles(
    Float64Array.from(found, (each) => each.paretoK),
    [0.5],
  );
  if (!(paretoK < LARGEST_K)) comparison.fail(`Pareto k ${paretoK}`);
  const { limits } = approximation;
  posterior.names.forEach((name, i) => {
    const columns = found.map((each) => each.columns?.get(name) ?? []);
    const scale = posterior.sd[i];
    if (!(scale > 0)) return;
    const shift = (mean(columns.map(mean)) - posterior.mean[i]) / scale;
    const ratio = mean(columns.map(standardDeviation)) / scale;
    if (!(Math.abs(shift) <= limits.mean)) comparison.fail(`mean of ${name}: off by ${shift.toFixed(2)} sd`);
    if (!(ratio >= limits.ratio[0] && ratio <= limits.ratio[1])) {
      comparison.fail(`sd of ${name}: ${ratio.toFixed(2)} of the posterior's`);
    }
  });
  return comparison.outcome(id);
}

function compareStan(id: string, { name }: Approximation, given: Case, stan: StanRuns): Outcome {
  const comparison = new Comparison();
  const found = STAN_SEEDS.flatMap((seed) => run(name, {}, given, seed).columns ?? []);
  const failed = 1 - found.length / STAN_SEEDS.length;
  comparison.near('share of failed runs', failed, stan.failed / stan.runs, 0.35);
  for (const [parameter, [average, spread, sd, spreadOfSd]] of Object.entries(stan.moments)) {
    const columns = found.map((each) => each.get(parameter) ?? []);
    const ofStan = stan.runs - stan.failed;
    const compare = (what: string, values: readonly number[], expected: number, spreadOfStan: number): void => {
      const error = Math.hypot(standardDeviation(values) / Math.sqrt(values.length), spreadOfStan / Math.sqrt(ofStan));
      comparison.near(`${what} of ${parameter}`, mean(values), expected, STANDARD_ERRORS * error);
    };
    compare('mean', columns.map(mean), average, spread);
    compare('sd', columns.map(standardDeviation), sd, spreadOfSd);
  }
  return comparison.outcome(id);
}

interface Run {
  /** The values of each column; undefined if the run failed. */
  readonly columns: ReadonlyMap<string, number[]> | undefined;
  /** The message, as reported. */
  readonly paretoK: number;
}

function run(name: string, given: Readonly<Record<string, unknown>>, { data, program }: Case, seed: number): Run {
  const model = program.instantiate(data, seed);
  const { draws, lines } = runChain(name, { refresh: 0, ...given }, model, seed);
  if (draws.length === 0) return { columns: undefined, paretoK: Number.NaN };
  const isVariational = !name.startsWith('pathfinder');
  const kept = isVariational ? draws.slice(1) : draws;
  const names = model.constrainedNames({ transformedParameters: true, generatedQuantities: true });
  const own = draws[0].length - names.length;
  const reported = lines.flatMap((line) => /Pareto k of the importance ratios: (\S+)/.exec(line)?.[1] ?? []);
  return {
    columns: new Map(names.map((each, i) => [each, kept.map((draw) => draw[own + i])])),
    paretoK: Number(reported[0]),
  };
}
