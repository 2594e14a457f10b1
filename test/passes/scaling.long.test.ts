import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { compile, isCompiled } from '../../src/compile.js';
import { loadKernels } from '../../src/node/kernels.js';
import { Random } from '../fuzz/random.js';
import { WorkCounter } from '../support/work.js';
import { comparedWork, SIZE } from './compared-work.js';
import { nestsIn } from './nests.js';
import { INCLUDES, SHAPES, type Shape } from './shapes.js';

const { library } = loadKernels();
const run = (text: string): void => assert.ok(isCompiled(compile(text, library, { includes: INCLUDES })), text);

/** Second derivatives of this shape are split at a depth that only the larger program would reach at `SIZE`. */
const SPLIT_LATE = 'tuples passed on';

const compileSecondDerivatives = (text: string): void =>
  assert.ok(isCompiled(compile(text, library, { includes: INCLUDES, secondDerivatives: true })));

describe('a program twice as large takes at most 2.3 times the work', () => {
  const compare = comparedWork();
  for (const [name, shape] of Object.entries({ ...SHAPES, ...nestsIn('in the model') })) {
    const size = name === SPLIT_LATE ? 2 * SIZE : SIZE;
    it(`to compile second derivatives of ${name}`, () => compare(shape, compileSecondDerivatives, size));
  }
});

describe('the processor time of deep programs', () => {
  it('is below a second for 40 levels of a value that is read twice', () => {
    let least = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < 3; attempt++) {
      const start = process.cpuUsage();
      run(SHAPES['nested squares, read twice'](40));
      least = Math.min(least, process.cpuUsage(start).user / 1e6);
    }
    assert.ok(least < 1, `${least} s`);
  });
});

describe('the work for random programs of two shapes in one model is proportional to both', () => {
  const counter = new WorkCounter();
  after(() => counter.close());
  const MODELS = Object.entries(SHAPES).filter(([, shape]) =>
    shape(8).startsWith('data { int N; vector[N] y; } parameters { real a; }'),
  );
  const statementsOf = (shape: Shape, n: number): string => /model \{(.*)\}$/s.exec(shape(n))?.[1] ?? '';
  for (let seed = 1; seed <= 60; seed++) {
    const random = new Random(seed);
    const chosen = [random.pick(MODELS), random.pick(MODELS)];
    const wrap = random.pick<(body: string) => string>([
      (body) => body,
      (body) => `for (outer in 1:N) { ${body} }`,
      (body) => `if (N > 3) { ${body} } else { target += a; }`,
      (body) => `for (outer in 1:N) if (y[outer] > a) { ${body} }`,
    ]);
    const program: Shape = (n) =>
      `data { int N; vector[N] y; } parameters { real a; } model { ${chosen.map(([, shape]) => wrap(`{ ${statementsOf(shape, n)} }`)).join('\n')} }`;
    it(`seed ${seed}: ${chosen.map(([name]) => name).join(', ')}`, () => {
      const of = (n: number): number => counter.count(() => run(program(n))).total;
      of(32);
      const ratio = of(64) / of(32);
      assert.ok(ratio < 2.5, `${ratio.toFixed(2)} times`);
    });
  }
});
