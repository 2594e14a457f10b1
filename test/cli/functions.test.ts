import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { algorithms, findAlgorithm } from '../../src/inference/algorithms/registry.js';
import { CommandFolder } from './command.js';
import { DATA, NORMAL } from './normal-model.js';

const FILES = {
  'model.stan': NORMAL,
  'data.json': DATA,
  'mode.json': '{"mu": 5, "sigma": 0.7}',
  'draws.csv': 'lp__,mu,sigma\n-1,4,1\n-2,5,0.5\n-3,6,2\n',
};

/** A function on the command line, the lines of CmdStan's tree of its arguments, and the required number of draws. */
interface Row {
  readonly name: string;
  readonly command: readonly string[];
  readonly tree: readonly string[];
  readonly draws: number;
}

const FIRST = ['init_alpha = 0.001 (Default)', 'tol_obj = 1e-12 (Default)', 'tol_rel_obj = 10000 (Default)'];
const SEARCH = [
  ...FIRST,
  'tol_grad = 1e-08 (Default)',
  'tol_rel_grad = 1e+07 (Default)',
  'tol_param = 1e-08 (Default)',
];
const HISTORY = 'history_size = 5 (Default)';
const indented = (depth: number, lines: readonly string[]) => lines.map((line) => ' '.repeat(2 * depth) + line);

const samplers = ['nuts', 'static'].flatMap((engine) =>
  ['unit_e', 'diag_e', 'dense_e', ...(engine === 'nuts' ? ['low_rank'] : [])].flatMap((metric) =>
    [true, false].map((adapts): Row => {
      const own = engine === 'nuts' ? 'max_depth = 10 (Default)' : 'int_time = 6.28319 (Default)';
      return {
        name: `hmc_${engine}_${metric}${adapts ? '_adapt' : ''}`,
        command: [
          ...['sample', '--algorithm', engine, '--metric', metric, '--adapt-engaged', adapts ? '1' : '0'],
          ...['--num-warmup', '30', '--num-samples', '7', '--stepsize', '0.2'],
        ],
        tree: [
          'method = sample (Default)',
          '  sample',
          '    num_samples = 7',
          '    num_warmup = 30',
          '    save_warmup = false (Default)',
          '    thin = 1 (Default)',
          '    adapt',
          `      engaged = ${adapts ? 'true (Default)' : 'false'}`,
          '      gamma = 0.05 (Default)',
          '      delta = 0.8 (Default)',
          '      kappa = 0.75 (Default)',
          '      t0 = 10 (Default)',
          '      init_buffer = 75 (Default)',
          '      term_buffer = 50 (Default)',
          '      window = 25 (Default)',
          '      save_metric = false (Default)',
          '    algorithm = hmc (Default)',
          '      hmc',
          `        engine = ${engine}${engine === 'nuts' ? ' (Default)' : ''}`,
          `          ${engine}`,
          `            ${own}`,
          `        metric = ${metric}${metric === 'diag_e' ? ' (Default)' : ''}`,
          '        metric_file =  (Default)',
          '        stepsize = 0.2',
          '        stepsize_jitter = 0 (Default)',
          '    num_chains = 1 (Default)',
        ],
        draws: 7,
      };
    }),
  ),
);

const recommended = samplers
  .filter(({ name }) => name === 'hmc_nuts_low_rank_adapt')
  .map(
    (row): Row => ({
      ...row,
      name: 'recommended',
      command: ['sample', '--recommended', '--num-warmup', '30', '--num-samples', '7', '--stepsize', '0.2'],
    }),
  );

const tempered = samplers
  .filter(({ name }) => name === 'hmc_nuts_diag_e_adapt')
  .map(
    (row): Row => ({
      ...row,
      name: 'tempered',
      command: [
        ...['sample', '--algorithm', 'tempered', '--num-warmup', '30', '--num-samples', '7', '--stepsize', '0.2'],
      ],
    }),
  );

const optimizers = ['lbfgs', 'bfgs', 'newton'].map((name): Row => {
  const own = { lbfgs: [...SEARCH, HISTORY], bfgs: SEARCH, newton: [] }[name] ?? [];
  return {
    name,
    command: ['optimize', '--algorithm', name],
    tree: [
      'method = optimize',
      '  optimize',
      `    algorithm = ${name}${name === 'lbfgs' ? ' (Default)' : ''}`,
      `      ${name}`,
      ...indented(4, own),
      '    jacobian = false (Default)',
      '    iter = 2000 (Default)',
      '    save_iterations = false (Default)',
    ],
    draws: 1,
  };
});

