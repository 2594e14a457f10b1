import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import type { Chains } from '../../src/inference/diagnostics/chains.js';
import { pool } from '../../src/inference/diagnostics/chains.js';
import { mean } from '../../src/inference/diagnostics/moments.js';
import { Client, Refusal } from '../support/client.js';
import { serve } from '../support/serving.js';
import { compare, type Posterior } from './compare.js';
import { type Sampled, sampleFourChains } from './sampling.js';

/** Samples every model of a folder over HTTP as a user would and compares posteriors with those of real Stan. */
type Verdict = 'passed' | 'failed' | 'unsupported';

interface Options {
  readonly only: string;
  readonly seed: string;
}

new Command('posterior')
  .argument('<folder>', 'folder of models with posterior.json')
  .description('Compares posteriors, sampled over HTTP with default settings, with those of real Stan.')
  .option('--only <regex>', 'run only the models whose name matches', '')
  .option('--seed <number>', 'seed of the fits', '1')
  .action(run)
  .parse();

async function run(folder: string, { only, seed }: Options): Promise<void> {
  const names = readdirSync(folder)
    .sort()
    .filter((name) => new RegExp(only).test(name) && existsSync(join(folder, name, 'posterior.json')));
  const server = await serve();
  const verdicts: Verdict[] = [];
  try {
    const client = new Client(server.address);
    for (const name of names) verdicts.push(await runModel(client, join(folder, name), name, Number(seed)));
  } finally {
    await server.stop();
  }
  const count = (verdict: Verdict): number => verdicts.filter((each) => each === verdict).length;
  console.log(`posterior: ${count('passed')} passed, ${count('failed')} failed, ${count('unsupported')} unsupported`);
  if (count('failed') > 0) process.exitCode = 1;
}

async function runModel(client: Client, folder: string, name: string, seed: number): Promise<Verdict> {
  const text = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const expected: Posterior = JSON.parse(text('posterior.json'));
  const start = performance.now();
  try {
    const model = await client.compile(text('model.stan'));
    const sampled = await sampleFourChains(client, model, JSON.parse(text('data.json')), seed);
    const seconds = (performance.now() - start) / 1000;
    await client.delete(model);
    return report(name, sampled, expected, seconds);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.kinds.includes('unsupported')) {
      console.log(`unsupported ${name}: ${error.message.trimEnd().split('\n').at(-1)}`);
      return 'unsupported';
    }
    console.log(`FAILED ${name}: ${error.message}`);
    return 'failed';
  }
}

function report(name: string, { draws, lost }: Sampled, expected: Posterior, seconds: number): Verdict {
  const { largest, failures } = compare(draws, expected);
  for (const { what, found, expected: wanted, z } of failures) {
    console.log(`FAILED ${name}: ${what}: found ${found}, expected ${wanted}, z ${z.toFixed(2)}`);
  }
  if (failures.length === 0) {
    const worst = `largest z ${largest.z.toFixed(2)} (${largest.what})`;
    console.log(`passed ${name}: ${expected.names.length} values in ${seconds.toFixed(1)} s, ${worst}`);
  }
  if (lost > 0) console.log(`  ${lost} chains stayed in a mode without mass and were replaced`);
  console.log(`  ${samplerText(draws, expected)}`);
  return failures.length === 0 ? 'passed' : 'failed';
}

/** How the sampler went, beside what is recorded of Stan's. */
function samplerText(draws: ReadonlyMap<string, Chains>, { sampler }: Posterior): string {
  const column = (name: string): Chains => draws.get(name) ?? [];
  const average = (name: string): number => mean(pool(column(name)));
  const rows: readonly (readonly [what: string, ours: string, stan: string | undefined])[] = [
    [
      'step sizes',
      column('stepsize__')
        .map(([first]) => first.toFixed(3))
        .join(' '),
      sampler?.stepsize.map((each) => each.toFixed(3)).join(' '),
    ],
    ['leapfrog steps', average('n_leapfrog__').toFixed(2), sampler?.mean_n_leapfrog.toFixed(2)],
    ['acceptance', average('accept_stat__').toFixed(3), sampler?.mean_accept_stat.toFixed(3)],
    [
      'divergent',
      String(pool(column('divergent__')).reduce((sum, each) => sum + each, 0)),
      sampler?.divergent.toFixed(),
    ],
  ];
  return rows.map(([what, ours, stan]) => `${what} ${ours}${stan === undefined ? '' : ` (Stan ${stan})`}`).join(', ');
}
