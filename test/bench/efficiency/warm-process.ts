import { corpusModel } from '../corpus.js';
import { warmLeapfrog } from './leapfrog.js';
import { measure, parametersOf } from './measure.js';
import { ownSampler } from './samplers.js';

/** Processor seconds that a chain of the first sampler may take, after which the posterior is left out: the rule of `test/bench/untouched`. */
const CHAIN_SECONDS = 3;

/** Runs samplers of Leapfrog and prints each run as a line of JSON: `node warm-process.js FOLDER SAMPLER,… RUNS`. */
const [folder, names, wanted] = process.argv.slice(2);
const runs: readonly { posterior: string; sampler: string; seed: number }[] = JSON.parse(wanted);
const item = corpusModel(folder);
const [first, ...others] = names.split(',');
const print = (run: object): void => void process.stdout.write(`${JSON.stringify(run)}\n`);
const warm = (name: string, most?: number) => {
  const { algorithm, given = {} } = ownSampler(name);
  return warmLeapfrog(algorithm, given, item, most);
};
const reference = warm(first, CHAIN_SECONDS);
if (reference === undefined) {
  const failure = { failure: `a chain takes more than ${CHAIN_SECONDS} processor seconds`, limit: CHAIN_SECONDS };
  print({ ...runs[0], sampler: first, ...failure });
} else {
  const samplers = new Map([[first, reference], ...others.map((name) => [name, warm(name)] as const)]);
  const quantities = parametersOf(item);
  for (const { sampler, seed } of runs) {
    const run = samplers.get(sampler);
    if (run !== undefined) print(measure(item, { name: sampler, run }, seed, undefined, quantities));
  }
}