const variational = ['meanfield', 'fullrank'].map(
  (name): Row => ({
    name,
    command: ['variational', '--algorithm', name, '--output-samples', '7', '--adapt-iterations', '20'],
    tree: [
      'method = variational',
      '  variational',
      `    algorithm = ${name}${name === 'meanfield' ? ' (Default)' : ''}`,
      `      ${name}`,
      '    iter = 10000 (Default)',
      '    grad_samples = 1 (Default)',
      '    elbo_samples = 100 (Default)',
      '    eta = 1 (Default)',
      '    adapt',
      '      engaged = true (Default)',
      '      iter = 20',
      '    tol_rel_obj = 0.01 (Default)',
      '    eval_elbo = 100 (Default)',
      '    output_samples = 7',
    ],
    draws: 8,
  }),
);

const pathfinders = ['single', 'multi'].map(
  (kind): Row => ({
    name: `pathfinder_lbfgs_${kind}`,
    command: [
      ...['pathfinder', '--num-paths', kind === 'single' ? '1' : '3', '--num-draws', '7'],
      ...(kind === 'multi' ? ['--num-psis-draws', '7'] : []),
    ],
    tree: [
      'method = pathfinder',
      '  pathfinder',
      ...indented(2, [...SEARCH, HISTORY]),
      `    num_psis_draws = ${kind === 'single' ? '1000 (Default)' : '7'}`,
      `    num_paths = ${kind === 'single' ? 1 : 3}`,
      '    save_single_paths = false (Default)',
      '    psis_resample = true (Default)',
      '    calculate_lp = true (Default)',
      '    max_lbfgs_iters = 1000 (Default)',
      '    num_draws = 7',
      '    num_elbo_draws = 25 (Default)',
    ],
    draws: 7,
  }),
);

const others: readonly Row[] = [
  {
    name: 'fixed_param',
    command: ['sample', '--algorithm', 'fixed_param', '--num-samples', '7'],
    tree: [
      'method = sample (Default)',
      '  sample',
      '    num_samples = 7',
      '    num_warmup = 1000 (Default)',
      '    save_warmup = false (Default)',
      '    thin = 1 (Default)',
      '    adapt',
      '      engaged = true (Default)',
      '      gamma = 0.05 (Default)',
      '      delta = 0.8 (Default)',
      '      kappa = 0.75 (Default)',
      '      t0 = 10 (Default)',
      '      init_buffer = 75 (Default)',
      '      term_buffer = 50 (Default)',
      '      window = 25 (Default)',
      '      save_metric = false (Default)',
      '    algorithm = fixed_param',
      '      metric = unit_e',
      '    num_chains = 1 (Default)',
    ],
    draws: 7,
  },
  {
    name: 'laplace_sample',
    command: ['laplace', '--mode', 'mode.json', '--draws', '7'],
    tree: [
      'method = laplace',
      '  laplace',
      '    mode = mode.json',
      '    jacobian = true (Default)',
      '    draws = 7',
      '    calculate_lp = true (Default)',
    ],
    draws: 7,
  },
  {
    name: 'standalone_generate',
    command: ['generate', '--fitted-params', 'draws.csv'],
    tree: [
      'method = generate_quantities',
      '  generate_quantities',
      '    fitted_params = draws.csv',
      '    num_chains = 1 (Default)',
    ],
    draws: 3,
  },
  {
    name: 'diagnose',
    command: ['diagnose-gradient'],
    tree: [
      'method = diagnose',
      '  diagnose',
      '    test = gradient (Default)',
      '      gradient',
      '        epsilon = 1e-06 (Default)',
      '        error = 1e-06 (Default)',
    ],
    draws: 0,
  },
];

const rows = [...samplers, ...recommended, ...tempered, ...optimizers, ...variational, ...pathfinders, ...others];

