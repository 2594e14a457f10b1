import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cmdstanArguments } from '../formats/cmdstan/arguments.js';
import { argumentLines } from '../formats/cmdstan/values.js';
import { MethodArguments } from './method-request.js';
import { parseWords } from './parser.js';

function parse(text: string, threads?: { readonly usual: number }) {
  const tree = cmdstanArguments(threads);
  const lines: string[] = [];
  const errors: string[] = [];
  const console = { info: (line: string) => lines.push(line), error: (line: string) => errors.push(line) };
  const words = text.split(' ').filter((word) => word !== '');
  const parsed = parseWords('./model', words, tree, console);
  return { parsed, lines, errors, tree };
}

/** The header lines that differ from the defaults. */
function given(text: string): string[] {
  const { parsed, tree } = parse(text);
  assert.equal(parsed.kind, 'values');
  const values = parsed.kind === 'values' ? argumentLines(parsed.values, tree) : [];
  return values.filter((line) => line.includes('=') && !line.endsWith('(Default)')).map((line) => line.trim());
}

describe("CmdStan's arguments", () => {
  it('set values inside groups, and specify the method in three ways', () => {
    const told = ['num_samples = 5', 'delta = 0.9', 'file = d.json'];
    for (const words of ['sample', 'method=sample']) {
      assert.deepEqual(given(`${words} num_samples=5 adapt delta=0.9 data file=d.json`), told);
    }
    assert.deepEqual(given('optimize'), ['method = optimize']);
  });

  it('are accepted in any order of groups; a word of an outer group ends the inner one', () => {
    const told = ['num_samples = 5', 'gamma = 0.1', 'file = d.json', 'seed = 3'];
    assert.deepEqual(given('random seed=3 data file=d.json sample adapt gamma=0.1 num_samples=5'), told);
    assert.deepEqual(given('sample num_samples=5 adapt gamma=0.1 random seed=3 data file=d.json'), told);
  });

  it('select one of several values that have arguments', () => {
    const words = 'sample algorithm=hmc engine=static int_time=2 metric=dense_e';
    assert.deepEqual(given(words), ['engine = static', 'int_time = 2', 'metric = dense_e']);
    assert.deepEqual(given('variational iter=100 adapt iter=20'), ['method = variational', 'iter = 100', 'iter = 20']);
  });

  it('select functions with different argument names', () => {
    const { parsed, tree } = parse('variational algorithm=fullrank iter=100 adapt iter=20 engaged=0 output refresh=7');
    assert.ok(parsed.kind === 'values');
    const asked = new MethodArguments(parsed.values, tree);
    assert.equal(asked.functionName, 'fullrank');
    const { adapt_engaged, adapt_iterations, iter, refresh } = asked.settings();
    assert.deepEqual(
      { adapt_engaged, adapt_iterations, iter, refresh },
      {
        adapt_engaged: false,
        adapt_iterations: 20,
        iter: 100,
        refresh: 7,
      },
    );
  });

  it('are rejected with the allowed values', () => {
    const refused: readonly (readonly [words: string, errors: readonly string[]])[] = [
      ['sample num_samples=-1', ['-1 is not a valid value for "num_samples"', '  Valid values: 0 < num_samples']],
      ['sample algorithm=foo', ['foo is not a valid value for "algorithm"', '  Valid values: hmc, fixed_param']],
      ['sample save_warmup=yes', ['yes is not a valid value for "save_warmup"', '  Valid values: [0, 1, false, true]']],
      [
        'num_threads=2 sample',
        ['2 is not a valid value for "num_threads"', '  Valid values: num_threads == 1', 'A method must be specified!'],
      ],
      ['data file=d.json', ['A method must be specified!']],
      [
        'sample delta=0.9',
        [
          'delta=0.9 is either mistyped or misplaced.',
          'Perhaps you meant one of the following valid configurations?',
          '  method=sample adapt delta=<double>',
        ],
      ],
    ];
    for (const [words, errors] of refused) {
      const found = parse(words);
      assert.equal(found.parsed.kind, 'wrong', words);
      assert.deepEqual(found.errors, errors, words);
    }
  });

  it('allow several threads if the model was built for them', () => {
    assert.equal(parse('sample num_threads=2', { usual: 1 }).parsed.kind, 'values');
    assert.equal(parse('sample num_threads=0', { usual: 1 }).parsed.kind, 'wrong');
  });
});

describe("CmdStan's help", () => {
  it('describes one argument and all arguments below it', () => {
    const { lines, parsed } = parse('sample adapt help');
    assert.equal(parsed.kind, 'help');
    assert.deepEqual(lines.slice(0, 4), [
      'adapt',
      '  Warmup Adaptation',
      '  Valid subarguments: engaged, gamma, delta, kappa, t0, init_buffer, term_buffer, window, save_metric',
      '',
    ]);
    assert.equal(
      lines[4],
      'Usage: ./model <arg1> <subarg1_1> ... <subarg1_m> ... <arg_n> <subarg_n_1> ... <subarg_n_m>',
    );
    const whole = parse('sample adapt help-all').lines;
    assert.deepEqual(whole.slice(4, 9), [
      '  engaged=<boolean>',
      '    Adaptation engaged?',
      '    Valid values: [0, 1, false, true]',
      '    Defaults to true',
      '',
    ]);
    const delta = whole.indexOf('  delta=<double>');
    assert.equal(whole[delta + 2], '    Valid values: 0.100000 <= delta <= 1.000000');
  });

  it('prints the usage if there are no arguments, which is an error, and on request', () => {
    const none = parse('');
    assert.equal(none.parsed.kind, 'wrong');
    assert.deepEqual(none.lines, parse('help').lines);
    assert.ok(none.lines.includes('  sample      Bayesian inference with Markov Chain Monte Carlo'));
    assert.ok(none.lines.includes('  generate_quantities  Generate quantities of interest'));
  });
});
