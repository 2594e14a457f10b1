import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import type { Chains } from '../../src/inference/diagnostics/chains.js';
import { pool } from '../../src/inference/diagnostics/chains.js';
import { mean } from '../../src/inference/diagnostics/moments.js';
import { rhat } from '../../src/inference/diagnostics/rhat.js';
import { modelsFolder } from '../reference/stan.js';
import { Client, Overdue, Refusal } from '../support/client.js';
import { serve } from '../support/serving.js';
import { compare, type Posterior } from './compare.js';
import { type Sampled, type Sampler, sampleFourChains } from './sampling.js';

/** Samples every model of a folder over HTTP and compares posteriors with those of real Stan. */
type Verdict = 'passed' | 'failed' | 'unmixed' | 'unsupported';

interface Options {
  readonly only: string;
  readonly seed: string;
  readonly function: string;
  readonly set: readonly string[];
  readonly limit: string;
}

/** Chains with a larger R-hat have not converged to the same distribution, and their errors are meaningless. */
const MIXED = 1.02;

new Command('posterior')
  .argument('[folder]', 'folder of models with posterior.json; otherwise the recorded models')
  .description('Compares posteriors, sampled over HTTP, with those of real Stan.')
  .option('--only <regex>', 'run only the models whose name matches', '')
  .option('--seed <number>', 'seed of the fits', '1')
  .option('--function <name>', 'sampler, below stan::services::sample::', 'hmc_nuts_diag_e_adapt')
  .option('--set <name=value...>', 'arguments of the sampler other than their defaults', [])
  .option('--limit <seconds>', 'seconds that four chains may take', 'Infinity')
  .action(run)
  .parse();

async function run(given: string | undefined, { only, ...options }: Options): Promise<void> {
  const sampler = {
    function: `stan::services::sample::${options.function}`,
    arguments: Object.fromEntries(options.set.map(readArgument)),
    seed: Number(options.seed),
    limit: Number(options.limit),
  };
  const folder = given ?? modelsFolder();
  const names = readdirSync(folder)
    .sort()
    .filter((name) => new RegExp(only).test(name) && existsSync(join(folder, name, 'posterior.json')));
  const server = await serve();
  const verdicts: Verdict[] = [];
  try {
    const client = new Client(server.address);
    for (const name of names) verdicts.push(await runModel(client, join(folder, name), name, sampler));
  } finally {
    await server.stop();
  }
  const count = (verdict: Verdict): number => verdicts.filter((each) => each === verdict).length;
  const counts = (['passed', 'failed', 'unmixed', 'unsupported'] as const).map((each) => `${count(each)} ${each}`);
  console.log(`posterior: ${counts.join(', ')}`);
  if (count('failed') > 0) process.exitCode = 1;
}

function readArgument(text: string): [name: string, value: unknown] {
  const [name, value] = text.split('=');
  const number = Number(value);
  return [name, Number.isNaN(number) ? value : number];
}

async function runModel(client: Client, folder: string, name: string, sampler: Sampler): Promise<Verdict> {
  const text = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const expected: Posterior = JSON.parse(text('posterior.json'));
  const start = performance.now();
  try {
    const model = await client.compile(text('model.stan'));
    const sampled = await sampleFourChains(client, model, JSON.parse(text('data.json')), sampler);
    const seconds = (performance.now() - start) / 1000;
    await client.delete(model);
    return report(name, sampled, expected, seconds);
  } catch (error) {
    if (error instanceof Overdue) {
      console.log(`unmixed ${name}: ${error.message}`);
      return 'unmixed';
    }
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
  const [mixing, slowest] = leastMixed(draws, expected);
  if (mixing > MIXED) {
    console.log(`unmixed ${name}: R-hat of ${slowest} is ${mixing.toFixed(3)} after ${seconds.toFixed(1)} s`);
    return 'unmixed';
  }
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

/** The largest R-hat and the name of its quantity; constants have no R-hat. */
function leastMixed(draws: ReadonlyMap<string, Chains>, { names }: Posterior): [rhat: number, name: string] {
  return names
    .map((name): [number, string] => [rhat(draws.get(name) ?? []), name])
    .filter(([value]) => !Number.isNaN(value))
    .reduce((most, each) => (each[0] > most[0] ? each : most), [1, '']);
}

/** The sampler's statistics, compared with the recorded ones of Stan's default sampler. */
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
  const known = rows.filter(([, ours]) => ours !== 'NaN');
  return known.map(([what, ours, stan]) => `${what} ${ours}${stan === undefined ? '' : ` (Stan ${stan})`}`).join(', ');
}
