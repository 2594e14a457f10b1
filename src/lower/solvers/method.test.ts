import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { read } from '../../../test/project/tree.js';
import { checkOwnFunctions } from '../../check/check.js';
import { FUNCTIONS } from '../../functions/table.js';
import { SOLVER_SOURCES } from '../../solvers/method.js';
import { parseFunctions } from '../../syntax/parse.js';

function functionsOf(name: string, text: string): readonly string[] {
  const parsed = parseFunctions({ name, text }, SOLVER_SOURCES);
  assert.ok('program' in parsed, name);
  return checkOwnFunctions(parsed.program, FUNCTIONS, 1000).functions.map((each) => each.function.name);
}

describe('the source of a method', () => {
  for (const [name, text] of SOLVER_SOURCES) {
    it(`has correct types in ${name}`, () => {
      functionsOf(name, text);
    });
  }

  it('has the types that docs/adding-a-solver.md shows', () => {
    const [, text = ''] = /```stan\n([\s\S]*?)```/.exec(read('docs/adding-a-solver.md')) ?? [];
    assert.deepEqual(functionsOf('euler.stanfunctions', text), ['integrate']);
  });

  it('is rejected with the errors of a program', () => {
    const text = 'real twice(real x) { return 2 * y; }';
    assert.throws(() => functionsOf('wrong.stanfunctions', text), /"y" is not in scope|Identifier/);
  });
});
