/** `bin/diagnose`: reports whether the draws of a sampler are reliable, with CmdStan's texts. */

import { existsSync } from 'node:fs';
import { diagnosedColumns } from '../fits/diagnosis.js';
import { finitenessOf } from '../fits/statistics.js';
import { pool } from '../inference/diagnostics/chains.js';
import { judgeGenerated } from '../inference/diagnostics/findings.js';
import { mean, variance } from '../inference/diagnostics/moments.js';
import { judge } from '../inference/diagnostics/summary.js';
import { fixedText } from '../inference/number-text.js';
import { printText } from '../node/standard-streams.js';
import { Failure } from './failure.js';
import { readSamplerFiles, type SamplerRun } from './sampler-files.js';

/** R-hat above which chains are reported as unmixed: the upper end of the values that are rounded to 1.01. */
const LARGEST_RHAT = 1.01499;
const LEAST_ESS_PER_DRAW = 0.001;
const LEAST_ENERGY_FRACTION = 0.3;

/** Runs the tool with the arguments after its name, and returns the exit code. */
export function runDiagnose(words: readonly string[]): number {
  if (words.length === 0) {
    say('USAGE:  diagnose <filename 1> [<filename 2> ... <filename N>]', '');
    return 0;
  }
  const files = words.filter((word) => existsSync(word));
  for (const word of words) if (!files.includes(word)) say(`File ${word} not found`);
  if (files.length === 0) {
    say('No valid input files, exiting.');
    return 1;
  }
  let run: SamplerRun;
  try {
    run = readSamplerFiles(files);
  } catch (error) {
    if (!(error instanceof Failure) && !(error instanceof Error)) throw error;
    say(`Cannot parse input csv file: ${files[0]}${error.message}.`);
    return 1;
  }
  const found = [...run.names.keys()].flatMap((column) => CHECKS.get(run.names[column])?.(run, column) ?? []);
  // CmdStan judges all quantities of its own files, also of simulations.
  const isOwn = run.outputs.length > 0;
  const { generated, judged } = diagnosedColumns({
    columns: run.names,
    function: isOwn ? run.function : undefined,
    outputs: run.outputs,
  });
  const isFine = [...found, ...mixing(run, judged), ...values(run, generated)].map(({ isOk, lines }) => {
    say(...lines, '');
    return isOk;
  });
  say(isFine.every((isOk) => isOk) ? 'Processing complete, no problems detected.' : 'Processing complete.');
  return 0;
}

interface Finding {
  readonly isOk: boolean;
  readonly lines: readonly string[];
}

/** Checks the columns of the sampler. */
const CHECKS: ReadonlyMap<string, (run: SamplerRun, column: number) => Finding> = new Map([
  ['treedepth__', treeDepth],
  ['divergent__', divergences],
  ['energy__', energy],
]);

function treeDepth(run: SamplerRun, column: number): Finding {
  const head = 'Checking sampler transitions treedepth.';
  const draws = pool(run.draws(column));
  const limit = run.maximumDepth;
  const count = draws.filter((depth) => depth >= limit).length;
  if (count === 0) return { isOk: true, lines: [head, 'Treedepth satisfactory for all transitions.'] };
  const share = `${count} of ${draws.length} (${percent(count, draws.length)})`;
  return {
    isOk: false,
    lines: [
      head,
      `${share} transitions hit the maximum treedepth limit of ${limit}, or 2^${limit} leapfrog steps.`,
      'Trajectories that are prematurely terminated due to this limit will result in slow exploration.',
      'For optimal performance, increase this limit.',
    ],
  };
}

function divergences(run: SamplerRun, column: number): Finding {
  const head = 'Checking sampler transitions for divergences.';
  const draws = pool(run.draws(column));
  const count = draws.reduce((sum, divergent) => sum + divergent, 0);
  if (count === 0) return { isOk: true, lines: [head, 'No divergent transitions found.'] };
  const share = `${count} of ${draws.length} (${percent(count, draws.length)})`;
  return {
    isOk: false,
    lines: [
      head,
      `${share} transitions ended with a divergence.`,
      'These divergent transitions indicate that HMC is not fully able to explore the posterior distribution.',
      'Try increasing adapt delta closer to 1.',
      "If this doesn't remove all divergences, try to reparameterize the model.",
    ],
  };
}

/** Over all chains concatenated, as in CmdStan. */
function energy(run: SamplerRun, column: number): Finding {
  const head = 'Checking E-BFMI - sampler transitions HMC potential energy.';
  const draws = pool(run.draws(column));
  const changes = draws.subarray(1).map((value, k) => (value - draws[k]) ** 2);
  const fraction = mean(changes) / variance(draws);
  if (!(fraction < LEAST_ENERGY_FRACTION)) return { isOk: true, lines: [head, 'E-BFMI satisfactory.'] };
  const said = `The E-BFMI, ${fixedText(fraction, 2)}, is below the nominal threshold of ${fixedText(LEAST_ENERGY_FRACTION, 2)}`;
  return {
    isOk: false,
    lines: [
      head,
      `${said} which suggests that HMC may have trouble exploring the target distribution.`,
      'If possible, try to reparameterize the model.',
    ],
  };
}

/** Generated quantities that are not finite. Only files that name the blocks of variables have them; CmdStan does not check this. */
function values(run: SamplerRun, generated: readonly number[]): Finding[] {
  const named = generated.map((column) => ({ name: run.names[column], chains: run.draws(column) }));
  return judgeGenerated(finitenessOf(named)).map(({ message }) => ({
    isOk: false,
    lines: ['Checking values of generated quantities.', message],
  }));
}

function mixing(run: SamplerRun, judged: readonly number[]): Finding[] {
  const few: string[] = [];
  const unmixed: string[] = [];
  for (const column of judged) {
    const name = run.names[column];
    if (name.includes('__')) continue;
    const chains = run.draws(column);
    const count = chains.reduce((sum, draws) => sum + draws.length, 0);
    const { essBulk, essTail, rhat } = judge(chains);
    if (Math.min(essBulk, essTail) / count < LEAST_ESS_PER_DRAW) few.push(name);
    if (rhat > LARGEST_RHAT) unmixed.push(name);
  }
  return [
    few.length === 0
      ? { isOk: true, lines: ['Rank-normalized split effective sample size satisfactory for all parameters.'] }
      : {
          isOk: false,
          lines: [
            'The following parameters had fewer than 0.001 effective draws per transition:',
            `  ${few.join(', ')}`,
            'Such low values indicate that the effective sample size estimators may be biased high and actual performance may be substantially lower than quoted.',
          ],
        },
    unmixed.length === 0
      ? { isOk: true, lines: ['Rank-normalized split R-hat values satisfactory for all parameters.'] }
      : {
          isOk: false,
          lines: [
            'The following parameters had rank-normalized split R-hat greater than 1.01:',
            `  ${unmixed.join(', ')}`,
            'Such high values indicate incomplete mixing and biased estimation.',
            'You should consider regularizating your model with additional prior information or a more effective parameterization.',
          ],
        },
  ];
}

function percent(count: number, total: number): string {
  return `${fixedText((100 * count) / total, 2)}%`;
}

function say(...lines: readonly string[]): void {
  printText(lines.map((line) => `${line}\n`).join(''));
}
