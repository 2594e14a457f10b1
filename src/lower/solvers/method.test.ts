import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { read } from '../../../test/project/tree.js';
import { checkOwnFunctions } from '../../check/check.js';
import { FUNCTIONS } from '../../functions/table.js';
import { DECLARATIONS, type Method } from '../../solvers/method.js';
import { parse } from '../../syntax/parse.js';

function functionsOf({ name, text }: Method): readonly string[] {
  const parsed = parse({ name, text: `functions { ${DECLARATIONS}${text} }` });
  assert.ok('program' in parsed, name);
  return checkOwnFunctions(parsed.program, FUNCTIONS, 1000).functions.map((each) => each.function.name);
}

describe('the source of a method', () => {
  it('has the types that docs/adding-a-solver.md shows', () => {
    const [, text = ''] = /text: `([^`]*)`/.exec(read('docs/adding-a-solver.md')) ?? [];
    assert.deepEqual(functionsOf({ name: 'euler', text }), ['integrate']);
  });

  it('is rejected where a program would be', () => {
    const text = 'real twice(real x) { return 2 * y; }';
    assert.throws(() => functionsOf({ name: 'wrong', text }), /"y" is not in scope|Identifier/);
  });
});
