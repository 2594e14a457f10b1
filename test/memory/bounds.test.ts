import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compile, isCompiled } from '../../src/compile.js';
import type { JsonData } from '../../src/formats/stan-json.js';
import { instantiate, type Model } from '../../src/model/model.js';
import { loadKernels } from '../../src/node/kernels.js';

const { library, linear } = loadKernels();
const linearModule = new WebAssembly.Module(linear);
const FORM = { propto: false, jacobian: true };
const ALL = { transformedParameters: true, generatedQuantities: true };

function build(text: string, data: JsonData, keepsChecks = false): Model {
  const compiled = compile(text, library, { keepsChecks });
  if (!isCompiled(compiled)) throw new Error(compiled.text);
  return instantiate(compiled.artifact, new WebAssembly.Module(compiled.wasm), linearModule, data, {
    seed: 1,
    print: () => {},
  });
}

/** The program's own message if an index is rejected. */
function outOfRange(index: number, size: number): RegExp {
  return new RegExp(`index ${index} out of range; expecting index to be between 1 and ${size}`);
}

const DATA = { N: 4, x: [1, 2, 3, 4], k: 3 };
const HEAD = 'data { int N; vector[N] x; int<lower=1, upper=N> k; } parameters { real a; }';

function gradient(model: Model): number {
  const slope = new Float64Array(model.dimension);
  model.logDensityGradient(new Float64Array(model.dimension), slope, FORM);
  return slope[0];
}

describe('a check of an index remains if the index may wrap', () => {
  const refused: readonly (readonly [string, string, number])[] = [
    ['a loop index plus a constant', 'for (n in 1:N) target += a * x[n + 2147483647];', -2147483648],
    ['two constants', 'for (n in 1:N) target += a * x[n + 2147483647 + 2147483647 + 10];', 9],
    ['a loop index minus the least int', 'for (n in 1:N) target += a * x[n - (-2147483647 - 1)];', -2147483647],
    ['bounded data plus a constant', 'target += a * x[k + 2147483647];', -2147483646],
    ['bounds of a loop that are constants', 'for (n in 2147483640:2147483641) target += a * x[n + 10];', -2147483646],
    ['the end of a loop', '{ int M = -2147483647; for (n in (M - 3):2147483646) target += a * x[n]; }', 2147483646],
    [
      'the greatest int as the last of a short loop',
      '{ int M = 2147483647; for (n in 2147483640:M) if (n > 2147483646) target += a * x[n + 1]; }',
      -2147483648,
    ],
    [
      'the greatest int as the last of a loop',
      '{ int M = 2147483647; for (n in 2147483600:M) if (n > 2147483646) target += a * x[n + 1]; }',
      -2147483648,
    ],
    [
      'the greatest int as the end of a loop whose start is data',
      'for (n in (2147483647 - k):2147483647) if (n > 2147483646) target += a * x[n + 1];',
      -2147483648,
    ],
    ['a loop inside a loop', 'for (n in 1:N) for (m in n:N) target += a * x[m + 2147483644];', 2147483645],
    [
      'a loop that runs two iterations at a time',
      '{ vector[N] y = a * x; for (n in 1:N) target += y[n + 200000000]; }',
      200000001,
    ],
  ];
  for (const [name, statement, index] of refused) {
    it(name, () => {
      const model = build(`${HEAD} model { ${statement} }`, DATA);
      const position = new Float64Array([0.3]);
      assert.throws(() => model.logDensity(position, FORM), outOfRange(index, 4));
      assert.throws(() => model.logDensityGradient(position, new Float64Array(1), FORM), outOfRange(index, 4));
    });
  }
});