/** Texts that the comments after the names must contain, in order. */
function remarksOf(name: string): readonly RegExp[] {
  const adaptation = [/^Adaptation terminated$/, /^Step size = 0\.\d+$/];
  const times = [/^$/, / Elapsed Time: \S+ seconds \(Warm-up\)$/, / \(Sampling\)$/, / \(Total\)$/, /^$/];
  if (name.includes('unit_e')) return [...adaptation, /^No free parameters for unit metric$/, ...times];
  if (name.includes('diag_e') || name === 'tempered')
    return [...adaptation, /^Diagonal elements of inverse mass matrix:$/, /^\S+, \S+$/, ...times];
  if (name.includes('dense_e')) {
    return [...adaptation, /^Elements of inverse mass matrix:$/, /^\S+, \S+$/, /^\S+, \S+$/, ...times];
  }
  if (name.includes('low_rank') || name === 'recommended') {
    const diagonal = /^Diagonal elements and directions of the low-rank inverse mass matrix:$/;
    return [...adaptation, diagonal, /^\S+, \S+$/, ...times];
  }
  if (name === 'fixed_param') return times;
  if (name === 'standalone_generate') return [/^$/, /^ Elapsed Time: \S+ seconds \(Generated Quantities\)$/, /^$/];
  if (name.endsWith('single')) return [/^$/, /^Elapsed Time: \S+ seconds \(Pathfinder\)$/, /^$/];
  if (name.endsWith('multi')) {
    return [/^$/, /^Elapsed Time: \S+ seconds \(Pathfinders\)$/, / \(PSIS\)$/, / \(Total\)$/, /^$/];
  }
  if (['lbfgs', 'bfgs', 'newton'].includes(name)) return [/^Optimization terminated normally: Convergence detected: /];
  if (name === 'meanfield' || name === 'fullrank') return [/^Stepsize adaptation complete\.$/, /^eta = \S+$/];
  if (name === 'diagnose') {
    return [/^$/, /^ Log probability=\S+$/, /^$/, /^ param idx +value +model +finite diff +error$/, /^ +0 /, /^ +1 /];
  }
  return [];
}

describe('every function on the command line', () => {
  let place: CommandFolder;
  before(async () => {
    place = await CommandFolder.create(FILES);
    const commands = rows.map(({ command: [command, ...options], name }) => {
      return [command, 'model.stan', '--data', 'data.json', '--seed', '1', '--output', `${name}.csv`, ...options];
    });
    const { code, errors } = await place.runTogether(commands);
    assert.equal(code, 0, errors);
  });
  after(() => place.remove());

  it('is in the table', () => {
    assert.deepEqual(rows.map(({ name }) => name).sort(), algorithms.map(({ name }) => name).sort());
  });

  for (const { name, tree, draws } of rows) {
    it(`${name} writes what CmdStan writes`, () => {
      const lines = readFileSync(place.path(`${name}.csv`), 'utf8')
        .trimEnd()
        .split('\n');
      const head = lines.slice(0, lines.findIndex((line) => line.startsWith('# blocks = ')) + 1);
      assert.equal(head.at(-2), '# stancflags = ');
      const start = head.findIndex((line) => line.startsWith('# method = '));
      assert.deepEqual(
        head.slice(start, start + tree.length),
        tree.map((line) => `# ${line}`),
      );
      const data = lines.slice(head.length).filter((line) => !line.startsWith('#'));
      const remarks = lines.slice(head.length).filter((line) => line.startsWith('#'));
      const expected = remarksOf(name);
      assert.equal(remarks.length, expected.length, remarks.join('\n'));
      for (const [i, pattern] of expected.entries()) assert.match(remarks[i].slice(2), pattern);

      const algorithm = findAlgorithm(name);
      const variables = algorithm?.draws === 'all' ? ['mu', 'sigma', 'precision', 'twice'] : ['twice'];
      const names = [...(algorithm?.drawColumns ?? []), ...variables];
      if (name === 'diagnose') return assert.deepEqual(data, []);
      assert.equal(data[0], names.join(','));
      assert.equal(data.length - 1, draws);
      for (const line of data.slice(1)) {
        const values = line.split(',').map(Number);
        assert.equal(values.length, names.length);
        assert.ok(values.every(Number.isFinite), line);
        const value = new Map(names.map((each, i) => [each, values[i]]));
        const mu = value.get('mu');
        if (mu !== undefined) assert.ok(Math.abs((value.get('twice') ?? 0) - 2 * mu) < 1e-6 * Math.abs(mu));
      }
    });
  }

  it('variational writes the mean first, without its density', () => {
    for (const name of ['meanfield', 'fullrank']) {
      const lines = readFileSync(place.path(`${name}.csv`), 'utf8').split('\n');
      const data = lines.filter((line) => line !== '' && !line.startsWith('#'));
      assert.match(data[1], /^0,0,0,/);
      for (const line of data.slice(2)) assert.match(line, /^0,-\d/);
    }
  });

  it('generate computes the generated quantities of each draw', () => {
    const text = readFileSync(place.path('standalone_generate.csv'), 'utf8');
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    assert.deepEqual(lines.slice(-3), ['8', '10', '12']);
  });
});
