import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { EngineModel } from '../../src/chain/model-host.js';
import { quantiles } from '../../src/inference/diagnostics/moments.js';
import { rhat } from '../../src/inference/diagnostics/rhat.js';
import { type InitialValues, noInitialValues } from '../../src/inference/target.js';
import { readJson } from '../conformance/engine.js';
import { compare, type Posterior } from '../posterior/compare.js';
import { compileForChains, type Program, runChain, targetOf } from '../support/chain.js';
import { type CorpusModel, corpus, geometricMean, median } from './corpus.js';

const CHAINS = 4;
const SAMPLES = 1000;
const LENGTHS = [20, 50, 100, 150, 200, 300, 500, 1000];
const SEEDS = [1, 2];
/** In short runs, a chain has arrived when its log density first exceeds this quantile of the draws' log densities. */
const SHORT = { num_warmup: 100, num_samples: 250 };
const ARRIVED = 0.05;
const MIXED = 1.01;
/** Initial iterations of a warmup of 1000, which find the bulk of the posterior before the metric is learned. */
const INITIAL_BUFFER = 75;
/** Number of draws of a path in addition to those for its best ELBO. */
const FURTHER_DRAWS = 975;
/** Columns of a diagnostic: the number of leapfrog steps, and the first unconstrained parameter. */
const LEAPFROG_STEPS = 4;
const POSITION = 7;
const NUTS = 'hmc_nuts_diag_e_adapt';
const PATHFINDER = 'pathfinder_lbfgs_multi';

interface Warmup {
  /** Gradients of 1000 iterations of warmup, over all chains, and those of its initial buffer. */
  readonly gradients: number;
  readonly first: number;
  /** Gradients until all chains have arrived. */
  readonly arrival: number;
  /** The fewest iterations among `LENGTHS` after which the draws are good; infinite if no length suffices. */
  readonly shortest: number;
}

export interface InitialValuesRow {
  readonly name: string;
  readonly random: Warmup;
  readonly pathfinder: Warmup;
  /** The cost of the approximation: gradients, and log densities without gradients. */
  readonly spent: { readonly gradients: number; readonly densities: number };
}

/**
 * The warmup that starting at draws of Pathfinder saves, on models with a recorded posterior. Draws are good if every R-hat is below 1.01
 * and means and standard deviations agree with the recorded ones as `posterior` requires.
 */
export function benchInitialValues(folder: string, only: RegExp): InitialValuesRow[] {
  const rows: InitialValuesRow[] = [];
  for (const item of corpus(resolve(folder), only)) {
    const file = join(dirname(item.program), 'posterior.json');
    const program = existsSync(file) ? compileForChains(item.text) : undefined;
    if (program === undefined) continue;
    const row = SEEDS.map((seed) => measure(item, program, readJson<Posterior>(file), seed)).reduce(together);
    rows.push(row);
    const { pathfinder, random, spent } = row;
    const pairs = [random, pathfinder];
    const counts = [...pairs.map(({ gradients }) => gradients), ...pairs.map(({ first }) => first)];
    const costs = [...pairs.map(({ arrival }) => arrival), spent.gradients, spent.densities];
    console.log(
      `${row.name.padEnd(40)} ${[...counts, ...costs].map(Math.round).join(' ')}  ${random.shortest} ${pathfinder.shortest}`,
    );
  }
  if (rows.length === 0) return rows;
  const ratio = (of: (warmup: Warmup) => number): string =>
    geometricMean(rows.map(({ pathfinder, random }) => of(pathfinder) / of(random))).toFixed(2);
  const lengths = (of: (row: InitialValuesRow) => Warmup): number => median(rows.map((row) => of(row).shortest));
  const fewer = rows.filter(({ pathfinder, random }) => pathfinder.shortest < random.shortest).length;
  const more = rows.filter(({ pathfinder, random }) => pathfinder.shortest > random.shortest).length;
  console.log(
    `bench initial-values: ${ratio(({ gradients }) => gradients)} times the gradients of random values, ` +
      `${ratio(({ first }) => first)} times in the initial buffer, ${ratio(({ arrival }) => arrival)} times until arrival; shortest warmup in the median ` +
      `${lengths(({ pathfinder }) => pathfinder)} for ${lengths(({ random }) => random)}, ` +
      `shorter on ${fewer} and longer on ${more} of ${rows.length} models`,
  );
  return rows;
}

/** Over two seeds: the mean number of gradients, and the length that suffices for both. */
function together(a: InitialValuesRow, b: InitialValuesRow): InitialValuesRow {
  const both = (x: Warmup, y: Warmup): Warmup => ({
    gradients: (x.gradients + y.gradients) / 2,
    first: (x.first + y.first) / 2,
    arrival: (x.arrival + y.arrival) / 2,
    shortest: Math.max(x.shortest, y.shortest),
  });
  return {
    name: a.name,
    random: both(a.random, b.random),
    pathfinder: both(a.pathfinder, b.pathfinder),
    spent: {
      gradients: (a.spent.gradients + b.spent.gradients) / 2,
      densities: (a.spent.densities + b.spent.densities) / 2,
    },
  };
}

