import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compile, isCompiled } from '../compile.js';
import { parseStanData } from '../formats/stan-json.js';
import { loadKernels } from '../node/kernels.js';
import { instantiate, type Model } from './model.js';

const { library: kernels, linear: linearBytes } = loadKernels();
const linear = new WebAssembly.Module(linearBytes);
const ALL = { transformedParameters: true, generatedQuantities: true };

function modelOf(program: string, data: object = {}, printed: string[] = []): Model {
  const result = compile(program, kernels);
  if (!isCompiled(result)) throw new Error(result.text);
  const options = { seed: 1, print: (text: string) => printed.push(text) };
  const json = parseStanData(JSON.stringify(data));
  return instantiate(result.artifact, new WebAssembly.Module(result.wasm), linear, json, options);
}

function printsOf(program: string, data: object = {}): string[] {
  const printed: string[] = [];
  modelOf(program, data, printed);
  return printed.map((line) => line.trimEnd());
}

function draw(model: Model, position: readonly number[]): number[] {
  const out = new Float64Array(model.constrainedNames(ALL).length);
  model.writeArray(Float64Array.from(position), out, ALL);
  return [...out];
}

/** The greatest difference between the gradient and central differences. */
function gradientError(model: Model, position: readonly number[]): number {
  const form = { propto: false, jacobian: true };
  const at = (k: number, step: number): number =>
    model.logDensity(
      Float64Array.from(position, (x, i) => (i === k ? x + step : x)),
      form,
    );
  const gradient = new Float64Array(position.length);
  model.logDensityGradient(Float64Array.from(position), gradient, form);
  return Math.max(...position.map((_, k) => Math.abs(gradient[k] - (at(k, 1e-5) - at(k, -1e-5)) / 2e-5)));
}

describe('complex numbers', () => {
  it('take two unconstrained values each, the real part first', () => {
    const model = modelOf('parameters { complex z; array[2] complex_vector[2] v; }');
    assert.deepEqual(
      model.parameters.map(({ name, dims }) => [name, dims]),
      [
        ['z', [2]],
        ['v', [2, 2, 2]],
      ],
    );
    const names = ['z.real', 'z.imag', 'v.1.1.real', 'v.1.1.imag', 'v.2.1.real', 'v.2.1.imag'];
    assert.deepEqual(model.unconstrainedNames().slice(0, 6), names);
    assert.deepEqual(draw(model, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), [1, 2, 3, 4, 7, 8, 5, 6, 9, 10]);
  });

  it('are read from pairs in the data and printed as pairs', () => {
    const program = `data { complex z; complex_matrix[1, 2] m; array[2] complex a; }
      transformed data { print(z, m, m[1], a[{2, 2}]); }`;
    const data = { z: [1, -2], m: [[[1.5, 2], [3, 4]]], a: [[5, 6], [7, 8]] }; // biome-ignore format: as written
    assert.deepEqual(printsOf(program, data), ['(1,-2)[[(1.5,2),(3,4)]][(1.5,2),(3,4)][(7,8),(7,8)]']);
    assert.throws(() => printsOf(program, { ...data, z: 1 }), /variable name=z; dims declared=\(2\); dims found=\(\)/);
    assert.throws(
      () => printsOf(program, { ...data, a: [[5, 6, 7], [7, 8, 9]] }), // biome-ignore format: as written
      /mismatch in dimension .*variable name=a; position=1; dims declared=\(2,2\); dims found=\(2,3\)/,
    );
  });

  it('result from promoting reals and ints', () => {
    const program = `transformed data {
        complex z = 2; complex_vector[2] v = [1, 2.5]'; array[2] complex a = {1, 3i}; tuple(complex, real) t = (1, 2);
        v[1] = 3; (z, t.2) = (4, 5);
        print(z, v, a, t);
      }`;
    assert.deepEqual(printsOf(program), ['(4,0)[(3,0),(2.5,0)][(1,0),(0,3)]((1,0),5)']);
  });

  it('are differentiated through operators, loops and recursion', () => {
    const model = modelOf(`
      functions { complex power(complex z, int n) { if (n == 0) return 1; return z * power(z, n - 1); } }
      parameters { complex z; complex_matrix[2, 2] m; }
      model {
        complex w = z;
        for (k in 1:3) w = w * w * 0.3 + z / (m[1, 2] + 2);
        target += get_real(power(w, 3)) + get_imag(sum((m * m')[1]));
      }`);
    assert.ok(gradientError(model, [0.3, -0.4, 0.5, 0.1, -0.2, 0.7, 0.6, 0.2, -0.1, 0.9]) < 1e-8);
  });
});

