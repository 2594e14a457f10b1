import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nameArguments, withTypedNames } from './argument-names.js';
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
      it(`${method}: ${row.name} is ${row.means === undefined ? 'rejected with advice' : `the engine's ${row.means}`}`, () => {
        const { problems } = nameArguments(method, { [row.name]: row.example }, 'python');
        const means = row.means;
        if (means === undefined) {
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

  it('proposes the nearest name for a misspelled one', () => {
    const message = (name: string) => nameArguments('sample', { [name]: 1 }, 'python').problems[0].message;
    assert.equal(message('adapt_detla'), 'is not an argument of sample. Did you mean adapt_delta?');
    assert.equal(message('xyz'), 'is not an argument of sample.');
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
