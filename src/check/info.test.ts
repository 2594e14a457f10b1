import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FUNCTIONS } from '../functions/table.js';
import { parse } from '../syntax/parse.js';
import { check } from './check.js';
import { type ProgramInfo, programInfo } from './info.js';

function infoOf(text: string, includes: Readonly<Record<string, string>> = {}): ProgramInfo {
  const parsed = parse({ name: 'model.stan', text }, new Map(Object.entries(includes)));
  if ('diagnostics' in parsed) throw new Error(parsed.diagnostics[0]?.message);
  const checked = check(parsed.program, FUNCTIONS);
  if ('diagnostics' in checked) throw new Error(checked.diagnostics[0]?.message);
  return programInfo(checked.program);
}

const NOTHING: ProgramInfo = {
  inputs: {},
  parameters: {},
  'transformed parameters': {},
  'generated quantities': {},
  functions: [],
  distributions: [],
  included_files: [],
};

test('an empty program declares and calls nothing', () => {
  assert.deepEqual(infoOf('model { }'), NOTHING);
});

test('variables are counted as scalars with dimensions, block by block', () => {
  const info = infoOf(`
    data { int N; array[N, 2] vector[3] y; }
    transformed data { real hidden = 1; }
    parameters { simplex[3] p; cov_matrix[2] S; }
    transformed parameters { complex z = 1; { real inner = 2; } }
    generated quantities { complex_matrix[2, 2] m; row_vector[2] r, s; }`);
  assert.deepEqual(info.inputs, { N: { type: 'int', dimensions: 0 }, y: { type: 'real', dimensions: 3 } });
  assert.deepEqual(info.parameters, { p: { type: 'real', dimensions: 1 }, S: { type: 'real', dimensions: 2 } });
  assert.deepEqual(info['transformed parameters'], { z: { type: 'complex', dimensions: 0 } });
  assert.deepEqual(info['generated quantities'], {
    m: { type: 'complex', dimensions: 2 },
    r: { type: 'real', dimensions: 1 },
    s: { type: 'real', dimensions: 1 },
  });
});

test('the type of a tuple is the list of its slots', () => {
  const { inputs } = infoOf('data { array[2] tuple(int, tuple(real, matrix[2, 2])) t; }');
  const inner = {
    type: [
      { type: 'real', dimensions: 0 },
      { type: 'real', dimensions: 2 },
    ],
    dimensions: 0,
  };
  assert.deepEqual(inputs, { t: { type: [{ type: 'int', dimensions: 0 }, inner], dimensions: 1 } });
});

test('library functions and densities are listed in order wherever they are called; user functions are not', () => {
  const { functions, distributions } = infoOf(`
    functions { real f(real x) { return exp(x); } real g_lpdf(real x, real y) { return normal_lpdf(x | y, 1); } }
    data { int N; vector<lower=floor(0.5)>[max(N, 2)] y; }
    parameters { real a; }
    model { y[size(y)] ~ normal(f(a), 1); a ~ g(2); target += normal_lupdf(a | 0, 1); print("a"); }
    generated quantities { real p = student_t_cdf(a | 3, 0, 1); int k = poisson_rng(3); }`);
  assert.deepEqual(functions, ['exp', 'floor', 'max', 'poisson_rng', 'print', 'size']);
  assert.deepEqual(distributions, ['normal_lpdf', 'normal_lupdf', 'student_t_cdf']);
});

test('a file of functions is listed once', () => {
  const text = 'functions {\n#include f.stanfunctions\n#include f.stanfunctions\n}';
  const includes = { 'f.stanfunctions': 'real f(real x) { return x; }\n' };
  assert.deepEqual(infoOf(text, includes).included_files, ['./f.stanfunctions']);
});

test('includes are listed in order, as often as they occur', () => {
  const text = '#include a.stan\nmodel {\n#include c.stan\n#include c.stan\n}';
  const includes = { 'a.stan': '#include b.stan\n', 'b.stan': '', 'c.stan': 'print(1);\n' };
  assert.deepEqual(infoOf(text, includes).included_files, ['./a.stan', './b.stan', './c.stan', './c.stan']);
});