describe('tuples', () => {
  const TUPLES = `parameters { array[2, 2] tuple(real<lower=0>, array[1] tuple(simplex[2], complex)) t; }
    model { for (i in 1:2) for (e in t[i]) target += e.1 * log(e.2[1].1[1]) + norm(e.2[1].2); }`;

  it('are stored one after the other in arrays, first index fastest, with indexes after dots and slots after colons', () => {
    const model = modelOf(TUPLES);
    assert.deepEqual(
      model.parameters.map(({ name, dims }) => [name, dims]),
      [
        ['t.1', [2, 2]],
        ['t.2.1', [2, 2, 1, 2]],
        ['t.2.2', [2, 2, 1, 2]],
      ],
    );
    const names = ['t.1.1:1', 't.1.1:2.1:1.1', 't.1.1:2.1:2.real', 't.1.1:2.1:2.imag', 't.2.1:1'];
    assert.deepEqual(model.unconstrainedNames().slice(0, 5), names);
    const position = Array.from({ length: 16 }, (_, k) => (k % 4 === 0 ? Math.log(k + 1) : 0));
    const values = draw(model, position);
    const found = model.constrainedNames().flatMap((name, k) => (/^t.\d.\d:1$/.test(name) ? [[name, values[k]]] : []));
    assert.deepEqual(found.map(([name, x]) => `${name} ${Math.round(Number(x))}`), [
      't.1.1:1 1',
      't.2.1:1 5',
      't.1.2:1 9',
      't.2.2:1 13',
    ]); // biome-ignore format: short
    assert.ok(
      gradientError(
        model,
        Array.from({ length: 16 }, (_, k) => Math.sin(k)),
      ) < 1e-8,
    );
  });

  it('are read back from their values, missing ones from a position', () => {
    const model = modelOf('parameters { array[2] tuple(real<lower=0>, complex) t; real x; }');
    const given = { t: [{ 1: 1, 2: [2, 3] }, { 1: Math.E, 2: [5, 6] }] }; // biome-ignore format: as written
    const values = parseStanData(JSON.stringify(given));
    assert.deepEqual([...model.unconstrain(values, new Float64Array(7).fill(9))], [0, 2, 3, 1, 5, 6, 9]);
    const rest = parseStanData('{"x": 8}');
    assert.deepEqual([...model.unconstrain(rest, new Float64Array(7).fill(0.5))].at(-1), 8);
    assert.throws(() => model.unconstrain(rest), /variable does not exist; .*variable name=t\.1;/);
  });

  it('are assigned by slot, whole, and unpacked, anywhere in arrays', () => {
    const program = `transformed data {
        array[2] tuple(int, vector[2], array[2] tuple(real, int)) a;
        a[1] = (1, [1, 2]', {(0.5, 3), (1.5, 4)});
        a[2] = a[1];
        a[2].2[1] = 7; a[2].3[1:1] = {(9, 9)}; a[1].3[2].2 = 8;
        (a[1].1, a[1].2[2]) = (5, 6);
        a = {a[2], a[1]};
        for (e in a) print(e.1, e.2, e.3);
        print(a[{2}], a[1].3[2].1);
      }`;
    assert.deepEqual(printsOf(program), [
      '1[7,2][(9,9),(1.5,4)]',
      '5[1,6][(0.5,3),(1.5,8)]',
      '[(5,[1,6],[(0.5,3),(1.5,8)])]1.5',
    ]);
  });

  it('are copied for a loop over an array that the loop changes', () => {
    const program = `transformed data {
        array[2] tuple(int, vector[2]) a = {(1, [1, 2]'), (2, [3, 4]')};
        for (e in a) { a[1].2[1] = 9; a[2].2 = [5, 6]'; print(e); }
        array[2] vector[1] v = {[1]', [2]'};
        for (e in v) { v[1] = [3]'; v[2, 1] = 4; print(e); }
      }`;
    assert.deepEqual(printsOf(program), ['(1,[1,2])', '(2,[5,6])', '[1]', '[4]']);
  });

  it("are checked slot by slot, with Stan's names", () => {
    const program = `data { tuple(int<lower=1>, real) d; }
      parameters { real x; }
      transformed parameters { array[2] tuple(real, vector<upper=1>[2]) t = {(x, [x, 0]'), (x, [0, x]')}; }`;
    assert.throws(() => modelOf(program, { d: { 1: 0, 2: 1 } }), /d\.1 is 0, but must be greater than or equal to 1/);
    const model = modelOf(program, { d: { 1: 1, 2: 1 } });
    assert.throws(() => draw(model, [2]), /: t\[sym1__\]\.2\[1\] is 2, but must be less than or equal to 1/);
  });

  it('are passed through functions, also recursive ones, and conditional expressions', () => {
    const model = modelOf(`
      functions {
        tuple(vector, array[] tuple(int, real)) grow(int n, tuple(vector, array[] tuple(int, real)) t) {
          if (n == 0) return t;
          return grow(n - 1, (append_row(t.1, t.2[1].2 * t.1[1]), {(t.2[1].1 + n, t.1[1] * 2)}));
        }
      }
      parameters { real x; real y; }
      model {
        tuple(vector[3], array[1] tuple(int, real)) t = grow(2, ([x]', {(1, y)}));
        t = x > 0 ? t : (-t.1, t.2);
        target += sum(square(t.1)) * t.2[1].1 + t.2[1].2;
      }`);
    assert.ok(gradientError(model, [0.4, -0.3]) < 1e-8);
    assert.ok(gradientError(model, [-0.4, 1.3]) < 1e-8);
  });
});

describe('failures inside user functions', () => {
  it('name every statement on the call path, one exception per function', () => {
    const model = modelOf(`functions {
  real inner(real x) { if (x > 1) reject("too big"); return x; }
  real outer(real x) { return inner(x); }
}
parameters { real x; }
model { target += outer(x); }`);
    assert.throws(() => model.logDensity(Float64Array.of(2), { propto: false, jacobian: true }), {
      message:
        "Exception: Exception: Exception: too big (in 'string', line 2, column 34 to column 52)" +
        " (in 'string', line 3, column 23 to column 39) (in 'string', line 6, column 8 to column 27)",
    });
  });
});
