import { moduleOptions } from '../../../src/chain/own-module.js';
import { noInitialValues } from '../../../src/inference/target.js';
import { compileForChains, type Program, runChain, targetOf } from '../../support/chain.js';
import type { CorpusModel } from '../corpus.js';
import { CHAINS, type Cost, type Engine, type Failure, type SamplerRun, sum } from './run.js';

/** Columns of a draw. */
const [LEAPFROG_STEPS, DIVERGENT, VALUES] = [4, 5, 7];
const ALL = { transformedParameters: true, generatedQuantities: true };

/** One of our samplers, by the short name of its function and its arguments. */
export function leapfrog(algorithm: string, given: Settings = {}): Engine {
  return ({ dataText, text }, seed) => {
    const started = processorSeconds();
    const program = compileForChains(text, moduleOptions(algorithm, given));
    if (program === undefined) return { failure: 'the compiler refuses the program' };
    program.instantiate(dataText, seed);
    const compilation = processorSeconds() - started;
    const run = fourChains(program, dataText, algorithm, given, seed);
    return 'failure' in run ? run : { ...run, seconds: { ...run.seconds, compilation } };
  };
}

/**
 * The same for a process that measures several runs of one model. It compiles the program and runs one chain before those it measures.
 * Undefined if this chain takes longer than a number of processor seconds.
 */
export function warmLeapfrog(
  algorithm: string,
  given: Settings,
  { dataText, text }: CorpusModel,
  most = Number.POSITIVE_INFINITY,
): Engine | undefined {
  const program = compileForChains(text, moduleOptions(algorithm, given));
  if (program === undefined) return () => ({ failure: 'the compiler refuses the program' });
  const end = processorSeconds() + most;
  const isLate = () => processorSeconds() > end;
  oneChain(program, dataText, algorithm, given, 1, CHAINS + 1, isLate);
  return isLate() ? undefined : (_, seed) => fourChains(program, dataText, algorithm, given, seed);
}

type Settings = Readonly<Record<string, unknown>>;

function fourChains(
  program: Program,
  dataText: string,
  algorithm: string,
  given: Settings,
  seed: number,
): SamplerRun | Failure {
  const names = program.instantiate(dataText, seed).constrainedNames(ALL);
  const runs = Array.from({ length: CHAINS }, (_, index) =>
    oneChain(program, dataText, algorithm, given, seed, index + 1),
  );
  const chains = runs.map(({ draws }) => draws);
  if (chains.some(({ length }) => length === 0)) return { failure: 'a chain has no draws' };
  const sampling = sum(chains.flat().map((draw) => draw[LEAPFROG_STEPS]));
  return {
    gradients: { warmup: sum(runs.map(({ gradients }) => gradients)) - sampling, sampling },
    seconds: {
      warmup: sum(runs.map(({ seconds }) => seconds.warmup)),
      sampling: sum(runs.map(({ seconds }) => seconds.sampling)),
    },
    divergences: sum(chains.flat().map((draw) => draw[DIVERGENT])),
    draws: new Map(
      names.map((name, k) => [name, chains.map((draws) => Float64Array.from(draws, (draw) => draw[VALUES + k]))]),
    ),
  };
}

function oneChain(
  program: Program,
  dataText: string,
  algorithm: string,
  given: Settings,
  seed: number,
  index: number,
  interrupt = () => false,
) {
  const model = program.instantiate(dataText, seed);
  const target = targetOf(model, seed, index);
  const settings = { ...given, refresh: 0 };
  const { draws, lines } = runChain(
    algorithm,
    settings,
    model,
    seed,
    index,
    noInitialValues,
    target,
    processorSeconds,
    interrupt,
  );
  return { draws, gradients: target.gradients, seconds: elapsed(lines) };
}

function processorSeconds(): number {
  const { system, user } = process.cpuUsage();
  return (system + user) / 1e6;
}

/** Reads the seconds that a chain has logged. */
export function elapsed(lines: readonly string[]): Cost {
  const of = (phase: string): number =>
    Number(/([\d.e-]+) seconds/.exec(lines.find((line) => line.endsWith(`seconds (${phase})`)) ?? '')?.[1]);
  return { warmup: of('Warm-up'), sampling: of('Sampling') };
}
