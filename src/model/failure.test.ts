import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compile, isCompiled } from '../compile.js';
import { parseStanData } from '../formats/stan-json.js';
import { loadKernels } from '../node/kernels.js';
import { instantiate } from './model.js';

const { library: kernels, linear } = loadKernels();

/** Messages of the density and of its gradient at 0, where the programs fail. */
function messages(program: string, data: string): readonly unknown[] {
  const result = compile(program, kernels);
  if (!isCompiled(result)) throw new Error(result.text);
  const artifact = JSON.parse(JSON.stringify(result.artifact));
  const modules = [new WebAssembly.Module(result.wasm), new WebAssembly.Module(linear)] as const;
  const model = instantiate(artifact, ...modules, parseStanData(data), { seed: 1, print: () => {} });
  const form = { propto: true, jacobian: true };
  const message = (run: () => unknown): unknown => {
    try {
      return run();
    } catch (error) {
      return error instanceof Error ? error.message : error;
    }
  };
  const position = new Float64Array(model.dimension);
  return [
    message(() => model.logDensity(position, form)),
    message(() => model.logDensityGradient(position, new Float64Array(model.dimension), form)),
  ];
}

const PROGRAM = `functions {
  real down(int n, real x) {
    if (n <= 0) return inner(x);
    return down(n - 1, x) + 1;
  }
  real inner(real x) {
    return normal_lpdf(x | 0, -1);
  }
}
data { int n; }
parameters { real x; }
model {
  target += n < 0 ? inner(x) : down(n, x);
}`;

// The messages of Stan 2.39 for the same programs.
const WHAT = 'normal_lpdf: Scale parameter is -1, but must be positive!';
const TOO_DEEP = 'Exception: the program recurses too deeply: more calls are open at once than the stack has room for';
const at = (line: number, from: number, to: number) => ` (in 'string', line ${line}, column ${from} to column ${to})`;

describe('a failure inside user functions', () => {
  it('names each surrounding function if it is inlined', () => {
    const text = `Exception: Exception: ${WHAT}${at(7, 4, 34)}${at(13, 2, 42)}`;
    assert.deepEqual(messages(PROGRAM, '{"n": -1}'), [text, text]);
  });

  it('names each call of a recursive function', () => {
    const deep = `${at(3, 16, 32)}${at(4, 4, 30)}${at(4, 4, 30)}${at(13, 2, 42)}`;
    const text = `${'Exception: '.repeat(5)}${WHAT}${at(7, 4, 34)}${deep}`;
    assert.deepEqual(messages(PROGRAM, '{"n": 2}'), [text, text]);
  });

  it('is reported again after an evaluation that failed', () => {
    const [first, second] = messages(PROGRAM, '{"n": 1}');
    assert.equal(first, second);
  });

  it('is an error if the function never ends', () => {
    const endless = PROGRAM.replace('n <= 0', 'n == -5').replace('n < 0 ?', 'n < -9 ?').replace('n - 1', 'n + 1');
    const text = `${TOO_DEEP}${at(4, 4, 30)}`;
    assert.deepEqual(messages(endless, '{"n": 0}'), [text, text]);
  });
});

describe('a quotient that is not an int', () => {
  it('is an error with its location', () => {
    const text =
      /^Exception: divide: the quotient of -2147483648 and -1 is not an int \(in 'string', line 1, column \d+/;
    for (const loop of ['', 'for (n in 1:9) ']) {
      const program = `data { int a; int b; } parameters { real x; } model { ${loop}target += x * (a %/% b); }`;
      for (const message of messages(program, '{"a": -2147483648, "b": -1}')) assert.match(String(message), text);
    }
  });
});

describe('a partial sum that passes itself to reduce_sum', () => {
  const program = (rest: string) => `functions {
    real part(array[] real y, int start, int end, real mu) {
      int n = size(y);
      if (n < 2) return normal_lpdf(y | mu, 1);
      ${rest}
    }
  }
  data { int n; array[n] real y; }
  parameters { real mu; }
  model { target += reduce_sum(part, y, 1, mu); }`;
  const data = '{"n": 3, "y": [1, 2, 3]}';

  it('ends if it halves its slice', () => {
    const half = 'n %/% 2';
    const halves = `return reduce_sum(part, y[1:(${half})], 1, mu) + reduce_sum(part, y[(${half} + 1):n], 1, mu);`;
    const expected = -7 - 1.5 * Math.log(2 * Math.PI);
    for (const value of messages(program(halves), data)) assert.ok(Math.abs(Number(value) - expected) < 1e-12);
  });

  it('is an error if it passes its whole slice', () => {
    const text = `${TOO_DEEP}${at(5, 6, 40)}`;
    assert.deepEqual(messages(program('return reduce_sum(part, y, 1, mu);'), data), [text, text]);
  });
});

describe('an index out of range', () => {
  const program = `data { int N; vector[N] v; int i; }
parameters { real x; }
model {
  x ~ normal(v[i], 1);
}`;
  const text = (index: number, expected: string): string =>
    `Exception: vector[uni] indexing: accessing element out of range. index ${index} out of range; ${expected}${at(4, 2, 22)}`;

  it('is reported with the permitted indexes, or with the container as empty', () => {
    const outside = text(3, 'expecting index to be between 1 and 2');
    assert.deepEqual(messages(program, '{"N": 2, "v": [1, 2], "i": 3}'), [outside, outside]);
    const empty = text(1, 'container is empty and cannot be indexed');
    assert.deepEqual(messages(program, '{"N": 0, "v": [], "i": 1}'), [empty, empty]);
  });
});