function measure(item: CorpusModel, program: Program, expected: Posterior, seed: number): InitialValuesRow {
  const model = program.instantiate(item.dataText, seed);
  const { positions, spent } = approximate(model, seed);
  const arrivals = measureArrivals(model, positions, seed);
  const warmup = (initialOf: (chain: number) => InitialValues, arrival: number): Warmup => {
    const run = (length: number) =>
      Array.from({ length: CHAINS }, (_, index) => {
        const given = { num_warmup: length, num_samples: SAMPLES, save_warmup: true, refresh: 0 };
        return runChain(NUTS, given, model, seed, index + 1, initialOf(index));
      });
    const whole = run(1000);
    const gradients = (iterations: number) =>
      whole
        .flatMap(({ diagnostics }) => diagnostics.slice(0, iterations))
        .reduce((sum, diagnostic) => sum + diagnostic[LEAPFROG_STEPS], 0);
    const isEnough = (length: number) => isGood(length === 1000 ? whole : run(length), model, expected);
    return {
      gradients: gradients(1000),
      first: gradients(INITIAL_BUFFER),
      arrival,
      shortest: LENGTHS.find(isEnough) ?? Number.POSITIVE_INFINITY,
    };
  };
  return {
    name: item.name,
    random: warmup(() => noInitialValues, arrivals.random),
    pathfinder: warmup((index) => at(positions[index]), arrivals.pathfinder),
    spent,
  };
}

/** Gradients until all chains have arrived at the bulk of the posterior, which the draws of the chains from Pathfinder define. */
function measureArrivals(
  model: EngineModel,
  positions: readonly Float64Array[],
  seed: number,
): { readonly random: number; readonly pathfinder: number } {
  const run = (initialOf: (index: number) => InitialValues) =>
    Array.from({ length: CHAINS }, (_, index) => {
      const given = { ...SHORT, save_warmup: true, refresh: 0 };
      return runChain(NUTS, given, model, seed, index + 1, initialOf(index));
    });
  const fromPathfinder = run((index) => at(positions[index]));
  const values = fromPathfinder.flatMap(({ draws }) => draws.slice(-SHORT.num_samples).map(([value]) => value));
  const [enough] = quantiles(Float64Array.from(values), [ARRIVED]);
  const until = (sinks: typeof fromPathfinder): number =>
    sinks
      .flatMap(({ diagnostics, draws }) => {
        const arrived = draws.findIndex(([value]) => value >= enough);
        return diagnostics.slice(0, arrived < 0 ? undefined : arrived + 1);
      })
      .reduce((sum, diagnostic) => sum + diagnostic[LEAPFROG_STEPS], 0);
  return { random: until(run(() => noInitialValues)), pathfinder: until(fromPathfinder) };
}

/** Starting points for the chains, spread over the draws of an approximation, and their cost. */
export function approximate(model: EngineModel, seed: number) {
  const target = targetOf(model, seed, 1);
  const { draws, lines } = runChain(PATHFINDER, { refresh: 1 }, model, seed, 1, noInitialValues, target);
  const length = model.constrainedNames({ transformedParameters: false, generatedQuantities: false }).length;
  const own = (draws[0]?.length ?? 0) - target.drawLength;
  const positions = Array.from({ length: CHAINS }, (_, index) => {
    const draw = draws[Math.floor((index * draws.length) / CHAINS)];
    if (draw === undefined) throw new Error(lines.at(-1));
    return model.unconstrainDraw(draw.slice(own, own + length));
  });
  const evaluations = lines.flatMap((line) => /Best Iter: .* evaluations: \((\d+)\)/.exec(line)?.[1] ?? []).map(Number);
  const densities = evaluations.reduce((sum, count) => sum + count - 1 + FURTHER_DRAWS, 0);
  return { positions, spent: { gradients: target.gradients, densities } };
}

function at(values: Float64Array): InitialValues {
  return {
    given: 'all',
    apply: (position) => {
      position.set(values);
      return undefined;
    },
  };
}

function isGood(sinks: readonly ReturnType<typeof runChain>[], model: EngineModel, expected: Posterior): boolean {
  const kept = sinks.map(({ diagnostics, draws }) => ({
    diagnostics: diagnostics.slice(-SAMPLES),
    draws: draws.slice(-SAMPLES),
  }));
  if (kept.some(({ draws }) => draws.length < SAMPLES)) return false;
  const mixed = Array.from({ length: model.dimension }, (_, i) =>
    rhat(kept.map(({ diagnostics }) => Float64Array.from(diagnostics, (each) => each[POSITION + i]))),
  ).every((value) => value < MIXED);
  const names = model.constrainedNames({ transformedParameters: true, generatedQuantities: true });
  const column = (name: string) => names.indexOf(name) - names.length;
  const draws = new Map(
    expected.names
      .filter((name) => names.includes(name))
      .map((name) => [
        name,
        kept.map((chain) => Float64Array.from(chain.draws, (draw) => draw.at(column(name)) ?? Number.NaN)),
      ]),
  );
  return mixed && compare(draws, expected).failures.length === 0;
}
