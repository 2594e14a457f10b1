import type { Chains } from '../../../src/inference/diagnostics/chains.js';
import { statisticsOf } from '../../../src/inference/diagnostics/draw-statistics.js';
import { compare, type Posterior } from '../../posterior/compare.js';
import { compileForChains } from '../../support/chain.js';
import type { CorpusModel } from '../corpus.js';
import type { Failure, SamplerRun } from './run.js';
import type { NamedSampler } from './samplers.js';

const PARAMETERS = { transformedParameters: false, generatedQuantities: false };
/** Number of effective draws that a run must produce. */
const EFFECTIVE_DRAWS = 400;

interface Subject {
  readonly posterior: string;
  /** The name of the sampler. */
  readonly sampler: string;
  readonly seed: number;
}

/** A sampler that produced no draws. */
export type FailedRun = Subject & Failure;

/** The cost and the results of four chains of a sampler. */
export interface Measurement extends Subject, Omit<SamplerRun, 'draws'> {
  /** Effective sample size, in the bulk or in the tails, of the quantity with the fewest effective draws. */
  readonly effectiveDraws: number;
  /** The largest. */
  readonly rhat: number;
  /** The largest difference of a mean or standard deviation from that of the reference draws, in standard errors; absent without a reference. */
  readonly deviation?: { readonly what: string; readonly z: number };
}

/** A run of a sampler on a posterior. */
export type Run = Measurement | FailedRun;

export function isMeasured(run: Run): run is Measurement {
  return !('failure' in run);
}

/** Gradients of warmup and of the subsequent iterations that produce 400 effective draws. */
export function gradientsNeeded({ effectiveDraws, gradients }: Measurement): number {
  return gradients.warmup + (gradients.sampling * EFFECTIVE_DRAWS) / effectiveDraws;
}

/** Seconds from the source of the program to 400 effective draws, on one processor; undefined if compilation was not measured. */
export function secondsNeeded(measurement: Measurement): number | undefined {
  const { compilation } = measurement.seconds;
  return compilation === undefined ? undefined : compilation + samplingSecondsNeeded(measurement);
}

/** The same, without compilation. */
export function samplingSecondsNeeded({ effectiveDraws, seconds }: Measurement): number {
  return seconds.warmup + (seconds.sampling * EFFECTIVE_DRAWS) / effectiveDraws;
}

/** Runs the sampler. Quantities are those of the reference, or all parameters. */
export function measure(
  item: CorpusModel,
  sampler: Pick<NamedSampler, 'name' | 'run'>,
  seed: number,
  reference: Posterior | undefined,
  names = reference?.names ?? parametersOf(item),
): Run {
  const subject = { posterior: item.name, sampler: sampler.name, seed };
  const run = sampler.run(item, seed);
  if ('failure' in run) return { ...subject, ...run };
  const { draws, ...costs } = run;
  const missing = names.find((name) => !draws.has(name));
  if (missing !== undefined) return { ...subject, failure: `no draws of ${missing}` };
  const quantities = names.map((name) => draws.get(name)).filter((chains) => chains !== undefined);
  return {
    ...subject,
    ...costs,
    ...worst(quantities),
    ...(reference && { deviation: compare(draws, reference).largest }),
  };
}

/** Columns of the parameters. */
export function parametersOf({ dataText, text }: CorpusModel): readonly string[] {
  return compileForChains(text)?.instantiate(dataText, 1).constrainedNames(PARAMETERS) ?? [];
}

/** The smallest effective sample size and the largest R-hat of non-constant quantities. */
function worst(quantities: readonly Chains[]): { readonly effectiveDraws: number; readonly rhat: number } {
  const varying = quantities.filter((chains) => chains.some((draws) => draws.some((value) => value !== chains[0][0])));
  const statistics = varying.map((chains) =>
    statisticsOf(chains, ({ essBulk, essTail, rhat }) => ({ essBulk, essTail, rhat })),
  );
  const finite = (values: readonly number[], other: number) =>
    values.map((value) => (Number.isNaN(value) ? other : value));
  return {
    effectiveDraws: Math.min(
      ...finite(
        statistics.flatMap(({ essBulk, essTail }) => [essBulk, essTail]),
        1,
      ),
    ),
    rhat: Math.max(
      ...finite(
        statistics.map(({ rhat }) => rhat),
        Number.POSITIVE_INFINITY,
      ),
    ),
  };
}
