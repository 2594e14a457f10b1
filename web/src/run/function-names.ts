/** Common names of functions, by the last part of Stan's name. */
const NAMES: Readonly<Record<string, string>> = {
  fixed_param: 'Fixed parameters',
  lbfgs: 'L-BFGS',
  bfgs: 'BFGS',
  newton: 'Newton',
  laplace_sample: 'Laplace approximation',
  meanfield: 'ADVI, mean field',
  fullrank: 'ADVI, full rank',
  pathfinder_lbfgs_single: 'Pathfinder, single path',
  pathfinder_lbfgs_multi: 'Pathfinder',
  standalone_generate: 'Generated quantities',
  diagnose: 'Gradient check',
};

const METRICS: Readonly<Record<string, string>> = {
  unit_e: ', unit metric',
  diag_e: '',
  dense_e: ', dense metric',
  low_rank: ', low-rank metric',
};

const HMC = /^hmc_(?<kind>nuts|static)_(?<metric>unit_e|diag_e|dense_e|low_rank)(?<adapt>_adapt)?$/;

/** The last part of a function's full name, `hmc_nuts_diag_e_adapt`. */
export function shortName(functionName: string): string {
  return functionName.split('::').at(-1) ?? functionName;
}

/** The common name, followed by Stan's name: “NUTS, dense metric (hmc_nuts_dense_e_adapt)”. */
export function familiarName(functionName: string): string {
  const short = shortName(functionName);
  const { kind, metric = '', adapt } = HMC.exec(short)?.groups ?? {};
  const name =
    kind === undefined
      ? NAMES[short]
      : `${kind === 'nuts' ? 'NUTS' : 'Static HMC'}${METRICS[metric] ?? ''}${adapt === undefined ? ', no adaptation' : ''}`;
  return name === undefined ? short : `${name} (${short})`;
}
