import { noInitialValues } from '../../../src/inference/target.js';
import { moduleOptions } from '../../../src/run/own-module.js';
import { compileForChains, runChain, targetOf } from '../../support/chain.js';
import { CHAINS, type Cost, type Engine, sum } from './run.js';

/** Columns of a draw. */
const [LEAPFROG_STEPS, DIVERGENT, VALUES] = [4, 5, 7];
const ALL = { transformedParameters: true, generatedQuantities: true };

/** One of our samplers, by the short name of its function and its arguments. */
export function leapfrog(algorithm: string, given: Readonly<Record<string, unknown>> = {}): Engine {
  return ({ dataText, text }, seed) => {
    const started = processorSeconds();
    const program = compileForChains(text, moduleOptions(algorithm, given));
    if (program === undefined) return { failure: 'the compiler refuses the program' };
    const names = program.instantiate(dataText, seed).constrainedNames(ALL);
    const compilation = processorSeconds() - started;
    const runs = Array.from({ length: CHAINS }, (_, index) => {
      const model = program.instantiate(dataText, seed);
      const target = targetOf(model, seed, index + 1);
      const settings = { ...given, refresh: 0 };
      const { draws, lines } = runChain(
        algorithm,
        settings,
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
    if (chains.some(({ length }) => length === 0)) return { failure: 'a chain has no draws' };
    const sampling = sum(chains.flat().map((draw) => draw[LEAPFROG_STEPS]));
    return {
      gradients: { warmup: sum(runs.map(({ gradients }) => gradients)) - sampling, sampling },
      seconds: {
        compilation,
        warmup: sum(runs.map(({ seconds }) => seconds.warmup)),
        sampling: sum(runs.map(({ seconds }) => seconds.sampling)),
      },
      divergences: sum(chains.flat().map((draw) => draw[DIVERGENT])),
      draws: new Map(
        names.map((name, k) => [name, chains.map((draws) => Float64Array.from(draws, (draw) => draw[VALUES + k]))]),
      ),
    };
  };
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
