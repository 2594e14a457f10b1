/** The fits whose statistics are compared between entry points, and the form in which they are compared. */
import { readFileSync } from 'node:fs';
import { type Fit, type LeaveOneOut, openFit } from 'leapfrog';
import { csvRequest } from '../../src/formats/csv-request.js';
import { blocksInSettings } from '../../src/formats/program-blocks.js';
import { csvSettings, endOfWarmup, readStanCsv } from '../../src/formats/stan-csv.js';
import type { MethodName } from '../../src/requests/methods.js';

export interface FitCase {
  readonly name: string;
  readonly program: string;
  readonly method: MethodName;
  /** Arguments with their names in requests; as options, they have hyphens. */
  readonly arguments: Readonly<Record<string, number | string | boolean>>;
  readonly until?: Readonly<Record<string, number>>;
  readonly save?: readonly string[];
  readonly mode?: Readonly<Record<string, number>>;
}

/** The statistics of a fit, with names in brackets and texts for numbers that are not finite. */
export interface Statistics {
  readonly summary: Readonly<Record<string, readonly unknown[]>>;
  readonly diagnosis: readonly string[];
  /** Estimates of each observation, or a refusal; undefined without log likelihoods. */
  readonly loo?: readonly unknown[] | string | undefined;
}

export const REFUSED = 'refused';
export const DATA = { N: 4, x: [0.1, 0.7, 1.2, 0.4] };

const FIELDS = ['mean', 'mcseMean', 'sd', 'q05', 'q50', 'q95', 'essBulk', 'essTail', 'rhat'] as const;
/** The same statistics in responses. */
export const SENT = ['mean', 'mcse_mean', 'sd', 'q5', 'q50', 'q95', 'ess_bulk', 'ess_tail', 'rhat'] as const;

const generated = (count: number, more = '') => `data { int N; vector[N] x; }
parameters { real mu; }
transformed parameters { real twice = 2 * mu; }
model { mu ~ normal(0, 1); x ~ normal(mu, 1); }
generated quantities {
  vector[${count}] y;
  vector[N] log_lik;
  ${more}
  for (i in 1:${count}) y[i] = normal_rng(mu, 1);
  for (n in 1:N) log_lik[n] = normal_lpdf(x[n] | mu, 1);
}
`;
const SMALL = generated(3);
const STUDENT = SMALL.replaceAll('normal(mu, 1)', 'student_t(4, mu, 1)').replace(
  'normal_lpdf(x[n] | mu, 1)',
  'student_t_lpdf(x[n] | 4, mu, 1)',
);
const UNUSUAL = generated(
  3,
  `real constant = 3; int count = 2; real infinite = mu > 1 ? positive_infinity() : mu; real w = mu > 0.5 ? mu : not_a_number();
  array[2] real nothing = rep_array(not_a_number(), 2); real once = negative_infinity();`,
);
const WITHOUT_LIKELIHOOD = generated(3).replace(
  'normal_lpdf(x[n] | mu, 1)',
  'mu > 0.3 ? normal_lpdf(x[n] | mu, 1) : not_a_number()',
);
const TRANSFORMED = SMALL.replace(
  'real twice = 2 * mu;',
  "real twice = mu > 1.2 ? not_a_number() : 2 * mu; vector[2] same = [1, mu]'; real never = not_a_number();",
);
const CONTAINERS = `data { int N; vector[N] x; }
parameters { matrix[2, 2] a; cholesky_factor_corr[2] l; simplex[3] p; array[2] vector<lower=0>[2] s; tuple(real, vector[2]) t; complex z; }
model {
  to_vector(a) ~ std_normal(); l ~ lkj_corr_cholesky(2); s[1] ~ exponential(1); s[2] ~ exponential(1);
  t.1 ~ std_normal(); t.2 ~ std_normal(); get_real(z) ~ std_normal(); get_imag(z) ~ std_normal();
}
generated quantities { array[2, 2] int k = rep_array(3, 2, 2); complex w = z * z; matrix[0, 2] none; }
`;
const FUNNEL = `parameters { real v; vector[4] x; } model { v ~ normal(0, 3); x ~ normal(0, exp(v / 2)); }
`;
const SIMULATION = `generated quantities { vector[3] y; for (i in 1:3) y[i] = normal_rng(0, 1); }
`;

