import { corpusModel } from '../corpus.js';
import { leapfrog } from './leapfrog.js';

/** Runs a sampler of Leapfrog and prints the run as JSON: `node one-run.js ALGORITHM ARGUMENTS FOLDER SEED`. */
const [algorithm, given, folder, seed] = process.argv.slice(2);
const run = leapfrog(algorithm, JSON.parse(given))(corpusModel(folder), Number(seed));
const draws =
  'failure' in run
    ? {}
    : {
        draws: Object.fromEntries([...run.draws].map(([name, chains]) => [name, chains.map((values) => [...values])])),
      };
process.stdout.write(JSON.stringify({ ...run, ...draws }));
