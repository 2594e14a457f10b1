import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileProgram } from '../../test/conformance/engine.js';
import { checkGradientOf } from '../../test/gradients/agreement.js';
import { instantiate, type Model } from '../model/model.js';
import { loadKernels } from '../node/kernels.js';

const FORM = { propto: false, jacobian: true };
const linear = new WebAssembly.Module(loadKernels().linear);

function run(program: string, print: (text: string) => void = () => {}): Model {
  const { artifact, wasm } = compileProgram(program);
  return instantiate(artifact, new WebAssembly.Module(wasm), linear, {}, { seed: 1, print });
}

/** What statements print that run once for the data. */
function printed(statements: string, functions = ''): string {
  let text = '';
  run(`functions { ${functions} } transformed data { ${statements} }`, (line) => {
    text += line;
  });
  return text.trim();
}

/** What real Stan 2.39 prints for a variable that was declared with a size of 0 and then given a value. */
const PRINTED: readonly (readonly [declaration: string, value: string, expected: string])[] = [
  ['vector[0] x', 'rep_vector(1, 3)', '[1,1,1]'],
  ['row_vector[0] x', '[1, 2]', '[1,2]'],
  ['matrix[0, 0] x', 'rep_matrix(1, 2, 3)', '[[1,1,1],[1,1,1]]'],
  ['matrix[0, 3] x', 'rep_matrix(1, 2, 4)', '[[1,1,1,1],[1,1,1,1]]'],
  ['matrix[3, 0] x', 'rep_matrix(1, 2, 4)', '[[1,1,1,1],[1,1,1,1]]'],
  ['array[0] int x', '{1, 2}', '[1,2]'],
  ['array[0] real x', '{1.5, 2}', '[1.5,2]'],
  ['array[0] vector[2] x', "{[1, 2, 3]', [4, 5, 6]'}", '[[1,2,3],[4,5,6]]'],
  ['array[2] vector[0] x', "{[1, 2]', [3, 4]'}", '[[1,2],[3,4]]'],
  ['array[2, 0] real x', '{{1, 2}, {3, 4}}', '[[1,2],[3,4]]'],
  ['array[0] complex x', '{1, 2}', '[(1,0),(2,0)]'],
  ['tuple(vector[0], int) x', "([1, 2, 3]', 2)", '([1,2,3],2)'],
  ['array[0] tuple(int, vector[0]) x', "{(1, [1, 2]'), (2, [3, 4]')}", '[(1,[1,2]),(2,[3,4])]'],
];

describe('a variable of size 0', () => {
  for (const [declaration, value, expected] of PRINTED) {
    it(`takes the sizes of the assigned value: ${declaration}`, () => {
      assert.equal(printed(`${declaration}; x = ${value}; print(x);`), expected);
      assert.equal(printed(`{ ${declaration} = ${value}; print(x); }`), expected);
      assert.equal(printed('show();', `void show() { ${declaration}; x = ${value}; print(x); }`), expected);
    });
  }

  it('takes the sizes of the assigned slot of a tuple', () => {
    assert.equal(printed("tuple(vector[0], real) x; x.1 = [1, 2]'; print(x.1);"), '[1,2]');
  });

  it('has its new sizes in subsequent functions, loops and indexes', () => {
    const statements = `vector[0] x; x = rep_vector(2, 4); for (i in 1:size(x)) x[i] = i * x[i];
      for (e in x) print(e); print(x[2:3], dims(x), num_elements(x), sum(x));`;
    assert.equal(printed(statements), '2\n4\n6\n8\n[4,6][4,1]420');
  });

  it('keeps its new sizes', () => {
    const twice = (value: string): string => `vector[0] x; x = [1, 2]'; x = ${value}; print(x);`;
    assert.equal(printed(twice('x[{2, 1}]')), '[2,1]');
    assert.throws(
      () => printed(twice("[1, 2, 3]'")),
      /vector assign rows: assigning variable x \(2\) and right hand side rows \(3\) must match in size/,
    );
  });

  it('accepts elements of any size if an array has none', () => {
    for (const type of ['array[0] vector', 'array[2, 0] row_vector']) {
      assert.equal(printed(`${type}[2] x; ${type}[3] y; y = x; print("fine");`), 'fine');
    }
    assert.throws(() => printed('array[1] vector[2] x; array[1] vector[3] y; y = x;'), /vector assign rows/);
  });

  it('computes sizes again in each iteration that declares it', () => {
    assert.equal(printed('for (n in 1:3) { vector[0] x; x = rep_vector(n, n); print(x); }'), '[1]\n[2,2]\n[3,3,3]');
  });

  it('contributes to the log density and its gradient', () => {
    const model = run(`functions { vector f(vector a) { vector[0] x = 2 * a; x[1] = 3; return x; } }
      parameters { real mu; vector[3] b; }
      model {
        vector[0] z; z = rep_vector(mu, 5); z[1] = 3; target += -sum(square(z));
        vector[0] s;
        for (i in 1:4) {
          vector[0] q; q = b * i; q[2] = mu;
          if (i > 1) { s = q + s; s[1] *= mu; } else s = q;
          target += -dot_self(q) * s[1];
        }
        matrix[0, 5] M; M = b * b';
        for (i in 1:rows(M)) for (j in 1:cols(M)) target += M[i, j] ^ 2;
        target += sum(s) + sum(f(b));
        vector[0] h; if (mu > 0.7) h = b; target += sum(h);
        array[0] vector[0] a;
        for (i in 1:3) { a = {b, b * mu}; target += a[1] .* a[2]; }
      }`);
    const gradient = new Float64Array(4);
    const value = model.logDensityGradient(Float64Array.of(0.5, 1, -0.3, 0.4), gradient, FORM);
    // Of real Stan 2.39.
    const expected = [-85.81625, -247.6775, -234.95375, -0.4, -46.6];
    for (const [i, number] of [value, ...gradient].entries()) assert.ok(Math.abs(number - expected[i]) < 1e-11);
    checkGradientOf(model);
  });

  it('keeps its declared sizes if it is written with the draws', () => {
    const words = /assigning variable y \(0\) and right hand side rows \(2\) must match in size/;
    const model = run("parameters { real mu; } generated quantities { vector[0] y; y = [mu, 1]'; }");
    const all = { transformedParameters: true, generatedQuantities: true };
    assert.throws(() => model.writeArray(Float64Array.of(1), new Float64Array(1), all), words);
  });

  it('cannot have its own sizes in an array of such variables', () => {
    assert.throws(
      () => printed("array[2] vector[0] x; x[1] = [1, 2]';"),
      /assigning variable x \(0\) and right hand side rows \(2\)/,
    );
  });
});
