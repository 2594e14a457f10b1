import type { Chains } from '../../../src/inference/diagnostics/chains.js';
import { DrawStatistics } from '../../../src/inference/diagnostics/draw-statistics.js';
import { noInitialValues } from '../../../src/inference/target.js';
import { moduleOptions } from '../../../src/run/own-module.js';
import { compare, type Posterior } from '../../posterior/compare.js';
import { compileForChains, runChain, targetOf } from '../../support/chain.js';
import type { CorpusModel } from '../corpus.js';
import type { NamedSampler } from './samplers.js';

const CHAINS = 4;
/** Columns of a draw. */
const [LEAPFROG_STEPS, DIVERGENT, VALUES] = [4, 5, 7];
const ALL = { transformedParameters: true, generatedQuantities: true };
const PARAMETERS = { transformedParameters: false, generatedQuantities: false };
/** Effective draws that a run is for. */
const EFFECTIVE_DRAWS = 400;

/** What four chains of a sampler took, and what they gave. */
export interface Measurement {
  readonly posterior: string;
  readonly sampler: string;
  readonly seed: number;
  readonly gradients: Cost;
  /** Processor seconds; compilation is that of the program. */
  readonly seconds: Cost & { readonly compilation: number };
  /** Of the quantity with the fewest, in the bulk or in the tails. */
  readonly effectiveDraws: number;
  /** The largest. */
  readonly rhat: number;
  readonly divergences: number;
  /** The mean or standard deviation that is furthest from that of the reference draws, in standard errors; absent without a reference. */
  readonly deviation?: { readonly what: string; readonly z: number };
}

interface Cost {
  readonly warmup: number;
  readonly sampling: number;
}

/** Gradients of warmup and of as many iterations after it as give 400 effective draws. */
export function gradientsNeeded({ effectiveDraws, gradients }: Measurement): number {
  return gradients.warmup + (gradients.sampling * EFFECTIVE_DRAWS) / effectiveDraws;
}

/** Seconds from the source of the program to 400 effective draws, on one processor. */
export function secondsNeeded({ effectiveDraws, seconds }: Measurement): number {
  return seconds.compilation + seconds.warmup + (seconds.sampling * EFFECTIVE_DRAWS) / effectiveDraws;
}

/** Runs four chains with 1000 iterations after warmup. Quantities are those of the reference, or all parameters. */
export function measure(
  item: CorpusModel,
  sampler: NamedSampler,
  seed: number,
  reference: Posterior | undefined,
): Measurement | undefined {
  const started = processorSeconds();
  const program = compileForChains(item.text, moduleOptions(sampler.algorithm, sampler.given));
  if (program === undefined) return undefined;
  const first = program.instantiate(item.dataText, seed);
  const compilation = processorSeconds() - started;
  const runs = Array.from({ length: CHAINS }, (_, index) => {
    const model = program.instantiate(item.dataText, seed);
    const target = targetOf(model, seed, index + 1);
    const given = { ...sampler.given, refresh: 0 };
    const { draws, lines } = runChain(
      sampler.algorithm,
      given,
      model,
      seed,
      index + 1,
      noInitialValues,
      target,
      processorSeconds,
    );
    return { draws, gradients: target.gradients, seconds: elapsed(lines) };
  });
  const chains = runs.map(({ draws }) => draws);
  if (chains.some(({ length }) => length === 0)) return undefined;
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const sampling = sum(chains.flat().map((draw) => draw[LEAPFROG_STEPS]));
  const names = first.constrainedNames(ALL);
  const quantities = new Map(
    (reference?.names ?? first.constrainedNames(PARAMETERS)).map((name): [string, Chains] => {
      const column = VALUES + names.indexOf(name);
      return [name, chains.map((draws) => Float64Array.from(draws, (draw) => draw[column]))];
    }),
  );
  const { effectiveDraws, rhat } = worst([...quantities.values()]);
  return {
    posterior: item.name,
    sampler: sampler.name,
    seed,
    gradients: { warmup: sum(runs.map(({ gradients }) => gradients)) - sampling, sampling },
    seconds: {
      compilation,
      warmup: sum(runs.map(({ seconds }) => seconds.warmup)),
      sampling: sum(runs.map(({ seconds }) => seconds.sampling)),
    },
    effectiveDraws,
    rhat,
    divergences: sum(chains.flat().map((draw) => draw[DIVERGENT])),
    ...(reference && { deviation: compare(quantities, reference).largest }),
  };
}

/** The fewest effective draws and the largest R-hat of quantities that vary. */
function worst(quantities: readonly Chains[]): { readonly effectiveDraws: number; readonly rhat: number } {
  const varying = quantities.filter((chains) => chains.some((draws) => draws.some((value) => value !== chains[0][0])));
  const statistics = varying.map((chains) => DrawStatistics.of(chains));
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

function processorSeconds(): number {
  const { system, user } = process.cpuUsage();
  return (system + user) / 1e6;
}

/** Reads the seconds that a chain has logged. */
function elapsed(lines: readonly string[]): Cost {
  const of = (phase: string): number =>
    Number(/([\d.e-]+) seconds/.exec(lines.find((line) => line.endsWith(`seconds (${phase})`)) ?? '')?.[1]);
  return { warmup: of('Warm-up'), sampling: of('Sampling') };
}
