/** Common names of functions, by the last part of Stan's name. */
import { t } from '../words/messages.js';
import type { PlainKey } from '../words/types.js';

/** Names that are the same in every language. */
const OWN_NAMES: Readonly<Record<string, string>> = {
  bfgs: 'BFGS',
  newton: 'Newton',
};
const NAMES: Readonly<Record<string, PlainKey>> = {
  fixed_param: 'write.fixedParam',
  laplace_sample: 'write.laplace',
  meanfield: 'write.meanfield',
  fullrank: 'write.fullrank',
  pathfinder_lbfgs_single: 'write.singlePath',
  standalone_generate: 'write.generate',
  diagnose: 'write.diagnose',
};

const METRICS: Readonly<Record<string, 'write.unitMetric' | 'write.denseMetric' | 'write.lowRankMetric'>> = {
  unit_e: 'write.unitMetric',
  dense_e: 'write.denseMetric',
  low_rank: 'write.lowRankMetric',
};

const HMC = /^hmc_(?<kind>nuts|static)_(?<metric>unit_e|diag_e|dense_e|low_rank)(?<adapt>_adapt)?$/;

/** The parts of the name of a sampler of Hamiltonian Monte Carlo; without `kind` for other functions. */
export function samplerParts(short: string): Partial<Record<'kind' | 'metric' | 'adapt', string>> {
  return HMC.exec(short)?.groups ?? {};
}

/** The last part of a function's full name, `hmc_nuts_diag_e_adapt`. */
export function shortName(functionName: string): string {
  return functionName.split('::').at(-1) ?? functionName;
}

/** The functions that most users need, the default first. */
const USUAL = {
  'stan::services::sample::hmc_nuts_diag_e_adapt': 'write.usualNuts',
  'leapfrog::services::sample::recommended': 'write.usualRecommended',
  'leapfrog::services::sample::tempered': 'write.usualTempered',
  'stan::services::pathfinder::pathfinder_lbfgs_multi': 'write.usualPathfinder',
  'stan::services::optimize::lbfgs': 'write.usualOptimum',
} as const satisfies Readonly<Record<string, PlainKey>>;

/** The names of the functions that most users need, without Stan's names. */
export function usualNames(): ReadonlyMap<string, string> {
  return new Map(Object.entries(USUAL).map(([functionName, key]) => [functionName, t(key)]));
}

/** The common name, followed by Stan's name: “NUTS, dense metric (hmc_nuts_dense_e_adapt)”. */
export function familiarName(functionName: string): string {
  const short = shortName(functionName);
  const name = hmcName(short) ?? OWN_NAMES[short] ?? translated(NAMES[short]);
  return name === undefined ? short : `${name} (${short})`;
}

function translated(key: PlainKey | undefined): string | undefined {
  return key && t(key);
}

function hmcName(short: string): string | undefined {
  const { kind, metric = '', adapt } = samplerParts(short);
  if (kind === undefined) return undefined;
  const method = kind === 'nuts' ? 'NUTS' : t('write.staticHmc');
  const key = METRICS[metric];
  const named = key === undefined ? method : t(key, { method });
  return adapt === undefined ? t('write.noAdaptation', { method: named }) : named;
}
