/** Settings that may resolve the problems that the checks of a run have found. */
import type { ArgumentValue } from '../inference/algorithms/arguments.js';
import { recommended } from '../inference/algorithms/hmc/recommended.js';
import { findAlgorithm } from '../inference/algorithms/registry.js';
import { tempered } from '../inference/algorithms/tempered.js';
import type { Finding } from '../inference/diagnostics/findings.js';
import { argumentsOf, knownArguments } from './functions.js';

type Given = Readonly<Record<string, ArgumentValue>>;

/** A function with arguments to run again with. */
export interface Remedy {
  /**
   * `tempered`: parallel tempering. `reparameterize`: learned coordinates. `recommended`: the recommended sampler. `delta`: shorter steps.
   * `longer`: more iterations.
   */
  readonly kind: 'tempered' | 'reparameterize' | 'recommended' | 'delta' | 'longer';
  readonly functionName: string;
  readonly arguments: Given;
}

type Check = Finding['check'];

/** Problems that the geometry of the posterior causes. */
const OF_GEOMETRY: readonly Check[] = ['divergences', 'treedepth', 'energy', 'rhat', 'ess'];
const OF_LENGTH: readonly Check[] = ['energy', 'rhat', 'ess'];
/** Values of `delta` to try, ascending. */
const DELTAS = [0.95, 0.99];
const MORE_WARMUP = 2;
const MORE_SAMPLES = 4;
/** Arguments that keep their meaning in another sampler. */
const KEPT = ['num_chains', 'chain', 'num_samples', 'num_thin', 'random_seed', 'save_warmup'];

/**
 * Remedies for the problems of a run, the most likely first; empty without problems, and for functions other than samplers. `given` are the
 * arguments of the run that differ from the defaults.
 */
export function remediesFor(functionName: string, given: Given, findings: readonly Finding[]): readonly Remedy[] {
  const algorithm = findAlgorithm(functionName);
  if (algorithm === undefined) return [];
  const known = new Map(argumentsOf(algorithm).map((argument) => [argument.name, argument]));
  const settingOf = (name: string) => given[name] ?? known.get(name)?.default;
  const has = (checks: readonly Check[]) => findings.some(({ check, ok }) => !ok && checks.includes(check));
  const changed = (kind: Remedy['kind'], changes: Given): Remedy => ({
    kind,
    functionName,
    arguments: { ...given, ...changes },
  });
  const kept = Object.fromEntries(Object.entries(given).filter(([name]) => KEPT.includes(name)));
  const inPlaceOf = (kind: Remedy['kind'], other: string): Remedy => ({
    kind,
    functionName: other,
    arguments: knownArguments(other, kept),
  });
  const remedies: Remedy[] = [];
  const hasModes = findings.some(({ statements }) => statements.some(({ key }) => key === 'rhatSeparated'));
  if (hasModes && functionName !== tempered.functionName) remedies.push(inPlaceOf('tempered', tempered.functionName));
  if (has(OF_GEOMETRY) && settingOf('reparameterize') === 'none')
    remedies.push(changed('reparameterize', { reparameterize: 'auto' }));
  if (has(OF_GEOMETRY) && known.has('reparameterize') && functionName !== recommended.functionName)
    remedies.push(inPlaceOf('recommended', recommended.functionName));
  const delta = settingOf('delta');
  const shorter = DELTAS.find((each) => typeof delta === 'number' && each > delta);
  if (has(['divergences']) && shorter !== undefined) remedies.push(changed('delta', { delta: shorter }));
  const warmup = settingOf('num_warmup');
  const samples = settingOf('num_samples');
  if (has(OF_LENGTH) && typeof samples === 'number')
    remedies.push(
      changed('longer', {
        num_samples: MORE_SAMPLES * samples,
        ...(typeof warmup === 'number' && { num_warmup: MORE_WARMUP * warmup }),
      }),
    );
  return remedies;
}
