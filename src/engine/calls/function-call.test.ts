import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refusalOf } from '../../chain/refusal.js';
import { compiler, models } from '../../node/engine.js';
import { FunctionCaller } from './function-call.js';

const FUNCTIONS = `functions {
  real positive(real x) {
    if (x < 0) {
      reject("x must not be ", x);
    }
    return x;
  }
  vector shifted(vector x, int n) {
    print("element ", n);
    return append_row(x, positive(x[n]));
  }
  int twice(int n) { return 2 * n; }
  real twice(real x) { return 2 * x; }
  real total(vector x) { return sum(x); }
  real total(row_vector x) { return sum(x) + 100; }
  real half_lpdf(real y) { return y / 2; }
  real scaled_lpdf(real y, real s) { return y / s; }
  array[] real draw_rng(int n) {
    int count = poisson_rng(5) + 1;
    array[count] real x;
    for (k in 1:count) x[k] = normal_rng(n, 1);
    return x;
  }
  void show(array[] int x) { print(x); }
  real add_lp(real x) { target += x; return x; }
  tuple(matrix, complex, array[,] int) parts(matrix x, complex z, array[,] int k) { return (x', z + 1, k); }
  array[] tuple(int, vector) items(int n) {
    array[n] tuple(int, vector[2]) x;
    for (k in 1:n) x[k] = (k, [k, -k]');
    return x;
  }
  array[,] tuple(array[] tuple(real, real), int) nested(int n) {
    array[n, 1] tuple(array[2] tuple(real, real), int) x;
    for (k in 1:n) x[k, 1] = ({(k, 1), (k, 2)}, k);
    return x;
  }
  complex_row_vector conjugates(complex_row_vector z) { return conj(z); }
  real first(tuple(real, array[] tuple(int, vector)) x) { return x.1 + x.2[2].2[3]; }
}
parameters { real called_1; }
model { called_1 ~ std_normal(); target += add_lp(0); }
`;

const LIMITS = { maximumMemory: 2 ** 26 };
const caller = new FunctionCaller(compiler, models);

function call(
  name: string,
  args: string,
  options: { readonly signature?: readonly string[]; readonly seed?: number } = {},
) {
  const { seed = 1, ...rest } = options;
  return caller.call({ source: { program: FUNCTIONS, includes: {} }, name, arguments: args, seed, ...rest }, LIMITS);
}

/** The message of a refused call. */
function refusal(
  name: string,
  args: string,
  program = FUNCTIONS,
  includes: Readonly<Record<string, string>> = {},
): string {
  try {
    caller.call({ source: { program, includes }, name, arguments: args, seed: 1 }, LIMITS);
  } catch (error) {
    const found = refusalOf(models, error);
    if (found?.kind === 'refused') return found.message;
    throw error;
  }
  return assert.fail('the call was not refused');
}

