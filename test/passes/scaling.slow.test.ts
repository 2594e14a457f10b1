import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { analyze } from '../../src/analyze.js';
import { compile, isCompiled } from '../../src/compile.js';
import { loadKernels } from '../../src/node/kernels.js';
import { WorkCounter } from '../support/work.js';
import { NESTS, nestsIn } from './nests.js';
import { INCLUDES, LOOPS, SHAPES, type Shape } from './shapes.js';

const { library } = loadKernels();
const counter = new WorkCounter();
after(() => counter.close());

const SIZE = 64;
/** Maximum work for a program twice as large, relative to the original. n log n work gives 2.2 here, quadratic work 4. */
const MOST = 2.3;

/** Second derivatives of this shape are split at a depth that only the larger program would reach at `SIZE`. */
const SPLIT_LATE = 'tuples passed on';

const warn = (text: string): void => assert.deepEqual(analyze(text, { pedantic: true, includes: INCLUDES }).errors, []);

const compileSecondDerivatives = (text: string): void =>
  assert.ok(isCompiled(compile(text, library, { includes: INCLUDES, secondDerivatives: true })));

/** Compares the work for a program with that for a program twice as large; reports which functions grew. */
function compare(shape: Shape, run: (text: string) => void, size = SIZE): void {
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
}

describe('a program twice as large takes at most 2.3 times the work', () => {
  for (const [name, shape] of Object.entries({ ...SHAPES, ...LOOPS, ...NESTS })) {
    it(`to compile ${name}`, () =>
      compare(shape, (text) => assert.ok(isCompiled(compile(text, library, { includes: INCLUDES })))));
  }
  for (const [name, shape] of Object.entries(SHAPES)) {
    const size = name === SPLIT_LATE ? 2 * SIZE : SIZE;
    it(`to compile second derivatives of ${name}`, () => compare(shape, compileSecondDerivatives, size));
  }
  for (const [name, shape] of Object.entries({ ...SHAPES, ...LOOPS, ...NESTS })) {
    it(`to print warnings about ${name}`, () => compare(shape, warn));
  }
  for (const [name, shape] of Object.entries(nestsIn('in the model'))) {
    it(`to compile second derivatives of ${name}`, () => compare(shape, compileSecondDerivatives));
  }
});

describe('depth does not exhaust the stack', () => {
  const compiled = (text: string): boolean => isCompiled(compile(text, library));
  const body = (statements: string): string => `parameters { real a; } model { ${statements} }`;
  it('200 nested loops or conditions compile', () => {
    assert.ok(compiled(body(`${lines(200, (i) => `for (i${i} in 1:2) {`)} target += a; ${'}'.repeat(200)}`)));
    assert.ok(compiled(body(`${lines(200, (i) => `if (a > ${i}) {`)} target += a; ${'}'.repeat(200)}`)));
  });
  it('a sum of 900 terms compiles', () => {
    assert.ok(compiled(body(`target += a${' + a'.repeat(900)};`)));
  });
  it('functions that call each other in a chain of 600 compile', () => {
    const functions = lines(600, (i) => `real f${i}(real x) { return ${i === 0 ? 'x' : `f${i - 1}(x) + x`}; }`);
    assert.ok(compiled(`functions { ${functions} } ${body('target += f599(a);')}`));
  });
  it('deeper programs compile or are rejected', () => {
    for (const [open, close] of [
      ['exp(', ')'],
      ['(', ')'],
      ['-', ''],
    ]) {
      assert.doesNotThrow(() => compiled(body(`target += ${open.repeat(5000)}a${close.repeat(5000)};`)), open);
    }
    assert.doesNotThrow(() => compiled(body(`target += a${' * a'.repeat(5000)};`)));
    assert.doesNotThrow(() => compiled(body(`${'{'.repeat(600)} target += a; ${'}'.repeat(600)}`)));
  });
});

function lines(n: number, line: (i: number) => string): string {
  return Array.from({ length: n }, (_, i) => line(i)).join('\n');
}
