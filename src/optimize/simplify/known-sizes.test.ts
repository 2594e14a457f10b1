import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Builder, Names } from '../../ir/builder.js';
import * as x from '../../ir/expressions.js';
import { printBlock } from '../../ir/print.js';
import { resolveSizes } from './known-sizes.js';

/** The remaining checks that `size` is at least a number, in a loop from a number to the size. */
function leftIn(from: number, least: number): string {
  const b = new Builder(new Names());
  const size = x.get(b.newLocal('int', 'size'));
  const block = b.capture(() =>
    b.for(x.int(from), x.add(size, x.int(1)), () => b.check(x.compare('ge', size, x.int(least)), 'too small')),
  );
  return printBlock(resolveSizes(block));
}

test('inside a loop up to a size, the size is at least the first index', () => {
  assert.doesNotMatch(leftIn(1, 1), /check/);
  assert.doesNotMatch(leftIn(3, 3), /check/);
  assert.match(leftIn(1, 2), /check/);
  assert.match(leftIn(0, 1), /check/);
});