describe('calls of functions', () => {
  it("return values of every shape in Stan's JSON format", () => {
    assert.deepEqual(call('shifted', '[[1.5, -2], 1]').result, [1.5, -2, 1.5]);
    assert.deepEqual(call('parts', '[[[1, 2, 3], [4, 5, 6.5]], [1, 2], [[1], [2]]]').result, {
      '1': [
        [1, 4],
        [2, 5],
        [3, 6.5],
      ],
      '2': [2, 2],
      '3': [[1], [2]],
    });
    assert.deepEqual(call('items', '[2]').result, [
      { '1': 1, '2': [1, -1] },
      { '1': 2, '2': [2, -2] },
    ]);
    assert.deepEqual(call('items', '[0]').result, []);
    assert.deepEqual(call('nested', '[1]').result, [
      [
        {
          '1': [
            { '1': 1, '2': 1 },
            { '1': 1, '2': 2 },
          ],
          '2': 1,
        },
      ],
    ]);
    assert.deepEqual(call('conjugates', '[[[1, 2], 3]]').result, [
      [1, -2],
      [3, -0],
    ]);
    assert.equal(call('first', '[{"1": 1, "2": [{"1": 1, "2": [1, 2, 3]}, {"1": 1, "2": [4, 5, 6]}]}]').result, 7);
  });

  it('evaluate densities, and functions that print', () => {
    assert.equal(call('half_lpdf', '[3]').result, 1.5);
    assert.equal(call('scaled_lpdf', '[3, 4]').result, 0.75);
    const { result, output, type } = call('show', '[[1, 2]]');
    assert.deepEqual([result, output, type], [null, '[1,2]\n', 'void']);
    assert.equal(call('shifted', '[[1], 1]').output, 'element 1\n');
  });

  it('choose the overload with the fewest promotions, or the one with the given types', () => {
    assert.equal(call('twice', '[3]').signature, 'int twice(int n)');
    assert.equal(call('twice', '[3.0]').signature, 'real twice(real x)');
    assert.equal(call('twice', '["Infinity"]').result, Number.POSITIVE_INFINITY);
    assert.equal(call('total', '[[1, 2]]', { signature: ['row_vector'] }).result, 103);
    assert.match(refusal('total', '[[1, 2]]'), /fit more than one function.*"signature"/);
    assert.equal(call('shifted', '[[1, 2.5], 2]').result?.constructor, Array);
  });

  it('draw the same random numbers from the same seed', () => {
    const [first, again, other] = [1, 1, 2].map((seed) => call('draw_rng', '[10]', { seed }));
    assert.deepEqual(first, again);
    assert.notDeepEqual(first.result, other.result);
    assert.equal(other.random_seed, 2);
  });

  it('name invalid arguments and their location', () => {
    const cases: readonly (readonly [string, string, RegExp])[] = [
      ['shifted', '[[1, "x"], 1]', /shifted\(vector x, int n\): x\[2\] must be a real, but is "x"\.$/],
      ['shifted', '[[1], 1.5]', /n must be an int, but is 1\.5\.$/],
      ['shifted', '[[1], 1e3]', /n must be an int, but is 1000\.0\.$/],
      ['shifted', '[[1], 4000000000]', /n is 4000000000, which is outside of the range of an int/],
      ['shifted', '[1, 1]', /x must be a vector, but is 1\.$/],
      ['shifted', '[[1]]', /takes 2 arguments, but 1 were given/],
      ['parts', '[[[1, 2], [3]], 1, []]', /x\[2\] has 1 elements, but x\[1\] has 2/],
      ['parts', '[[[1]], [1], []]', /z must be a complex number, \[real, imaginary\]/],
      ['first', '[{"1": 1}]', /x has no member "2"/],
      [
        'twice',
        '[[]]',
        /no function twice takes these arguments\nint twice\(int n\): n must be an int, but is an empty array\n/,
      ],
      ['twise', '[1]', /declares no function twise\. Did you mean twice\?/],
      ['twice', '{}', /the arguments must be an array/],
      ['twice', '[1', /Invalid data: line 1/],
      ['add_lp', '[1]', /add_lp changes the log density of a model/],
      ['half_lupdf', '[1]', /Call half_lpdf/],
    ];
    for (const [name, args, message] of cases) assert.match(refusal(name, args), message);
    assert.match(refusal('f', '[]', 'parameters { real x; }'), /the program declares no functions/);
  });

  it('report a failure at its location in the program', () => {
    assert.equal(
      refusal('positive', '[-1]'),
      "Exception: Exception: x must not be -1 (in 'string', line 4, column 6 to column 34)".replace(
        'Exception: E',
        'E',
      ),
    );
    assert.match(
      refusal('shifted', '[[1], 2]'),
      /accessing element out of range.* \(in 'string', line 10, column 4 to column 41\)$/,
    );
  });

  it('find functions in included files', () => {
    const program = '#include <outer.stan>\nparameters { real x; }\nmodel { x ~ std_normal(); }\n';
    const includes = {
      'outer.stan': '#include inner.stan\ndata { int K; }\n',
      'inner.stan': 'functions { real f(real x) { reject("no"); } } // the end\n',
    };
    assert.match(refusal('f', '[1]', program, includes), /no \(in 'inner\.stan', line 1/);
    const parts = { 'f.stanfunctions': 'real f(real x) { return x; }' };
    const source = { program: 'functions {\n#include f.stanfunctions\n}', includes: parts };
    assert.equal(caller.call({ source, name: 'f', arguments: '[2]', seed: 1 }, LIMITS).result, 2);
  });

  it('compile each function once', () => {
    let compiled = 0;
    const counting = new FunctionCaller(
      {
        ...compiler,
        compile: (source, options) => {
          compiled += 1;
          return compiler.compile(source, options);
        },
      },
      models,
    );
    const source = { program: FUNCTIONS, includes: {} };
    for (const [name, args] of [
      ['twice', '[1]'],
      ['twice', '[5]'],
      ['twice', '[1.5]'],
      ['show', '[[]]'],
      ['show', '[[1, 2]]'],
    ]) {
      counting.call({ source, name, arguments: args, seed: 1 }, LIMITS);
    }
    assert.equal(compiled, 3);
  });
});
