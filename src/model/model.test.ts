import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile, isCompiled } from '../compile.js';
import { parseStanData } from '../formats/stan-json.js';
import { loadKernels } from '../node/kernels.js';
import { ModelError, Rejection } from './errors.js';
import { instantiate, type Model } from './model.js';

const { library: kernels, linear: linearBytes } = loadKernels();
const linear = new WebAssembly.Module(linearBytes);

function modelOf(program: string, data = '{}', printed: string[] = []): Model {
  const result = compile(program, kernels);
  if (!isCompiled(result)) throw new Error(result.text);
  const artifact = JSON.parse(JSON.stringify(result.artifact));
  const options = { seed: 1, print: (text: string) => printed.push(text) };
  return instantiate(artifact, new WebAssembly.Module(result.wasm), linear, parseStanData(data), options);
}

const PROGRAM = `data {
  int<lower=0> N;
  array[N] int k;
  matrix[2, N] m;
  real r;
}
parameters {
  vector<lower=0>[2] s;
  array[2] matrix[2, 2] a;
}
model {
  s ~ exponential(1);
  for (i in 1:2) to_vector(a[i]) ~ normal(r, 1);
  target += sum(m) + sum(k);
}
generated quantities {
  real u = uniform_rng(0, 1);
}`;

const DATA = { N: '2', k: '[1, 2]', m: '[[1, 2], [3, 4]]', r: '0.5' };

function json(changes: Record<string, string | null>): string {
  const members = Object.entries({ ...DATA, ...changes }).filter(([, value]) => value !== null);
  return `{${members.map(([name, value]) => `"${name}": ${value}`).join(', ')}}`;
}

const WRONG: Record<string, Record<string, string | null>> = {
  'variable does not exist; processing stage=data initialization; variable name=N; base type=int': { N: null },
  'variable does not exist; processing stage=data initialization; variable name=m; base type=double': { m: null },
  'int variable contained non-int values; processing stage=data initialization; variable name=N; base type=int': {
    N: '2.0',
  },
  'int variable contained non-int values; processing stage=data initialization; variable name=k; base type=int': {
    k: '[1, "NaN"]',
  },
  'mismatch in number dimensions declared and found in context; processing stage=data initialization; variable name=r; dims declared=(); dims found=(1)':
    { r: '[1]' },
  'mismatch in number dimensions declared and found in context; processing stage=data initialization; variable name=m; dims declared=(2,2); dims found=(2)':
    { m: '[1, 2]' },
  'mismatch in dimension declared and found in context; processing stage=data initialization; variable name=k; position=0; dims declared=(2); dims found=(3)':
    { k: '[1, 2, 3]' },
  'non-rectangular array': { m: '[[1, 2], [3]]' },
  'string values not allowed': { r: '"one"' },
  'Variable: other, error: null values not allowed.': { other: 'null ' },
  'Variable: other, error: boolean values not allowed.': { other: '[1, true]' },
  'Variable: other, error: string values not allowed.': { other: '"one"' },
  'Variable: other, error: non-rectangular array.': { other: '[[1, 2], [3]]' },
  'Variable: other.a, error: null values not allowed.': { other: '[{"a": 1}, {"a": [null]}]' },
};

for (const [problem, changes] of Object.entries(WRONG)) {
  test(`wrong data are rejected with Stan's message: ${problem.slice(0, 60)}, ${Object.keys(changes)}`, () => {
    assert.throws(
      () => modelOf(PROGRAM, json(changes)),
      (error: unknown) => error instanceof ModelError && error.message.includes(problem),
    );
  });
}

// Messages of Stan 2.39, from httpstan 4.17 and from a compiled model.
const COINS = `data { int<lower=0> N; array[N] int<lower=0, upper=1> y; }
parameters { real<lower=0, upper=1> theta; real z; }
model { y ~ bernoulli(theta); z ~ normal(0, 1); }`;
const READ = 'processing stage=data initialization; variable name=';
const STARTS = 'processing stage=parameter initialization; variable name=';
const DIMENSIONS = 'mismatch in number dimensions declared and found in context';
const NOT_INT = 'int variable contained non-int values';

for (const [data, message] of [
  ['{"N": 4.5, "y": [0, 1]}', `${NOT_INT}; ${READ}N; base type=int (in 'X', line 1, column 7 to column 22)`],
  ['{"N": 2, "y": [0, 0.5]}', `${NOT_INT}; ${READ}y; base type=int (in 'X', line 1, column 23 to column 56)`],
  ['{"N": 2}', `variable does not exist; ${READ}y; base type=int (in 'X', line 1, column 23 to column 56)`],
  [
    '{"N": [2], "y": []}',
    `${DIMENSIONS}; ${READ}N; dims declared=(); dims found=(1) (in 'X', line 1, column 7 to column 22)`,
  ],
] as const) {
  test(`wrong data are rejected with the location of the declaration: ${data}`, () => {
    assert.equal(messageOf(() => modelOf(COINS, data)).replace(/in '[^']*'/, "in 'X'"), `Exception: ${message}`);
  });
}

for (const [values, message] of [
  [{ theta: 0.5 }, `variable does not exist; ${STARTS}z; base type=double (in 'X', line 2, column 43 to column 50)`],
  [
    { theta: [0.5, 0.5], z: 1 },
    `${DIMENSIONS}; ${STARTS}theta; dims declared=(); dims found=(2) (in 'X', line 2, column 13 to column 42)`,
  ],
  [
    { theta: 2, z: 1 },
    "lub_free: Bounded variable is 2, but must be in the interval [0, 1] (in 'X', line 2, column 13 to column 42)",
  ],
] as const) {
  test(`wrong values of parameters are rejected with the location of the declaration: ${JSON.stringify(values)}`, () => {
    const model = modelOf(COINS, '{"N": 2, "y": [0, 1]}');
    assert.equal(messageOf(() => model.unconstrain(values)).replace(/in '[^']*'/, "in 'X'"), `Exception: ${message}`);
  });
}

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof ModelError || error instanceof Rejection) return error.message;
    throw error;
  }
  return '';
}

