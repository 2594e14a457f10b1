import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refuseCmdStanWords } from './cmdstan-words.js';

const refused = (line: string, instead: string) =>
  assert.throws(() => refuseCmdStanWords(line.split(' ')), {
    name: 'CommandError',
    message: `error: options are written with hyphens here: leapfrog ${instead}`,
  });

describe("a command line in CmdStan's form", () => {
  it('is converted to options', () => {
    refused('sample m.stan num_samples=100', 'sample m.stan --num-samples 100');
    refused('sample m.stan adapt delta=0.9 engaged=1', 'sample m.stan --delta 0.9 --adapt-engaged 1');
    refused(
      'sample m.stan algorithm=hmc engine=static num_chains=4 data file=d.json output file=o.csv random seed=1',
      'sample m.stan --algorithm static --chains 4 --data d.json --output o.csv --seed 1',
    );
    refused('sample num_warmup=10', 'sample PROGRAM.stan --num-warmup 10');
    refused('variational m.stan adapt iter=5', 'variational m.stan --adapt-iterations 5');
    refused('generate_quantities m.stan fitted_params=d.csv', 'generate m.stan --fitted-params d.csv');
  });

  it('is converted in the order of its words, with its options unchanged', () => {
    refused('./m sample num_samples=5 --seed 1', 'sample ./m --num-samples 5 --seed 1');
    refused('sample m.stan --seed=1 num_samples=5', 'sample m.stan --seed=1 --num-samples 5');
    refused('m.stan optimize', 'optimize m.stan');
  });

  it('is not recognized in options and their values', () => {
    for (const line of [
      'sample m.stan --output a=1.csv',
      'sample --data x=1.json m.stan',
      'check a=b.stan',
      '--version',
      'serve',
    ])
      refuseCmdStanWords(line.split(' '));
  });
});