const four = { num_chains: 4 };
const two = { num_chains: 2, num_warmup: 100, num_samples: 60 };
const sample = (
  name: string,
  program: string,
  settings: FitCase['arguments'],
  more: Partial<FitCase> = {},
): FitCase => ({
  name,
  program,
  method: 'sample',
  arguments: settings,
  ...more,
});

export const CASES: readonly FitCase[] = [
  sample('generated', generated(300), { ...four, num_samples: 300, random_seed: 2 }),
  sample('nan', generated(3, 'real w = mu > 0.5 ? mu : not_a_number();'), {
    ...four,
    num_samples: 200,
    random_seed: 3,
  }),
  sample('until', SMALL, { ...four, num_samples: 100, random_seed: 4 }, { until: { ess_bulk: 300 } }),
  sample('few', SMALL, { ...four, num_samples: 5, random_seed: 5 }),
  sample('shallow', SMALL, { ...four, num_samples: 100, random_seed: 6, max_depth: 1 }),
  sample('simulation', SIMULATION, { ...four, num_samples: 50, random_seed: 7, algorithm: 'fixed_param' }),
  sample('limit', SMALL, { ...two, random_seed: 8 }, { until: { ess_bulk: 1e6, max_iterations: 150 } }),
  sample('thinned', SMALL, { ...two, random_seed: 9, num_thin: 3 }),
  sample('warmup', SMALL, { ...two, random_seed: 10, save_warmup: true }),
  sample('alone', SMALL, { ...two, random_seed: 11, num_chains: 1 }),
  sample('dense', STUDENT, { ...two, random_seed: 12, metric: 'dense_e' }),
  sample('unit', SMALL, { ...two, random_seed: 13, metric: 'unit_e' }),
  sample('rank', SMALL, { ...two, random_seed: 14, metric: 'low_rank' }),
  sample('static', SMALL, { ...two, random_seed: 15, algorithm: 'static' }),
  sample('recommended', SMALL, { ...two, random_seed: 16, algorithm: 'recommended' }),
  sample('unadapted', SMALL, { ...two, random_seed: 17, adapt_engaged: false }),
  sample('unusual', UNUSUAL, { ...two, random_seed: 18 }),
  sample('refused', WITHOUT_LIKELIHOOD, { ...two, random_seed: 19 }),
  sample('transformed', TRANSFORMED, { ...two, random_seed: 20 }),
  sample('containers', CONTAINERS, { ...two, random_seed: 21 }),
  sample('divergent', FUNNEL, { ...two, random_seed: 22, delta: 0.4 }),
  sample('single', SMALL, { ...two, random_seed: 23, num_samples: 1 }),
  sample('saved', SMALL, { ...two, random_seed: 25 }, { save: ['mu'] }),
  sample('parameterless', SIMULATION, { ...two, random_seed: 26 }),
  { name: 'optimum', program: SMALL, method: 'optimize', arguments: { random_seed: 27 } },
  { name: 'path', program: SMALL, method: 'optimize', arguments: { random_seed: 28, save_iterations: true } },
  { name: 'newton', program: SMALL, method: 'optimize', arguments: { random_seed: 29, algorithm: 'newton' } },
  { name: 'laplace', program: SMALL, method: 'laplace', arguments: { random_seed: 30, draws: 50 }, mode: { mu: 0.48 } },
  { name: 'meanfield', program: SMALL, method: 'variational', arguments: { random_seed: 31, output_samples: 50 } },
  {
    name: 'fullrank',
    program: UNUSUAL,
    method: 'variational',
    arguments: { random_seed: 32, output_samples: 50, algorithm: 'fullrank' },
  },
  { name: 'pathfinder', program: SMALL, method: 'pathfinder', arguments: { random_seed: 33, num_psis_draws: 50 } },
  {
    name: 'onepath',
    program: SMALL,
    method: 'pathfinder',
    arguments: { random_seed: 34, num_paths: 1, num_draws: 50 },
  },
];

