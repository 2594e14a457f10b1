import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { CommandFolder } from './command.js';
import { DATA, NORMAL } from './normal-model.js';

const ENDLESS = 'parameters {\n  real x;\n}\nmodel {\n  while (1) {\n    x ~ std_normal();\n  }\n}\n';

/** The lines of a CSV file: comments, names, numbers. */
function readCsv(path: string) {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const rows = lines.filter((line) => !line.startsWith('#')).map((line) => line.split(','));
  return { comments: lines.filter((line) => line.startsWith('#')), names: rows[0], draws: rows.slice(1) };
}

describe('commands that run an algorithm', () => {
  let place: CommandFolder;
  before(async () => {
    place = await CommandFolder.create({ 'model.stan': NORMAL, 'data.json': DATA, 'endless.stan': ENDLESS });
  });
  after(() => place.remove());

  const sample = (...args: string[]) =>
    place.run('sample', 'model.stan', '--data', 'data.json', '--seed', '1', '--num-warmup', '200', ...args);

  it('write one file per chain, as CmdStan does', async () => {
    const { code, output } = await sample('--chains', '2', '--num_samples', '100', '--output', 'fit.csv');
    assert.equal(code, 0);
    assert.match(output, /^Chain \[2\] Iteration: {3}1 \/ 300 \[ {2}0%\] {2}\(Warmup\)$/m);
    const { comments, draws, names } = readCsv(place.path('fit_2.csv'));
    assert.deepEqual(names.slice(0, 2), ['lp__', 'accept_stat__']);
    assert.deepEqual(names.slice(7), ['mu', 'sigma', 'precision', 'twice']);
    assert.equal(draws.length, 100);
    for (const line of [
      '# model = model_model',
      '# method = sample (Default)',
      '#     num_samples = 100',
      '#     save_warmup = false (Default)',
      '#       delta = 0.8 (Default)',
      '#         engine = nuts (Default)',
      '#             max_depth = 10 (Default)',
      '#         metric = diag_e (Default)',
      '#     num_chains = 2',
      '# id = 2',
      '#   file = data.json',
      '#   seed = 1',
      '#   file = fit_2.csv',
      '# Adaptation terminated',
      '# Diagonal elements of inverse mass matrix:',
    ]) {
      assert.ok(comments.includes(line), line);
    }
    assert.match(comments.at(-4) ?? '', /^# {2}Elapsed Time: \S+ seconds \(Warm-up\)$/);
  });

  it('draw the same numbers from the same seed, to every requested digit', async () => {
    await sample('--num-samples', '5', '--sig-figs', '8', '--output', 'short.csv');
    await sample('--num-samples', '5', '--output', 'long.csv');
    const [short, long] = ['short.csv', 'long.csv'].map((name) => readCsv(place.path(name)).draws[4].map(Number));
    for (const [k, value] of long.entries()) assert.equal(Number(value.toPrecision(8)), short[k]);
  });

  it('write into a folder, and in the other formats', async () => {
    await mkdir(place.path('fits'));
    assert.equal((await sample('--num-samples', '10', '--output', 'fits')).code, 0);
    assert.equal(readCsv(place.path('fits/model-sample.csv')).draws.length, 10);
    assert.equal((await sample('--num-samples', '10', '--output', 'fits/draws.ndjson')).code, 0);
    const messages = readFileSync(place.path('fits/draws.ndjson'), 'utf8');
    assert.equal(messages.match(/"topic":"sample","values":\{/g)?.length, 10);
    assert.equal((await sample('--num-samples', '400', '--chains', '2', '--output', 'draws.arrow')).code, 0);
    assert.equal((await place.run('summary', 'draws_1.arrow', 'draws_2.arrow')).code, 0);
    const refused = await sample('--output', 'draws.txt');
    assert.equal(refused.code, 1);
    assert.match(refused.errors, /^error: --output must be a folder or end in \.csv, \.arrow, \.ndjson$/m);
  });

  it('choose the sampler by algorithm, metric and adaptation', async () => {
    const args = ['--algorithm', 'static', '--metric', 'dense_e', '--adapt-engaged', '0', '--int-time', '1'];
    assert.equal((await sample(...args, '--num-samples', '3', '--output', 'static.csv')).code, 0);
    const { comments, names } = readCsv(place.path('static.csv'));
    assert.ok(names.includes('int_time__'));
    for (const line of ['#       engaged = false', '#         engine = static', '#         metric = dense_e'])
      assert.ok(comments.includes(line), line);
    assert.equal(
      (await place.run('sample', 'model.stan', '--data', 'data.json', '--algorithm', 'fixed_param')).code,
      0,
    );
  });

  it('reject invalid arguments, option by option', async () => {
    const { code, errors } = await sample('--thin', '0', '--delta', '2', '--int-time', '3');
    assert.equal(code, 1);
    const lines = errors.trimEnd().split('\n');
    assert.deepEqual(lines.sort(), [
      'error: --delta must be less than 1',
      'error: --int-time is not an argument of this function',
      'error: --thin must be at least 1',
    ]);
    assert.match((await sample('--metric', 'round')).errors, /argument 'round' is invalid/);
    assert.match((await sample('--max-depth', 'deep')).errors, /It must be a number/);
    assert.match((await sample('--save', 'tau')).errors, /^error: --save names tau/m);
  });

  it("report errors in the data with Stan's messages", async () => {
    await writeFile(place.path('few.json'), '{"N": 8, "y": [1]}');
    const { code, errors } = await place.run('sample', 'model.stan', '--data', 'few.json');
    assert.equal(code, 1);
    assert.match(errors, /mismatch in dimension declared and found in context.* \(in 'model\.stan', line 3/);
    await writeFile(place.path('broken.json'), '{"N": 8, ');
    for (const option of ['--data', '--init']) {
      const broken = await place.run('sample', 'model.stan', option, 'broken.json');
      assert.equal(broken.code, 1);
      assert.match(broken.errors, /^error: broken\.json is not JSON: line 1, column 10: /);
    }
    await writeFile(place.path('kept.csv'), 'draws of another run');
    await place.run('sample', 'model.stan', '--data', 'few.json', '--output', 'kept.csv');
    assert.equal(readFileSync(place.path('kept.csv'), 'utf8'), 'draws of another run');
  });

  it('continue from an optimum to draws, and from draws to generated quantities', async () => {
    const run = (command: string, ...args: string[]) =>
      place.run(command, 'model.stan', '--data', 'data.json', '--seed', '1', ...args);
    const optimum = await run('optimize', '--jacobian', '--output', 'mode.csv');
    assert.match(optimum.output, /Optimization terminated normally/);
    assert.equal((await run('laplace', '--mode', 'mode.csv', '--draws', '50', '--output', 'laplace.csv')).code, 0);
    assert.equal(readCsv(place.path('laplace.csv')).draws.length, 50);
    assert.equal((await run('pathfinder', '--num-psis-draws', '20', '--output', 'start.csv')).code, 0);
    assert.equal((await sample('--num-samples', '20', '--init', 'start.csv', '--output', 'from.csv')).code, 0);
    assert.equal((await run('variational', '--output-samples', '10', '--output', 'normal.csv')).code, 0);
    assert.equal(readCsv(place.path('normal.csv')).draws.length, 11);
    const [, ...drawn] = readCsv(place.path('normal.csv')).draws;
    const mean = drawn.reduce((sum, row) => sum + Number(row[3]) / 10, 0);
    for (const path of ['normal.csv', 'normal.arrow', 'normal.ndjson']) {
      if (path !== 'normal.csv') await run('variational', '--output-samples', '10', '--output', path);
      const { output } = await place.run('summary', path, '--variables', 'mu', '--format', 'csv');
      assert.ok(Math.abs(Number(output.split('\n')[1].split(',')[1]) - mean) < 1e-6, path);
      assert.equal((await run('generate', '--fitted-params', path, '--output', 'ten.csv')).code, 0);
      assert.equal(readCsv(place.path('ten.csv')).draws.length, 10, path);
    }
    assert.equal((await run('optimize', '--save-iterations', '--output', 'path.csv')).code, 0);
    const iterations = readCsv(place.path('path.csv')).draws;
    const { output } = await place.run('summary', 'path.csv', '--variables', 'mu', '--format', 'csv');
    assert.ok(iterations.length > 1);
    assert.ok(Math.abs(Number(output.split('\n')[1].split(',')[1]) - Number(iterations.at(-1)?.[2])) < 1e-6);
    assert.equal((await run('generate', '--fitted-params', 'from.csv', '--output', 'again.csv')).code, 0);
    const { draws: before } = readCsv(place.path('from.csv'));
    const { draws: again, names } = readCsv(place.path('again.csv'));
    assert.deepEqual(names, ['twice']);
    for (const [k, [twice]] of again.entries()) assert.ok(Math.abs(Number(twice) - Number(before[k][10])) < 1e-6);
    assert.match((await run('diagnose-gradient', '--output', 'gradient.csv')).output, /param idx +value +model/);
  });

  it('accept a single path, and draws of several chains', async () => {
    const single = await place.run(
      'pathfinder',
      'model.stan',
      '--data',
      'data.json',
      '--num-paths',
      '1',
      '--seed',
      '1',
    );
    assert.equal(single.code, 0);
    assert.equal((await sample('--chains', '2', '--num-samples', '10', '--output', 'two.csv')).code, 0);
    const args = ['--data', 'data.json', '--fitted-params', 'two_1.csv', 'two_2.csv', '--output', 'gq.csv'];
    assert.equal((await place.run('generate', 'model.stan', ...args)).code, 0);
    assert.equal(readCsv(place.path('gq_2.csv')).draws.length, 10);
  });

  it('refuse to overwrite their inputs or outputs, under any name', async () => {
    assert.equal((await sample('--chains', '2', '--num-samples', '10')).code, 0);
    const texts = () => [1, 2].map((id) => readFileSync(place.path(`model-sample_${id}.csv`), 'utf8'));
    const before = texts();
    await symlink('model-sample_1.csv', place.path('link.csv'));
    for (const [command, ...args] of [
      ['generate', '--fitted-params', 'model-sample_1.csv', 'model-sample_2.csv', '--output', 'model-sample.csv'],
      ['sample', '--init', 'model-sample_1.csv', '--output', 'link.csv'],
      ['sample', '--init', 'link.csv', '--diagnostic-file', './model-sample_1.csv'],
    ]) {
      const { code, errors } = await place.run(command, 'model.stan', '--data', 'data.json', ...args);
      assert.equal(code, 1);
      assert.match(
        errors,
        /^error: (model-sample_1|link)\.csv is an input and would be overwritten; choose another output$/m,
      );
    }
    assert.deepEqual(texts(), before);
    const twice = await sample('--output', 'same.csv', '--diagnostic-file', './same.csv');
    assert.match(twice.errors, /^error: \.\/same\.csv would be written twice/);
    assert.equal(existsSync(place.path('same.csv')), false);
  });

  it("keep a file's contents if there is nothing to write", async () => {
    await writeFile(place.path('bad.json'), '{"mu": 0, "sigma": -1}');
    for (const name of ['kept.csv', 'kept.arrow']) {
      await writeFile(place.path(name), 'draws of another run');
      assert.equal((await sample('--init', 'bad.json', '--output', name)).code, 1);
      assert.equal(readFileSync(place.path(name), 'utf8'), 'draws of another run');
    }
    await writeFile(place.path('long.csv'), 'draws of another run\n'.repeat(10_000));
    assert.equal((await sample('--num-samples', '3', '--output', 'long.csv')).code, 0);
    assert.equal(readCsv(place.path('long.csv')).draws.length, 3);
    assert.ok(!readFileSync(place.path('long.csv'), 'utf8').includes('another'));
  });

  it('fail if a chain cannot start', async () => {
    await writeFile(place.path('no.stan'), 'parameters {\n  real x;\n}\nmodel {\n  reject("never");\n}\n');
    const { code, errors } = await place.run('sample', 'no.stan', '--output', 'no.csv');
    assert.equal(code, 1);
    assert.match(errors, /Initialization between \(-2, 2\) failed after 100 attempts/);
    assert.equal(errors.match(/Initialization failed/g)?.length, 1);
  });

  it('stop immediately if they are interrupted, and leave no files', async () => {
    const scratch = () => readdirSync(place.folder).filter((name) => /^leapfrog-[A-Za-z0-9]{6}$/.test(name));
    const earlier = new Set(scratch());
    const { child, ended } = place.start('sample', 'endless.stan', '--output', 'endless.csv');
    while (!existsSync(place.path('endless.csv'))) await new Promise((resolve) => setTimeout(resolve, 50));
    child.kill('SIGINT');
    await once(child, 'close');
    assert.equal((await ended).code, 130);
    assert.deepEqual(
      scratch().filter((name) => !earlier.has(name)),
      [],
    );
  });

  it('summarize and diagnose draws', async () => {
    await sample('--chains', '4', '--num-samples', '500', '--output', 'four.csv');
    const files = [1, 2, 3, 4].map((id) => `four_${id}.csv`);
    const { output } = await place.run('summary', ...files, '--variables', 'mu', '--format', 'json');
    const [mu] = JSON.parse(output);
    assert.equal(mu.name, 'mu');
    assert.ok(Math.abs(mu.mean - 4.96) < 0.2 && mu.rhat < 1.02 && mu.essBulk > 400);
    assert.match((await place.run('summary', ...files)).output, /^ +Mean +MCSE +StdDev +5% +50% +95%/);
    const judged = await place.run('diagnose', ...files);
    assert.equal(judged.code, 0);
    assert.match(judged.output, /E-BFMI/);
    for (const depth of ['abc', '-3', '0']) {
      const { code, errors } = await place.run('diagnose', ...files, '--max-depth', depth);
      assert.equal(code, 1);
      assert.match(
        errors,
        /^error: option '--max-depth <integer>' argument .* is invalid\. It must be an integer, 1 or more/,
      );
    }
    assert.match((await place.run('summary', 'data.json')).errors, /^error: there are no draws in data\.json/);
    assert.match(
      (await place.run('summary', ...files, '--variables', 'tau')).errors,
      /the draws contain no variable tau/,
    );
  });
});

describe('the help of the commands', () => {
  it('lists the arguments of the algorithms and examples', async () => {
    const place = await CommandFolder.create({});
    const { code, output } = await place.run('sample', '--help');
    await place.remove();
    assert.equal(code, 0);
    for (const part of ['--num-warmup <integer>', '--delta <number>', '--metric-file', '(default: 0.8)', 'Examples:'])
      assert.ok(output.includes(part), part);
  });
});
