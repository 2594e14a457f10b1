import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseStanData } from '../formats/stan-json.js';
import type { FailureDetail } from '../model/failure-detail.js';
import { compiler, models } from '../node/engine.js';
import { DrawCollector } from './draw-collector.js';
import { refusalOf } from './refusal.js';
import { runFunction } from './run-function.js';

const PROGRAM = `data {
  int<lower=0> N;
  vector[N] y;
}
parameters {
  array[2] real<lower=0> mu;
}
model {
  y ~ normal(mu[1], 1);
}`;
const PLACE = { file: 'string', line: 3, column: 2, end_line: 3, end_column: 14 };
const N_PLACE = { file: 'string', line: 2, column: 2, end_line: 2, end_column: 17 };

function compiled(program: string) {
  const compilation = compiler.compile({ program, includes: {} });
  assert.ok(compilation.compiled, compilation.compiled ? '' : compilation.text);
  return { artifact: compilation.artifact, module: new WebAssembly.Module(new Uint8Array(compilation.wasm)) };
}

/** The detail of the failure that data, and initial values if given, cause. */
function detailOf(program: string, data: string, init?: string): FailureDetail | undefined {
  try {
    const options = { seed: 1, print: () => undefined, maximumMemory: 2 ** 24 };
    const model = models.instantiate(compiled(program), parseStanData(data), options);
    if (init !== undefined) model.unconstrain(parseStanData(init));
    return undefined;
  } catch (error) {
    const refusal = refusalOf(models, error);
    assert.equal(refusal?.kind, 'refused');
    return refusal?.kind === 'refused' ? refusal.detail : undefined;
  }
}

const OF_DATA: readonly (readonly [data: string, expected: FailureDetail])[] = [
  ['{"N": 1,\n "y" 2}', { code: 'data-syntax', line: 2, column: 6 }],
  ['{"y": [1]}', { code: 'missing-variable', input: 'data', variable: 'N', ...N_PLACE }],
  ['{"N": 1}', { code: 'missing-variable', input: 'data', variable: 'y', ...PLACE }],
  ['{"N": 2, "y": [1]}', { code: 'wrong-size', input: 'data', variable: 'y', declared: [2], found: [1], ...PLACE }],
  ['{"N": 2, "y": 1}', { code: 'wrong-size', input: 'data', variable: 'y', declared: [2], found: [], ...PLACE }],
  ['{"N": [2], "y": 1}', { code: 'wrong-size', input: 'data', variable: 'N', declared: [], found: [1], ...N_PLACE }],
  ['{"N": 1.5, "y": [1]}', { code: 'not-integer', input: 'data', variable: 'N', ...N_PLACE }],
  ['{"N": 3000000000, "y": [1]}', { code: 'integer-out-of-range', input: 'data', variable: 'N', ...N_PLACE }],
  ['{"N": 2, "y": [1, [2]]}', { code: 'ragged-array', input: 'data', variable: 'y', ...PLACE }],
  ['{"N": 1, "y": ["one"]}', { code: 'not-a-number', input: 'data', variable: 'y', ...PLACE }],
  ['{"N": 1, "y": [1], "z": true}', { code: 'not-a-number', input: 'data', variable: 'z' }],
  ['{"N": -1, "y": []}', { code: 'rejection', ...N_PLACE }],
];

for (const [data, expected] of OF_DATA) {
  it(`refuses the data ${data.replace('\n', ' ')} as ${expected.code}`, () => {
    assert.deepEqual(detailOf(PROGRAM, data), expected);
  });
}

it('names the initial value that is missing or has the wrong size', () => {
  const place = { file: 'string', line: 6, column: 2, end_line: 6, end_column: 28 };
  const data = '{"N": 1, "y": [1]}';
  const common = { input: 'init', variable: 'mu', ...place };
  assert.deepEqual(detailOf(PROGRAM, data, '{}'), { code: 'missing-variable', ...common });
  assert.deepEqual(detailOf(PROGRAM, data, '{"mu": [1]}'), {
    code: 'wrong-size',
    declared: [2],
    found: [1],
    ...common,
  });
});

/** The detail with which a run by a program is refused. */
function runDetail(program: string, functionName = 'stan::services::sample::hmc_nuts_diag_e_adapt') {
  const request = {
    model: { id: 'm', ...compiled(program) },
    data: '{}',
    inputs: {},
    limits: { maximumMemory: 2 ** 24 },
    arguments: { num_samples: 10 },
    seed: 1,
    chain: 1,
    index: 0,
  };
  const outcome = runFunction(models, functionName, request, new DrawCollector(() => false));
  return outcome.kind === 'refused' ? outcome.detail : undefined;
}

it('locates the error that ends a run', () => {
  const program = `functions {
  real element(vector v, int n) {
    return v[n];
  }
}
parameters { vector[2] x; }
model { x ~ normal(element(x, 3), 1); }`;
  const place = { file: 'string', line: 3, column: 4, end_line: 3, end_column: 16 };
  assert.deepEqual(runDetail(program), { code: 'program-error', ...place });
});

it('locates errors of transformed data and of generated quantities', () => {
  const program = 'generated quantities {\n  fatal_error("no");\n}';
  const place = { file: 'string', line: 2, column: 2, end_line: 2, end_column: 20 };
  assert.equal(detailOf('transformed data {\n  reject("no");\n}', '{}')?.line, 2);
  assert.deepEqual(runDetail(program, 'stan::services::sample::fixed_param'), { code: 'program-error', ...place });
});

it('reports a start that finds no point, and calls that never end', () => {
  assert.deepEqual(runDetail('parameters { real x; } model { reject("never"); }'), { code: 'run-failed' });
  const endless = 'functions { real f(real x) { return f(x) + 1; } } transformed data { real y = f(1); }';
  assert.equal(detailOf(endless, '{}')?.code, 'recursion');
});