/** Fits to compare. */
export const COMPARED = [
  ['generated', 'shallow'],
  ['thinned', 'dense', 'static'],
];

/** Cases whose cross-validation the command line repeats, in a process of its own for each. */
export const VALIDATED = ['generated', 'few', 'unusual', 'refused', 'optimum', 'meanfield'];

/** The request of the library, with all fields of the case. */
export function requestOf({ arguments: settings, mode, save, until }: FitCase): object {
  return { ...settings, ...(until && { until }), ...(save && { save }), ...(mode && { mode }) };
}

/** The options of the command line. */
export function optionsOf({ arguments: settings, mode, save, until }: FitCase): readonly string[] {
  const names: Readonly<Record<string, string>> = { random_seed: 'seed', num_chains: 'chains', num_thin: 'thin' };
  const options = Object.entries(settings).flatMap(([name, value]) => [
    `--${(names[name] ?? name).replaceAll('_', '-')}`,
    `${value}`,
  ]);
  const limits = Object.entries(until ?? {}).map(([name, value]) => `${name}=${value}`);
  return [
    ...options,
    ...(until ? ['--until', limits.join(',')] : []),
    ...(save ? ['--save', ...save] : []),
    ...(mode ? ['--mode', 'mode.json'] : []),
  ];
}

/** The number of chains in files: methods other than `sample` have one. */
export function chainsOf({ arguments: settings, method }: FitCase): number {
  return method === 'sample' ? Number(settings.num_chains) : 1;
}

export function numbersOf(record: object, fields: readonly string[] = FIELDS): readonly unknown[] {
  const values = new Map<string, unknown>(Object.entries(record));
  return fields.map((field) => (Number.isFinite(values.get(field)) ? values.get(field) : 'not finite'));
}

export function linesOf(findings: readonly { readonly ok: boolean; readonly message: string }[]): readonly string[] {
  return findings.map(({ message, ok }) => `${ok ? 'ok     ' : 'problem'}  ${message}`);
}

export function estimatesOf({ observations }: Pick<LeaveOneOut, 'observations'>): readonly unknown[] {
  return observations.map((each) => numbersOf(each, ['elpd', 'paretoK']));
}

/** The statistics that the library reports. */
export async function ofLibrary(fit: Fit): Promise<Statistics> {
  const summaries = await fit.summary();
  const loo = fit.columns.includes('log_lik.1') ? fit.loo().then(estimatesOf, () => REFUSED) : undefined;
  return {
    summary: Object.fromEntries(summaries.map((each) => [each.name, numbersOf(each)])),
    diagnosis: linesOf(await fit.diagnose()),
    loo: await loo,
  };
}

/** The fit in CSV files, as the page imports them. */
export function fitInFiles(paths: readonly string[]): Fit {
  const files = paths.map((path) => readStanCsv(readFileSync(path, 'utf8').split('\n')));
  const [{ columns, head }] = files;
  const request = csvRequest(head);
  return openFit({
    program: 'model',
    asked: { function: request.function ?? '', arguments: request.arguments, random_seed: 0, created: '' },
    outputs: blocksInSettings(csvSettings(head)),
    columns,
    diagnosticColumns: [],
    chains: files.map(({ entries }, index) => {
      const rows = entries.flatMap((entry) => (entry.kind === 'draw' ? [entry.values] : []));
      const end = endOfWarmup(entries);
      const warmup = entries.slice(0, Math.max(0, end)).filter(({ kind }) => kind === 'draw').length;
      const values = Float64Array.from(rows.flatMap((row) => [...row]));
      const rest = { diagnostics: new Float64Array(), initial: undefined, adapted: undefined, comments: [] };
      return { id: index + 1, warmup, draws: rows.length - warmup, values, ...rest };
    }),
  });
}
