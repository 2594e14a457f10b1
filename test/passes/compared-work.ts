/** Compares the work for programs of two sizes. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { WorkCounter } from '../support/work.js';
import type { Shape } from './shapes.js';

export const SIZE = 64;
/** Maximum work for a program twice as large, relative to the original. n log n work gives 2.2 here, quadratic work 4. */
const MOST = 2.3;

/** Compares the work for a program with that for a program twice as large; reports which functions grew. */
export type CompareWork = (shape: Shape, run: (text: string) => void, size?: number) => void;

/** Counts work until all tests of the file have run. */
export function comparedWork(): CompareWork {
  const counter = new WorkCounter();
  after(() => counter.close());
  return (shape, run, size = SIZE) => {
    const of = (n: number) => counter.count(() => run(shape(n)));
    of(size);
    const [small, large] = [of(size), of(2 * size)];
    const ratio = large.total / small.total;
    if (ratio < MOST) return;
    const grown = [...large.byFunction]
      .map(([name, count]) => ({ name, count, before: small.byFunction.get(name) ?? 0 }))
      .filter(({ count, before }) => count > MOST * before)
      .sort((a, b) => b.count - b.before - (a.count - a.before))
      .slice(0, 5);
    assert.fail(
      `${ratio.toFixed(2)} times, ${grown.map(({ name, count, before }) => `${name}: ${before}, ${count}`).join('; ')}`,
    );
  };
}
