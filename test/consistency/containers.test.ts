import assert from 'node:assert/strict';
import { it } from 'node:test';
import { FUNCTIONS } from '../../src/functions/table.js';
import { INT, unwindArray } from '../../src/language/types.js';
import { compareElements } from './compare.js';
import { containerRank, type Elementwise, elementwiseSignatures } from './elements.js';

/** One such signature of each function that takes arrays of ints, and one signature of every fourth other function; the long test covers all. */
function chosen(name: string, index: number): readonly Elementwise[] {
  const all = elementwiseSignatures(name);
  const isIntArray = ({ signature }: Elementwise): boolean =>
    signature.parameters.some(({ type }) => containerRank(type) > 0 && unwindArray(type).element === INT);
  const ofInts = all.filter(isIntArray);
  if (ofInts.length > 0) return [ofInts[index % ofInts.length]];
  return index % 4 === 0 && all.length > 0 ? [all[index % all.length]] : [];
}

it('calls with containers, one signature of many functions, equal calls with their elements', () => {
  const comparisons = [...FUNCTIONS.entries()].flatMap(({ name }, index) => {
    const calls = chosen(name, index);
    return calls.length === 0 ? [] : [compareElements(name, calls)];
  });
  assert.deepEqual(
    comparisons.flatMap(({ differences }) => differences),
    [],
  );
  assert.ok(comparisons.length > 100);
  assert.equal(
    comparisons.reduce((sum, { untested }) => sum + untested, 0),
    0,
    'arguments were found for all',
  );
});
