import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formulaFaultText } from './faults.js';
import { formulaText } from './formula.js';
import { parseFormula } from './parse.js';

function written(text: string): string {
  const found = parseFormula(text);
  return 'fault' in found ? formulaFaultText(found.fault) : formulaText(found);
}

describe('formulas', () => {
  for (const [text, expected] of [
    ['y~x', 'y ~ x'],
    ['y ~ 1', 'y ~ 1'],
    ['y ~ 0 + x', 'y ~ 0 + x'],
    ['y ~ x - 1', 'y ~ 0 + x'],
    ['y ~ x*z', 'y ~ x + z + x:z'],
    ['y ~ a*b*c', 'y ~ a + b + a:b + c + a:c + b:c + a:b:c'],
    ['y ~ (a + b):c', 'y ~ a:c + b:c'],
    ['y ~ x + z:x + x:z + x', 'y ~ x + z:x'],
    ['y ~ x:x', 'y ~ x'],
    ['y ~ (x | g)', 'y ~ (1 + x | g)'],
    ['y ~ (0 + x | g) + (1 | h) + x', 'y ~ x + (0 + x | g) + (1 | h)'],
    ['y ~ (1 + x || g)', 'y ~ (1 + x || g)'],
    ['`Größe (cm)` ~ `a\\`b` + über.1', '`Größe (cm)` ~ `a\\`b` + über.1'],
    ['y ~ factor(x)', 'y ~ factor(x)'],
    ['y ~ offset(log(x)) + z + offset(`a b`)', 'y ~ z + offset(log(x)) + offset(`a b`)'],
    ['y ~ (x | a/b)', 'y ~ (1 + x | a) + (1 + x | a:b)'],
    ['y ~ (1 | a:b/c)', 'y ~ (1 | a:b) + (1 | a:b:c)'],
    ['y ~ offset', 'y ~ offset'],
  ])
    it(`are parsed: ${text}`, () => assert.equal(written(text), expected));

  for (const [text, key, part] of [
    ['y', 'formulaExpected', ''],
    ['y x', 'formulaExpected', 'x'],
    ['y ~ x +', 'formulaExpected', ''],
    ['y ~ x + + z', 'formulaExpected', '+'],
    ['y ~ (x + z', 'formulaExpected', ''],
    ['y ~ (1 + x g)', 'formulaExpected', 'g'],
    ['y ~ `x', 'formulaExpected', '`'],
    ['y ~ x # z', 'formulaExpected', '#'],
    ['y ~ log(x)', 'formulaCall', 'log'],
    ['y ~ x^2', 'formulaOperator', '^'],
    ['y ~ a - b', 'formulaOperator', 'b'],
    ['y ~ 2', 'formulaNumber', '2'],
    ['y ~ offset(x + z)', 'formulaExpected', '+'],
    ['y ~ offset(exp(x))', 'formulaCall', 'exp'],
    ['y ~ x:offset(z)', 'formulaOffsetInside', ':'],
    ['y ~ (1 + offset(z) | g)', 'formulaOffsetInside', '('],
    ['y ~ (1 | a/)', 'formulaExpected', ')'],
    ['y ~ x:(1 | g)', 'formulaGroupsInside', ':'],
    ['y ~ ((1 | g) | h)', 'formulaGroupsInside', '('],
  ])
    it(`are refused: ${text}`, () => {
      const found = parseFormula(text);
      assert.ok('fault' in found);
      const { span } = found.fault;
      assert.deepEqual([found.fault.key, text.slice(span.start, span.end)], [key, part]);
    });
});