describe('an element that does not change in a loop', () => {
  const declared = `data { int N; vector[N] x; array[N] int i; int far; int rounds; } parameters { real a; }`;
  const given = { N: 4, x: [1, 2, 3, 4], i: [1, 2, 3, 4] };
  const steps = 'int steps = 0; for (n in far:(far + 6)) { if (steps > 3) break; steps += 1;';

  it('is rejected if its index is far outside', () => {
    const model = build(`${declared} model { ${steps} for (m in 1:rounds) target += a * x[i[n]]; } }`, {
      ...given,
      far: 2147483640,
      rounds: 3,
    });
    assert.throws(() => gradient(model), outOfRange(2147483640, 4));
  });

  it('is not read if the loop has no iterations', () => {
    for (const element of ['x[i[n]]', 'x[n]', 'x[far]']) {
      const model = build(`${declared} model { ${steps} for (m in 1:rounds) target += a * ${element}; } }`, {
        ...given,
        far: -2147483647,
        rounds: 0,
      });
      assert.equal(gradient(model), 0, element);
    }
  });
});

describe('generated quantities', () => {
  it('with a write far outside a container are rejected, and leave the data unchanged', () => {
    const model = build(
      `${HEAD} model { a ~ normal(sum(x), 1); }
       generated quantities { vector[N] y = rep_vector(0, N); for (n in 1:N) y[n + 2147483647] = 5000; }`,
      DATA,
    );
    const position = new Float64Array([10]);
    const before = model.logDensity(position, FORM);
    const out = new Float64Array(1 + DATA.N);
    assert.throws(() => model.writeArray(position, out, ALL), outOfRange(-2147483648, 4));
    assert.equal(model.logDensity(position, FORM), before);
  });
});

describe('a negative loop index plus a constant', () => {
  it('is an index like any other', () => {
    const loop = 'for (n in -999999:-999996) target += a * x[n + 1000000];';
    assert.equal(gradient(build(`${HEAD} model { ${loop} }`, DATA)), 10);
  });
});

describe('checks that loops make redundant', () => {
  /** The checks in the log density of a program, after its parameters are read. */
  function checksOf(statement: string, keepsChecks: boolean): number {
    let checks = 0;
    compile(`${HEAD} model { ${statement} }`, library, {
      keepsChecks,
      observe: ({ name, block }) => {
        if (name === 'resolveSizes') checks = JSON.stringify(block).split('"kind":"check"').length - 1;
      },
    });
    return checks;
  }

  const certain = [
    'for (n in 1:N) target += a * x[n];',
    'for (n in 2:N) target += a * x[n - 1];',
    'for (n in 1:(N - 1)) target += a * x[n + 1];',
    'for (n in 1:N) for (m in 1:n) target += a * x[m];',
    'for (n in 1:(N - 1)) for (m in (n + 1):N) target += a * x[m];',
    'target += a * x[k];',
    'for (n in 1:num_elements(x)) target += a * x[n];',
    'target += a * sum(x[1:N]);',
  ];
  for (const statement of certain) {
    it(`are removed unless they must be kept: ${statement}`, () => {
      assert.equal(checksOf(statement, false), 0);
      assert.ok(checksOf(statement, true) > 0);
      const values = [false, true].map((keepsChecks) =>
        gradient(build(`${HEAD} model { ${statement} }`, DATA, keepsChecks)),
      );
      assert.equal(values[0], values[1]);
    });
  }
});

describe('integer constants of the program', () => {
  it('wrap like computed ones', () => {
    const sums = ['2147483647 + 1', '-2147483647 - 2', '65536 * 65536', '65537 * 65537', '5 - (-2147483647 - 1)'];
    const computed = sums.map((text) => text.replace(/-?\d+/g, (number) => `(${number} + zero)`));
    const model = build(
      `data { int zero; } parameters { real a; }
       generated quantities { array[2, ${sums.length}] int s = {{${sums.join()}}, {${computed.join()}}}; }`,
      { zero: 0 },
    );
    const out = new Float64Array(1 + 2 * sums.length);
    model.writeArray(new Float64Array(1), out, ALL);
    const values = [...out.subarray(1)];
    assert.deepEqual(
      values.filter((_, i) => i % 2 === 0),
      values.filter((_, i) => i % 2 === 1),
    );
    assert.deepEqual(
      values.filter((_, i) => i % 2 === 0),
      [-2147483648, 2147483647, 0, 131073, -2147483643],
    );
  });
});
