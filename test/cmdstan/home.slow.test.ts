/** Creates a CmdStan home, and compiles and runs models in it like its interfaces. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { layOutHome } from '../../src/cmdstan/home.js';
import { readStanCsv } from '../../src/formats/stan-csv.js';
import { SLICED } from '../doors/door.js';

const PROGRAM = `data { int<lower=0> N; array[N] int<lower=0, upper=1> y; }
parameters { real<lower=0, upper=1> theta; vector[2] z; }
model { theta ~ beta(1, 1); z ~ std_normal(); y ~ bernoulli(theta); }
generated quantities { real logit_theta = logit(theta); }
`;

const hasScript = spawnSync('script', ['--version'], { stdio: 'ignore' }).status === 0;
const isMakeThere = spawnSync('make', ['--version'], { stdio: 'ignore' }).status === 0;

describe('a CmdStan home', () => {
  let folder: string;
  const path = (name: string) => join(folder, name);
  const run = (command: string, ...words: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(command, words, { cwd: folder, encoding: 'utf8' });
    return { code: status, output: stdout, errors: stderr };
  };
  const model = (...words: readonly string[]) => run('./model', ...words, 'data', 'file=data.json');
  const csv = (name: string) => readStanCsv(readFileSync(path(name), 'utf8').split('\n'));
  const draws = (name: string) =>
    csv(name).entries.flatMap((entry) => (entry.kind === 'draw' ? [[...entry.values]] : []));
  const configured = (name: string) => csv(name).head.map((line) => line.replace(/^# ?/, ''));

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'leapfrog-home-'));
    layOutHome(folder);
    writeFileSync(path('model.stan'), PROGRAM);
    writeFileSync(path('data.json'), '{"N": 4, "y": [0, 1, 1, 1]}');
    const built = run('bin/stanc', '--warn-pedantic', '--o=model', '--executable=STAN_THREADS=true', 'model.stan');
    assert.equal(built.code, 0, built.errors);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('states its version where interfaces look for it', () => {
    assert.match(readFileSync(path('makefile'), 'utf8'), /^CMDSTAN_VERSION := 2\.40\.0$/m);
    assert.equal(run('bin/stanc', '--version').output, 'stanc3 v2.40.0 (Unix)\n');
    const info = run('./model', 'info');
    assert.equal(info.code, 0);
    assert.deepEqual(info.output.split('\n').slice(0, 5), [
      'stan_version_major = 2',
      'stan_version_minor = 40',
      'stan_version_patch = 0',
      'STAN_THREADS=true',
      'STAN_MPI=false',
    ]);
  });

  it('makes models with make', { skip: isMakeThere ? false : 'there is no make' }, () => {
    const made = run('make', 'STANCFLAGS+=--name=other_model', 'examples/bernoulli/bernoulli');
    assert.equal(made.code, 0, made.errors);
    const ran = run('examples/bernoulli/bernoulli', 'sample', 'data', 'file=examples/bernoulli/bernoulli.data.json');
    assert.equal(ran.code, 0, ran.errors);
    assert.ok(configured('output.csv').includes('model = other_model'));
    assert.ok(configured('output.csv').includes('stancflags = --name=other_model'));
    const refused = run('make', 'USER_HEADER=user.hpp', 'examples/bernoulli/bernoulli');
    assert.notEqual(refused.code, 0);
    assert.match(refused.errors, /USER_HEADER is set, but models are compiled to WebAssembly here/);
    assert.equal(run('make', 'print-CMDSTAN_VERSION').output, 'CMDSTAN_VERSION = 2.40.0\n');
  });

  it('runs no command in the name of a target', { skip: isMakeThere ? false : 'there is no make' }, () => {
    mkdirSync(path('names'));
    const names = ['$(touch x) $HOME', '`touch x`', "a;touch x;'touch x'", 'a "b" & c|d'];
    for (const name of names) writeFileSync(path(`names/${name}.stan`), PROGRAM);
    const made = (maker: string, target: string, ...variables: readonly string[]) => {
      const { code, errors } = run(maker, ...variables, target);
      assert.equal(code, 0, `${maker} ${target}: ${errors}`);
      assert.ok(existsSync(path(target)), `${maker} ${target}`);
      rmSync(path(target));
    };
    for (const name of names) {
      made('make', `names/${name}`, "STAN_THREADS=';touch x;'");
      made('make', `names/${name}.hpp`);
      run('make', `print-${name}`);
      run('make', 'compile_info', "STANCFLAGS=';touch x;'");
    }
    made('bin/make', `names/${names[0]}`);
    for (const file of ['x', 'names/x']) assert.equal(existsSync(path(file)), false, file);
  });

  it('rebuilds missing tools', { skip: isMakeThere ? false : 'there is no make' }, () => {
    for (const maker of ['make', 'bin/make']) {
      rmSync(path('bin/diagnose'));
      const made = run(maker, 'bin/diagnose');
      assert.deepEqual([made.code, made.output], [0, ''], made.errors);
      assert.equal(run('bin/diagnose').code, 0);
    }
  });

  it('reports the errors that stanc reports, with its exit codes', () => {
    writeFileSync(path('wrong.stan'), 'parameters { real x; } model { y ~ normal(0, 1); }');
    const made = run('bin/stanc', '--filename-in-msg=shown.stan', '--o=wrong', '--executable=', 'wrong.stan');
    assert.equal(made.code, 1);
    assert.match(made.errors, /^Semantic error in 'shown.stan', line 1, column 31 to column 32:/);
    assert.equal(existsSync(path('wrong')), false);
    assert.equal(run('bin/stanc', 'wrong.stan').code, 1);
    const formatted = run('bin/stanc', '--auto-format', 'wrong.stan');
    assert.deepEqual([formatted.code, formatted.output], [1, '']);
    assert.equal(run('bin/stanc', '--no-such-option', 'model.stan').code, 124);
    writeFileSync(
      path('outside.stan'),
      'functions { real f(real x); } parameters { real y; } model { target += f(y); }',
    );
    assert.match(run('bin/stanc', 'outside.stan').errors, /Function "f" is declared without specifying a definition/);
    assert.equal(run('bin/stanc', '--allow-undefined', '--o=outside.hpp', 'outside.stan').code, 0);
    const built = run('bin/stanc', '--allow-undefined', '--o=outside', '--executable=', 'outside.stan');
    assert.equal(built.code, 1);
    assert.match(built.errors, /Function "f" is declared without specifying a definition/);
    const info = JSON.parse(run('bin/stanc', '--info', 'model.stan').output);
    assert.deepEqual(Object.keys(info.parameters), ['theta', 'z']);
  });

  it('samples: console, columns, adaptation and times as in CmdStan', () => {
    const { code, errors, output } = model('sample', 'num_samples=20', 'random', 'seed=3', 'output', 'file=s.csv');
    assert.equal(code, 0, errors);
    assert.match(output, /^method = sample \(Default\)\n {2}sample\n {4}num_samples = 20\n/);
    assert.match(output, /\nnum_threads = 1 \(Default\)\n\n/);
    assert.match(output, /\nIteration: 1020 \/ 1020 \[100%\] {2}\(Sampling\)\n/);
    const { columns, entries } = csv('s.csv');
    const own = 'lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__';
    assert.equal(columns.join(), `${own},theta,z.1,z.2,logit_theta`);
    const texts = entries.flatMap((entry) => (entry.kind === 'remark' ? [entry.text] : []));
    assert.deepEqual(texts.slice(0, 1), ['Adaptation terminated']);
    assert.match(texts[1], /^Step size = [\d.e-]+$/);
    assert.equal(texts[2], 'Diagonal elements of inverse mass matrix:');
    assert.match(texts[5], /^ Elapsed Time: [\d.e-]+ seconds \(Warm-up\)$/);
    assert.equal(draws('s.csv').length, 20);
    assert.ok(configured('s.csv').includes('  seed = 3'));
  });

  it('produces the same draws from the same seed, whether chains share a process or a thread', () => {
    const same = ['num_samples=10', 'num_warmup=50', 'random', 'seed=5'];
    const many = model('sample', 'num_chains=2', ...same, 'id=3', 'output', 'file=m.csv', 'num_threads=2');
    assert.equal(many.code, 0, many.errors);
    assert.match(many.output, /^Chain \[4\] Iteration: {2}1 \/ 60/m);
    assert.equal(model('sample', ...same, 'id=4', 'output', 'file=one.csv').code, 0);
    assert.equal(model('sample', 'num_chains=2', ...same, 'id=3', 'output', 'file=n.csv').code, 0);
    assert.deepEqual(draws('m_4.csv'), draws('one.csv'));
    assert.deepEqual(draws('m_4.csv'), draws('n_4.csv'));
    assert.notDeepEqual(draws('m_3.csv'), draws('m_4.csv'));
    assert.equal(model('sample', 'num_chains=2', ...same, 'id=3', 'output', 'file=x.csv,y.csv').code, 0);
    assert.deepEqual([draws('x.csv'), draws('y.csv')], [draws('m_3.csv'), draws('m_4.csv')]);
    const few = model('sample', 'num_chains=3', ...same, 'output', 'file=x.csv,y.csv');
    assert.equal(few.code, 1);
    assert.match(few.errors, /2 file names were given for 3 chains/);
  });

  it('produces the same draws from large data, which are bound once for several chains', () => {
    const data = { N: 300_000, y: Array.from({ length: 300_000 }, (_, n) => (n % 3 === 0 ? 1 : 0)) };
    writeFileSync(path('large.json'), JSON.stringify(data));
    const same = ['num_samples=5', 'num_warmup=20', 'random', 'seed=5', 'data', 'file=large.json'];
    const sample = (file: string, own: string, ...more: readonly string[]) => {
      const { code, errors } = run('./model', 'sample', own, ...same, 'output', `file=${file}.csv`, ...more);
      assert.equal(code, 0, errors);
    };
    sample('together', 'num_chains=2', 'num_threads=2');
    sample('turns', 'num_chains=2', 'num_threads=1');
    sample('alone', 'num_chains=1', 'id=2');
    assert.equal(draws('alone.csv').length, 5);
    assert.deepEqual(draws('together_2.csv'), draws('alone.csv'));
    assert.deepEqual(draws('turns_2.csv'), draws('alone.csv'));
    assert.notDeepEqual(draws('together_1.csv'), draws('alone.csv'));
    writeFileSync(path('large.json'), JSON.stringify({ ...data, N: 300_001 }));
    const refused = run('./model', 'sample', 'num_chains=2', 'data', 'file=large.json', 'num_threads=2');
    assert.equal(refused.code, 1);
    assert.match(refused.errors, /mismatch/);
  });

  it('writes the same files with two and three threads, which share the density of a chain', () => {
    writeFileSync(path('rows.stan'), SLICED.program);
    writeFileSync(path('rows.json'), JSON.stringify(SLICED.data));
    writeFileSync(path('rows-point.json'), JSON.stringify({ params_r: [0.3, -0.2, 0.1] }));
    writeFileSync(path('rows-mode.json'), JSON.stringify({ a: 0, b: 0, s: 0.7 }));
    const built = run('bin/stanc', '--o=rows', '--executable=STAN_THREADS=true', 'rows.stan');
    assert.equal(built.code, 0, built.errors);
    const methods = {
      sample: ['num_samples=5', 'num_warmup=10', 'algorithm=hmc', 'engine=nuts', 'max_depth=4'],
      optimize: ['iter=10'],
      laplace: ['mode=rows-mode.json', 'draws=10'],
      log_prob: ['unconstrained_params=rows-point.json'],
    };
    for (const [method, words] of Object.entries(methods)) {
      const [whole, two, three] = [1, 2, 3].map((threads) => {
        const common = ['random', 'seed=2', 'data', 'file=rows.json', `num_threads=${threads}`];
        const { code, errors } = run('./rows', method, ...words, ...common, 'output', 'file=rows.csv', 'sig_figs=17');
        assert.equal(code, 0, errors);
        return readFileSync(path('rows.csv'), 'utf8').replace(/^#.*\n/gm, '');
      });
      assert.ok(two.split('\n').length >= 3, two);
      assert.equal(three, two);
      // The order of the sum shows that the density was in slices.
      assert.notEqual(two, whole, method);
    }
  });

  it('writes metric and configuration as JSON, and reads a metric', () => {
    const words = [
      'adapt',
      'save_metric=1',
      'output',
      'file=j.csv',
      'save_cmdstan_config=1',
      'diagnostic_file=j-d.csv',
    ];
    assert.equal(model('sample', 'num_samples=5', ...words).code, 0);
    const metric = readFileSync(path('j_metric.json'), 'utf8');
    assert.match(
      metric,
      /^\n\{\n {2}"stepsize" : [\d.]+,\n {2}"metric_type" : "diag_e",\n {2}"inv_metric" : \[ [\d., ]+ \]\n\}\n$/,
    );
    const configuration = JSON.parse(readFileSync(path('j_config.json'), 'utf8'));
    assert.equal(configuration.method.value, 'sample');
    assert.equal(configuration.method.sample.algorithm.hmc.engine.nuts.max_depth, 10);
    assert.equal(configuration.model_name, 'model_model');
    assert.equal(csv('j-d.csv').columns.at(-1), 'g_z.2');
    const taken = ['algorithm=hmc', 'metric_file=j_metric.json', 'adapt', 'engaged=0'];
    assert.equal(model('sample', 'num_samples=5', ...taken, 'output', 'file=k.csv').code, 0);
    const { inv_metric } = JSON.parse(metric);
    const told = csv('k.csv').entries.flatMap((entry) => (entry.kind === 'remark' ? [entry.text] : []));
    assert.equal(told[3].split(', ').length, inv_metric.length);
  });

  it('passes results from one method to the next', () => {
    assert.equal(model('optimize', 'output', 'file=mode.csv').code, 0);
    assert.equal(draws('mode.csv').length, 1);
    assert.equal(model('laplace', 'mode=mode.csv', 'jacobian=0', 'draws=30', 'output', 'file=l.csv').code, 0);
    assert.equal(draws('l.csv').length, 30);
    const sampled = model(
      'sample',
      'num_samples=7',
      'num_warmup=50',
      'save_warmup=1',
      'output',
      'file=g.csv',
      'sig_figs=17',
    );
    assert.equal(sampled.code, 0);
    const generated = model('generate_quantities', 'fitted_params=g.csv', 'output', 'file=q.csv', 'sig_figs=17');
    assert.equal(generated.code, 0, generated.errors);
    assert.equal(csv('q.csv').columns.join(), 'logit_theta');
    assert.match(
      readFileSync(path('q.csv'), 'utf8'),
      /\n# \n# {2}Elapsed Time: \S+ seconds \(Generated Quantities\)\n# \n$/,
    );
    const written = draws('g.csv').map((draw) => draw[draw.length - 1]);
    const again = draws('q.csv').map(([value]) => value);
    assert.equal(again.length, written.length);
    assert.ok(again.every((value, row) => Math.abs(value - written[row]) < 1e-13 * Math.abs(written[row])));
    for (const method of ['variational', 'pathfinder', 'diagnose']) {
      const { code, errors, output } = model(method, 'output', `file=${method}.csv`, 'random', 'seed=1');
      assert.equal(code, 0, `${method}: ${errors}${output}`);
    }
  });

  it('generates quantities from its own draws with the default digits', () => {
    const program = `parameters { simplex[4] p; corr_matrix[3] Omega; unit_vector[3] u; sum_to_zero_vector[4] z; }
      model { z ~ std_normal(); }
      generated quantities { real first = p[1]; }`;
    writeFileSync(path('rounded.stan'), program);
    assert.equal(run('bin/make', 'rounded').code, 0);
    const sampled = run('./rounded', 'sample', 'num_samples=50', 'random', 'seed=5', 'output', 'file=r.csv');
    assert.equal(sampled.code, 0, sampled.errors);
    const sums = draws('r.csv').map((draw) => {
      const from = csv('r.csv').columns.indexOf('p.1');
      return Math.abs(draw.slice(from, from + 4).reduce((sum, each) => sum + each) - 1);
    });
    assert.ok(Math.max(...sums) > 1e-8);
    const generated = run('./rounded', 'generate_quantities', 'fitted_params=r.csv', 'output', 'file=rq.csv');
    assert.equal(generated.code, 0, generated.errors + generated.output);
    assert.equal(draws('rq.csv').length, 50);
  });

  it('escapes what a program prints on a terminal', { skip: hasScript ? false : 'there is no script' }, () => {
    const hostile = '\x1b[31m';
    const program = `transformed data { print("data ${hostile}"); } parameters { real x; }
      model { print("density ${hostile}"); x ~ std_normal(); } generated quantities { print("quantity ${hostile}"); }`;
    writeFileSync(path('printing.stan'), program);
    assert.equal(run('bin/make', 'printing').code, 0);
    const command = './printing sample num_samples=2 num_warmup=1 output file=printed.csv';
    const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], { cwd: folder, encoding: 'utf8' });
    assert.ok(!stdout.includes(hostile), JSON.stringify(stdout));
    for (const block of ['data', 'density', 'quantity']) assert.ok(stdout.includes(`${block} \\x1b[31m`), stdout);
  });

  it('exits with 1 from diagnose if a gradient differs from finite differences, and writes the table', () => {
    const { code, output } = model('diagnose', 'test=gradient', 'epsilon=3', 'output', 'file=differing.csv');
    assert.equal(code, 1);
    assert.match(output, /\n param idx +value +model +finite diff +error\n/);
    assert.match(readFileSync(path('differing.csv'), 'utf8'), /# +0( +\S+){4}\n/);
    assert.equal(model('diagnose', 'test=gradient', 'epsilon=3', 'error=1e9', 'output', 'file=large.csv').code, 0);
  });

  it('saves the draws of each path of Pathfinder on request', () => {
    const words = ['num_paths=2', 'num_draws=40', 'num_psis_draws=50', 'save_single_paths=1', 'random', 'seed=4'];
    assert.equal(model('pathfinder', ...words, 'output', 'file=w.csv').code, 0);
    const paths = ['w_path_1.csv', 'w_path_2.csv'].map(draws);
    assert.deepEqual(
      paths.map(({ length }) => length),
      [40, 40],
    );
    const known = new Set(paths.flat().map((draw) => draw.join()));
    assert.ok(draws('w.csv').every((draw) => known.has(draw.join())));
  });

  it('writes each point of a path of Pathfinder to a JSON file beside its draws', () => {
    const words = ['history_size=1', 'save_single_paths=1', 'random', 'seed=4'];
    assert.equal(model('pathfinder', 'num_paths=2', ...words, 'output', 'file=v.csv').code, 0);
    assert.equal(model('pathfinder', 'num_paths=1', ...words, 'output', 'file=u.csv', 'diagnostic_file=d.txt').code, 0);
    assert.equal(existsSync(path('d.txt')), false);
    for (const name of ['v_path_1.json', 'v_path_2.json', 'd.json']) {
      const text = readFileSync(path(name), 'utf8');
      const start = '\n{\n  "0" : {\n    "iter" : 0,\n    "unconstrained_parameters" : [ ';
      assert.equal(text.slice(0, start.length), start);
      const points: unknown[] = Object.values(JSON.parse(text));
      assert.ok(points.length > 2, name);
      const [begin, first] = points;
      assert.ok(isRecord(begin) && isRecord(first));
      assert.deepEqual(Object.keys(begin), ['iter', 'unconstrained_parameters', 'grads']);
      const own = ['history_size', 'lbfgs_success', 'pathfinder_success', 'x_center', 'logDetCholHk', 'L_approx', 'Qk'];
      assert.deepEqual(Object.keys(first), [...Object.keys(begin), ...own, 'alpha', 'full', 'lbfgs_note']);
      assert.deepEqual(first.unconstrained_parameters, begin.unconstrained_parameters);
      // Three parameters and a history of one step: Q has two columns, and the factor is of order 2.
      assert.deepEqual([first.full, shape(first.L_approx), shape(first.Qk)], [false, [2, 2], [3, 2]]);
    }
  });

  it('writes the curvature at the mode of a Laplace approximation to a JSON file', () => {
    assert.equal(model('optimize', 'jacobian=1', 'output', 'file=mode.csv', 'sig_figs=17').code, 0);
    const words = ['mode=mode.csv', 'output', 'file=t.csv', 'diagnostic_file=curvature.json'];
    assert.equal(model('laplace', ...words).code, 0);
    const text = readFileSync(path('curvature.json'), 'utf8');
    assert.match(
      text,
      /^\n\{\n {2}"lp_mode" : \S+,\n {2}"gradient" : \[ .* \],\n {2}"Hessian" : \[ \[ .* \] \]\n\}\n$/,
    );
    const { Hessian: hessian } = JSON.parse(text);
    // y has 3 of 4 and theta a uniform prior, so theta is 2/3 at the mode, and 6 theta (1 - theta) = 4/3; z is standard normal.
    const expected = [
      [-4 / 3, 0, 0],
      [0, -1, 0],
      [0, 0, -1],
    ];
    expected.forEach((row, i) => {
      for (const [j, value] of row.entries()) assert.ok(Math.abs(hessian[i][j] - value) < 1e-4, text);
    });
  });

  it('rejects draws of another model, and refuses to overwrite its input', () => {
    writeFileSync(path('other.csv'), '# method = sample\nlp__,tau\n1,2\n');
    const other = model('generate_quantities', 'fitted_params=other.csv', 'output', 'file=x.csv');
    assert.equal(other.code, 1);
    assert.match(other.errors, /Mismatch between model and fitted_parameters csv file "other.csv"/);
    const mode = model('laplace', 'mode=other.csv', 'output', 'file=x.csv');
    assert.match(mode.errors, /CSV file is not output from Stan optimization/);
    const same = model('generate_quantities', 'fitted_params=other.csv', 'output', 'file=./other.csv');
    assert.equal(same.code, 1);
    assert.match(same.errors, /Filename conflict, fitted_params file other.csv and output file names are identical/);
  });

  it('makes models without make', () => {
    writeFileSync(path('make/local'), '# mine\nSTANCFLAGS += --name=from_local_model\n');
    const made = run(
      'bin/make',
      'STANCFLAGS+=--include-paths=a\\ b',
      'STAN_THREADS=TRUE',
      'examples/bernoulli/bernoulli',
    );
    rmSync(path('make/local'));
    assert.equal(made.code, 0, made.errors);
    assert.match(run('examples/bernoulli/bernoulli', 'info').output, /^STAN_THREADS=true$/m);
    const ran = run('examples/bernoulli/bernoulli', 'sample', 'data', 'file=examples/bernoulli/bernoulli.data.json');
    assert.equal(ran.code, 0, ran.errors);
    assert.ok(configured('output.csv').includes('model = from_local_model'));
    assert.ok(configured('output.csv').includes('stancflags = --name=from_local_model --include-paths=a b'));
    assert.equal(run('bin/make', 'nowhere').code, 2);
    assert.equal(run('bin/make', 'STAN_OPENCL=true', 'model').code, 2);
    assert.equal(run('bin/make', 'print-CMDSTAN_VERSION').output, 'CMDSTAN_VERSION = 2.40.0\n');
  });

  it('returns the log density and its gradient at points', () => {
    writeFileSync(path('point.json'), '{"params_r": [[0, 1, 2], [0.5, 0, 0]]}');
    const told = model('log_prob', 'unconstrained_params=point.json', 'output', 'file=p.csv', 'sig_figs=17');
    assert.equal(told.code, 0, told.errors);
    assert.equal(csv('p.csv').columns.join(), 'lp__,g_theta,g_z.1,g_z.2');
    const [[density, ...gradient]] = draws('p.csv');
    // Three successes, one failure and the Jacobian, theta = 1/2: 5 log(1/2) and -(1 + 4) / 2 and log(1/2).
    assert.ok(Math.abs(density - (6 * Math.log(0.5) - 2.5)) < 1e-14);
    assert.deepEqual(gradient, [1, -1, -2]);
  });

  it('reports errors with the messages of CmdStan and exit code 1', () => {
    const missing = run('./model', 'sample');
    assert.equal(missing.code, 1);
    assert.match(missing.errors, /variable does not exist; processing stage=data initialization; variable name=N/);
    const absent = run('./model', 'sample', 'data', 'file=nowhere.json');
    assert.equal(absent.code, 1);
    assert.match(absent.errors, /Can't open specified file, "nowhere.json"/);
    const wrong = run('./model', 'smaple');
    assert.equal(wrong.code, 1);
    assert.match(
      wrong.errors,
      /smaple is either mistyped or misplaced.\n[\s\S]*Failed to parse command arguments, cannot run model./,
    );
    assert.equal(run('./model').code, 1);
    assert.equal(run('./model', 'help').code, 0);
  });

  it('rejects files beyond the limit of the environment, and devices', () => {
    for (const name of ['large.json', 'large.csv', 'large.stan']) {
      writeFileSync(path(name), '');
      truncateSync(path(name), 2 ** 20 + 1);
    }
    const limited = (command: string, ...words: readonly string[]) =>
      run('sh', '-c', 'LEAPFROG_MAX_INPUT=1 exec "$0" "$@"', command, ...words);
    for (const [command, ...words] of [
      ['./model', 'sample', 'data', 'file=large.json'],
      ['./model', 'sample', 'data', 'file=data.json', 'init=large.json'],
      ['./model', 'sample', 'algorithm=hmc', 'metric_file=large.json', 'data', 'file=data.json'],
      ['./model', 'laplace', 'mode=large.csv', 'data', 'file=data.json'],
      ['./model', 'generate_quantities', 'fitted_params=large.csv', 'data', 'file=data.json'],
      ['./model', 'log_prob', 'unconstrained_params=large.json', 'data', 'file=data.json'],
      ['./model', 'log_prob', 'constrained_params=large.csv', 'data', 'file=data.json'],
      ['bin/stanc', 'large.stan'],
      ['bin/stansummary', 'large.csv'],
      ['bin/diagnose', 'large.csv'],
    ]) {
      const { code, output, errors } = limited(command, ...words);
      assert.notEqual(code, 0, words.join(' '));
      const message = /large\.\w+ is larger than 1 MiB, .* LEAPFROG_MAX_INPUT/;
      assert.match(output + errors, message, words.join(' '));
    }
    const { errors } = limited('./model', 'sample', 'data', 'file=/dev/zero');
    assert.match(errors, /^\/dev\/zero is a device, not a file or pipe$/m);
  });

  it('exits from stansummary with the codes of its command line', () => {
    assert.equal(model('sample', 'num_samples=5', 'num_warmup=5', 'output', 'file=codes.csv').code, 0);
    const written = readFileSync(path('codes.csv'), 'utf8');
    const cases: readonly (readonly [code: number, message: RegExp, ...words: string[]])[] = [
      [105, /^--sig_figs: Value 19 not in range 1 to 18$/m, '--sig_figs=19', 'codes.csv'],
      [105, /^--autocorr: Number less or equal to 0: \(0\)$/m, '-a', '0', 'codes.csv'],
      [105, /^input_files: File does not exist: nowhere.csv$/m, 'codes.csv', 'nowhere.csv'],
      [105, /^--csv_filename: Path already exists: codes.csv$/m, '-c', 'codes.csv', 'codes.csv'],
      [106, /^input_files is required$/m, '--sig_figs=3'],
      [109, /^The following argument was not expected: --nothing$/m, '--nothing', 'codes.csv'],
      [114, /^-p: 1 required value missing$/m, 'codes.csv', '-p'],
    ];
    for (const [code, message, ...words] of cases) {
      const found = run('bin/stansummary', ...words);
      assert.deepEqual([found.code, found.output], [code, ''], words.join(' '));
      assert.match(found.errors, message);
      assert.match(found.errors, /\nRun with --help for more information.\n$/);
    }
    assert.equal(run('bin/stansummary', '-a', '2', 'codes.csv').code, 1);
    assert.equal(run('bin/stansummary', '-p', '101', 'codes.csv').code, 1);
    assert.equal(readFileSync(path('codes.csv'), 'utf8'), written);
  });

  it('does not count the mean of an approximation as a draw, but computes generated quantities for it, as CmdStan does', () => {
    assert.equal(model('variational', 'output_samples=40', 'random', 'seed=1', 'output', 'file=v.csv').code, 0);
    const { output } = run('bin/stansummary', 'v.csv');
    assert.match(output, /; 40 iterations saved\.$/m);
    assert.equal(model('generate_quantities', 'fitted_params=v.csv', 'output', 'file=vg.csv').code, 0);
    const rows = readFileSync(path('vg.csv'), 'utf8').match(/^[-\d]/gm);
    assert.equal(rows?.length, 41);
  });

  it('summarizes and diagnoses samples', () => {
    assert.equal(model('sample', 'num_chains=2', 'output', 'file=d.csv').code, 0);
    const summary = run(
      'bin/stansummary',
      '--sig_figs=4',
      '--percentiles=10,90',
      '--csv_filename=summary.csv',
      'd_1.csv',
      'd_2.csv',
    );
    assert.equal(summary.code, 0, summary.output);
    assert.match(
      summary.output,
      /^Inference for Stan model: model_model\n2 chains: each with iter=1000; warmup=1000; thin=1; 2000 iterations saved.\n/,
    );
    const [head, ...rows] = readFileSync(path('summary.csv'), 'utf8').split('\n');
    assert.equal(head, 'name,Mean,MCSE,StdDev,MAD,10%,90%,ESS_bulk,ESS_tail,R_hat');
    const row = rows.find((line) => line.startsWith('"z[2]"'))?.split(',') ?? [];
    assert.ok(Math.abs(Number(row[1])) < 0.2 && Math.abs(Number(row[3]) - 1) < 0.15, row.join());
    const diagnosed = run('bin/diagnose', 'd_1.csv', 'd_2.csv');
    assert.match(
      diagnosed.output,
      /^Checking sampler transitions treedepth.\nTreedepth satisfactory for all transitions.\n\n/,
    );
    assert.match(diagnosed.output, /Rank-normalized split R-hat values satisfactory for all parameters.\n\n/);
  });
});

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Numbers of rows and columns of a matrix in JSON. */
function shape(matrix: unknown): number[] {
  assert.ok(Array.isArray(matrix));
  return [matrix.length, matrix[0].length];
}
