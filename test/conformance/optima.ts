import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findAlgorithm } from '../../src/inference/algorithms/registry.js';
import { packageRoot } from '../../src/node/package-root.js';
import { compileForChains, type Program, runChain } from '../support/chain.js';
import { readJson } from './engine.js';
import { Comparison, type Outcome, unsupported } from './outcome.js';

type Optimum = Readonly<Record<string, number>>;

const OPTIMIZERS = ['lbfgs', 'bfgs', 'newton'];
const SEED = 1;
/** The differences that Stan's default tolerances permit: in the log density, and in parameters relative to their size. */
const VALUE_TOLERANCE = 1e-3;
const PARAMETER_TOLERANCE = 1e-2;

/**
 * Compares the optima that the optimizers find with those of real Stan's L-BFGS with default settings, recorded in
 * test/reference/optima.json, for the models of a folder that have one mode.
 */
export function* runOptima(folder: string, only: RegExp): Generator<Outcome> {
  const file = join(packageRoot(import.meta.dirname), 'test', 'reference', 'optima.json');
  const optima = readJson<Readonly<Record<string, Optimum>>>(file);
  for (const [name, expected] of Object.entries(optima)) {
    if (!only.test(name)) continue;
    const text = readFileSync(join(folder, name, 'model.stan'), 'utf8');
    const program = compileForChains(text, { secondDerivatives: true });
    const data = readFileSync(join(folder, name, 'data.json'), 'utf8');
    for (const optimizer of OPTIMIZERS) yield compare(`${name}/${optimizer}`, optimizer, program, data, expected);
  }
}

function compare(
  id: string,
  optimizer: string,
  program: Program | undefined,
  data: string,
  expected: Optimum,
): Outcome {
  if (program === undefined) return unsupported(id, 'does not compile');
  const comparison = new Comparison();
  const model = program.instantiate(data, SEED);
  const { draws, lines } = runChain(optimizer, { refresh: 0 }, model, SEED);
  const parameters = model.constrainedNames({ transformedParameters: false, generatedQuantities: false });
  const names = [...(findAlgorithm(optimizer)?.drawColumns ?? []), ...parameters];
  const last = draws[draws.length - 1];
  if (last === undefined) comparison.fail(lines.slice(-3).join(' | '));
  else {
    names.forEach((name, index) => {
      if (!(name in expected)) return;
      const scale = name === 'lp__' ? VALUE_TOLERANCE : PARAMETER_TOLERANCE * Math.max(1, Math.abs(expected[name]));
      comparison.near(name, last[index], expected[name], scale);
    });
  }
  return comparison.outcome(id);
}