test('additional data may be numbers of any shape, and anything if no variable can have the name', () => {
  for (const other of ['1', '[]', '{}', '[[1.5], ["NaN"]]', '[[{"1": 1}], [{"1": [2]}]]', '99999999999']) {
    modelOf(PROGRAM, json({ other }));
  }
  modelOf(PROGRAM, json({ _note: '"written by hand"' }));
});

test('empty variables may be written in any empty form, or be missing', () => {
  for (const m of ['[]', '[[], []]', null]) modelOf(PROGRAM, json({ N: '0', k: '[]', m }));
  modelOf(PROGRAM, json({ N: '0', k: null, m: '[[]]' }));
});

test("names, sizes and draws are in Stan's order, the first index fastest", () => {
  const model = modelOf(PROGRAM, json({}));
  assert.equal(model.dimension, 10);
  assert.deepEqual(model.parameters, [
    { name: 's', dims: [2], block: 'parameters' },
    { name: 'a', dims: [2, 2, 2], block: 'parameters' },
    { name: 'u', dims: [], block: 'generated quantities' },
  ]);
  const names = model.constrainedNames();
  assert.deepEqual(names.slice(0, 6), ['s.1', 's.2', 'a.1.1.1', 'a.2.1.1', 'a.1.2.1', 'a.2.2.1']);
  const a = [
    [
      [11, 12],
      [13, 14],
    ],
    [
      [21, 22],
      [23, 24],
    ],
  ];
  const position = model.unconstrain({ s: [1, 2.5], a, ignored: 3 });
  const draw = new Float64Array(10);
  model.writeArray(position, draw);
  assert.deepEqual(
    [...draw.slice(0, 6)].map((v) => Number(v.toFixed(10))),
    [1, 2.5, 11, 21, 13, 23],
  );
});

test('unconstrain keeps the elements of missing parameters', () => {
  const model = modelOf(PROGRAM, json({}));
  const start = Float64Array.from({ length: 10 }, (_, k) => k / 10);
  assert.deepEqual([...model.unconstrain({ s: [1, 1] }, start)], [0, 0, ...start.slice(2)]);
  assert.throws(() => model.unconstrain({ s: [1, 1] }), { message: /variable name=a; base type=double/ });
  assert.throws(() => model.unconstrain({ s: [1], a: [] }), {
    message: /mismatch in dimension .* dims declared=\(2\)/,
  });
  assert.throws(() => model.unconstrain({ s: [1, -1] }, start), { message: /lb_free/ });
});

test('the same seed and chain produce the same random numbers, others do not', () => {
  const model = modelOf(PROGRAM, json({}));
  const parts = { generatedQuantities: true };
  const draw = (seed: number, chain: number): number => {
    const out = new Float64Array(11);
    model.seedRandom(seed, chain);
    model.writeArray(new Float64Array(10), out, parts);
    return out[10];
  };
  assert.equal(draw(1, 1), draw(1, 1));
  assert.notEqual(draw(1, 1), draw(1, 2));
  assert.notEqual(draw(1, 1), draw(2, 1));
});

test('a model works after rejections, endless recursion and exhausted memory', () => {
  const model = modelOf(`functions {
  real deep(real x);
  real deep(real x) { return x > 1e300 ? x : deep(x + 1); }
}
parameters { real x; }
model {
  if (x > 2) reject("x is ", x, " and ", [x, 1]);
  if (x < -2) target += deep(x);
  if (x == 1) { int n = 1000000000; vector[n] v = rep_vector(x, n); target += sum(v); }
  x ~ normal(0, 1);
}`);
  const form = { propto: true, jacobian: true };
  const at = (x: number): number => model.logDensityGradient(Float64Array.of(x), new Float64Array(1), form);
  assert.equal(at(0.5), -0.125);
  assert.throws(() => at(3), {
    name: 'Rejection',
    message: /^Exception: x is 3 and \[3,1\] \(in 'string', line 7, column 13 to column 49\)$/,
  });
  assert.throws(() => at(-3), { name: 'ModelError', message: /recurses too deeply/ });
  assert.throws(() => at(1), { name: 'ModelError', message: /memory/ });
  assert.equal(at(0.5), -0.125);
});

test('profile blocks are timed, whatever they contain', () => {
  const model = modelOf(`
    parameters { vector[3] x; }
    model {
      profile("prior") { x ~ normal(0, 1); }
      profile("steps") { real s = 0; for (k in 1:3) { if (k == 3) break; s = s * x[k] + x[1]; } target += s; }
    }
    generated quantities { profile("prior") { print("again"); } }`);
  const gradient = new Float64Array(3);
  const form = { propto: false, jacobian: true };
  model.logDensityGradient(Float64Array.of(1, 2, 3), gradient, form);
  assert.deepEqual([...gradient], [-1 + 3, -2 + 1, -3]);
  model.logDensity(Float64Array.of(1, 2, 3), form);
  model.writeArray(Float64Array.of(1, 2, 3), new Float64Array(3), { generatedQuantities: true });
  assert.deepEqual(
    model.profiles().map(({ name, runs }) => [name, runs]),
    [
      ['prior', 3],
      ['steps', 2],
    ],
  );
  assert.ok(model.profiles().every(({ seconds }) => seconds >= 0));
});
