import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nameArguments, nameCompileArguments, withTypedNames } from './argument-names.js';
import { COMPILE_ARGUMENTS } from './compile-arguments.js';
import { FOREIGN_ARGUMENTS } from './foreign-arguments.js';
import { argumentsOf } from './functions.js';
import { type MethodName, methodNamed } from './methods.js';

/** Arguments of the packages that are not arguments of an algorithm. */
const OF_PACKAGES = ['parallel_chains', 'show_progress', 'save'];

describe('argument names of other interfaces', () => {
  it('have one row per name and method', () => {
    const keys = FOREIGN_ARGUMENTS.flatMap(({ methods, name }) => methods.map((method) => `${method} ${name}`));
    assert.deepEqual(
      keys.filter((key, index) => keys.indexOf(key) !== index),
      [],
    );
    assert.ok(new Set(FOREIGN_ARGUMENTS.map(({ name }) => name)).size >= 40);
  });

  for (const row of FOREIGN_ARGUMENTS) {
    for (const method of row.methods) {
      it(`${method}: ${row.name} is ${row.instead === undefined ? `the engine's ${row.means ?? Object.keys(row.becomes ?? {})}` : 'rejected with advice'}`, () => {
        const { fields, problems } = nameArguments(method, { [row.name]: row.example }, 'python');
        const means = row.means;
        if (row.becomes !== undefined) {
          assert.deepEqual(problems, []);
          assert.deepEqual(fields, row.becomes);
        } else if (means === undefined) {
          assert.match(problems[0].message, /^is not an argument of \w+: .+\.$/);
        } else {
          assert.deepEqual(problems, []);
          assert.ok(namesOf(method).has(means), `${means} is not an argument of ${method}`);
        }
        for (const value of row.harmless ?? []) {
          assert.deepEqual(nameArguments(method, { [row.name]: value }, 'r').problems, []);
        }
      });
    }
  }

  it('converts values', () => {
    const given = { inits: 0.5, fixed_param: true, pars: 'x', chains: 2, seed: undefined };
    const { fields } = nameArguments('sample', given, 'python');
    assert.deepEqual(fields, { init_radius: 0.5, algorithm: 'fixed_param', save: ['x'], num_chains: 2 });
    assert.deepEqual(nameArguments('pathfinder', { num_paths: 1, draws: 5 }, 'r').fields, {
      num_paths: 1,
      num_draws: 5,
    });
  });

  it('include those of compiling, accepted or rejected with advice', () => {
    for (const { example, harmless = [], instead, means, name } of COMPILE_ARGUMENTS) {
      const { fields, problems } = nameCompileArguments({ [name]: example }, 'python');
      if (instead === undefined) assert.deepEqual([fields, problems], [{ [means ?? '']: example }, []]);
      else assert.match(problems[0].message, /^is not an argument of compile: .+\.$/);
      for (const value of harmless) assert.deepEqual(nameCompileArguments({ [name]: value }, 'r').problems, []);
    }
    const [{ message }] = nameCompileArguments({ stan_fil: 'coin.stan' }, 'python').problems;
    assert.equal(message, 'is not an argument of compile. Did you mean stan_file?');
  });

  it('split iterations that include warmup', () => {
    const fields = (given: object) => nameArguments('sample', { ...given }, 'r').fields;
    assert.deepEqual(fields({ iter: 2001 }), { num_warmup: 1000, num_samples: 1001 });
    assert.deepEqual(fields({ iter: 2000, warmup: 500 }), { num_warmup: 500, num_samples: 1500 });
    assert.deepEqual(fields({ iter: 50, iter_warmup: undefined, warmup: 10 }), { num_warmup: 10, num_samples: 40 });
    assert.deepEqual(fields({ iter: 50, iter_warmup: 50 }), { num_warmup: 50, num_samples: 0 });
    const problems = (given: object) => nameArguments('sample', { ...given }, 'r').problems;
    assert.deepEqual(problems({ iter: 10, warmup: 20 }), [
      { field: 'iter', message: 'must be at least 20, because it includes warmup' },
    ]);
    assert.deepEqual(problems({ iter: 10, iter_sampling: 5 }), [
      { field: 'iter', message: 'means the same as iter_sampling: pass one of them' },
    ]);
    assert.match(problems({ iter: 'many' })[0].message, /^must be a number/);
  });

  it('name the elements of control', () => {
    const of = (control: unknown, given: object = {}) => nameArguments('sample', { control, ...given }, 'r');
    assert.deepEqual(of({}).problems, []);
    assert.deepEqual(of({ adapt_detla: 0.9 }).problems, [
      { field: 'adapt_detla', message: 'is not an argument of sample. Did you mean adapt_delta?' },
    ]);
    assert.deepEqual(of({ adapt_delta: 0.9 }, { adapt_delta: 0.8 }).problems, [
      { field: 'control', message: 'contains adapt_delta, which is also an argument: pass one of them' },
    ]);
    assert.match(of(3).problems[0].message, /^must be arguments by their names/);
  });

  it('proposes the nearest name for a misspelled one', () => {
    const message = (name: string) => nameArguments('sample', { [name]: 1 }, 'python').problems[0].message;
    assert.equal(message('adapt_detla'), 'is not an argument of sample. Did you mean adapt_delta?');
    assert.equal(message('xyz'), 'is not an argument of sample.');
    assert.equal(message('stan_file'), 'is not an argument of sample.');
  });

  it('rejects two names of one argument', () => {
    const { problems } = nameArguments('sample', { chains: 2, num_chains: 3 }, 'python');
    assert.deepEqual(problems, [{ field: 'num_chains', message: 'means the same as chains: pass one of them' }]);
  });

  it('names the argument that was typed in later problems', () => {
    const { typed } = nameArguments('sample', { adapt_delta: 2 }, 'python');
    assert.deepEqual(withTypedNames([{ field: 'delta', message: 'must be less than 1' }], typed), [
      { field: 'adapt_delta', message: 'must be less than 1' },
    ]);
  });
});

function namesOf(method: MethodName): ReadonlySet<string> {
  const { algorithms, inputs, selectors } = methodNamed(method);
  const names = [...algorithms.flatMap(argumentsOf), ...selectors].map(({ name }) => name);
  return new Set([...names, ...inputs, ...OF_PACKAGES]);
}
