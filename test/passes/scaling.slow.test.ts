import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { analyze } from '../../src/analyze.js';
import { compile, isCompiled } from '../../src/compile.js';
import { loadKernels } from '../../src/node/kernels.js';
import { comparedWork } from './compared-work.js';
import { NESTS } from './nests.js';
import { INCLUDES, LOOPS, SHAPES } from './shapes.js';

const { library } = loadKernels();
const compare = comparedWork();

const warn = (text: string): void => assert.deepEqual(analyze(text, { pedantic: true, includes: INCLUDES }).errors, []);

describe('a program twice as large takes at most 2.3 times the work', () => {
  for (const [name, shape] of Object.entries({ ...SHAPES, ...LOOPS, ...NESTS })) {
    it(`to compile ${name}`, () =>
      compare(shape, (text) => assert.ok(isCompiled(compile(text, library, { includes: INCLUDES })))));
  }
  for (const [name, shape] of Object.entries({ ...SHAPES, ...LOOPS, ...NESTS })) {
    it(`to print warnings about ${name}`, () => compare(shape, warn));
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
