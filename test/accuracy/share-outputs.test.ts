import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '../../src/node/package-root.js';
import { modelsOf, readJson } from '../conformance/engine.js';

/*
 * Logarithms of probabilities outside of the log density: in transformed data, transformed parameters, generated quantities and the
 * functions that these call. Expected values were computed with 400 digits.
 */

/** u, log p, its derivative, log(1 - p), its derivative. */
type Row = readonly [u: number, log: number, dLog: number, log1m: number, dLog1m: number];

const TRUTH = readJson<Record<'logistic' | 'normal' | 'cloglog', readonly Row[]>>(
  join(packageRoot(import.meta.dirname), 'test/accuracy/shares.json'),
);
const TOLERANCE = 1e-11;
const ALL = { transformedParameters: true, generatedQuantities: true };

const LINKS = [
  ['inv_logit', 'logistic'],
  ['Phi', 'normal'],
  ['inv_cloglog', 'cloglog'],
] as const;

/** Statements that set `vector[N]` log_p and log1m_p, with F for the link and U for the argument, a vector. */
const WAYS: readonly (readonly [name: string, statements: string])[] = [
  ['where it is used', 'vector[N] log_p = log(F(U)); vector[N] log1m_p = log1m(F(U));'],
  ['through a vector', 'vector[N] p = F(U); vector[N] log_p = log(p); vector[N] log1m_p = log1m(p);'],
  [
    'through elements of a vector',
    'vector[N] p; vector[N] log_p; vector[N] log1m_p; for (n in 1:N) { p[n] = F(U[n]); log_p[n] = log(p[n]); log1m_p[n] = log(1 - p[n]); }',
  ],
  [
    'through an array of arrays',
    'array[N, 1] real p; vector[N] log_p; vector[N] log1m_p; for (n in 1:N) { p[n, 1] = F(U[n]); log_p[n] = log(p[n, 1]); log1m_p[n] = log1m(p[n, 1]); }',
  ],
  ['in a function', 'vector[N] log_p = logs(U); vector[N] log1m_p = complements(U);'],
  [
    'in a function that returns early',
    'vector[N] log_p; vector[N] log1m_p; for (n in 1:N) { log_p[n] = early(U[n], 0); log1m_p[n] = early(U[n], 1); }',
  ],
  [
    'in a function that calls itself',
    'vector[N] log_p; vector[N] log1m_p; for (n in 1:N) { log_p[n] = again(U[n], 0, 2); log1m_p[n] = again(U[n], 1, 2); }',
  ],
  [
    'through a probability that a function returns',
    'vector[N] p = probabilities(U); vector[N] log_p = log(p); vector[N] log1m_p = log1m(p);',
  ],
];

const FUNCTIONS = `
  vector probabilities(vector x) { return F(x); }
  vector logs(vector x) { vector[size(x)] p = F(x); return log(p); }
  vector complements(vector x) { vector[size(x)] p = F(x); return log1m(p); }
  real early(real x, int complement) { real p = F(x); if (complement) return log1m(p); return log(p); }
  real again(real x, int complement, int depth) {
    if (depth > 0) return again(x, complement, depth - 1);
    real p = F(x);
    return complement ? log1m(p) : log(p);
  }`;

const BLOCKS = ['transformed data', 'transformed parameters', 'generated quantities'] as const;

function programOf(link: string, statements: string, block: (typeof BLOCKS)[number]): string {
  const isData = block === 'transformed data';
  const written = statements.replaceAll('F(', `${link}(`).replaceAll('U', isData ? 'd' : 'u');
  const shown = isData ? 'vector[N] shown_log = log_p; vector[N] shown_log1m = log1m_p;' : '';
  const inside = (of: string): string => (of === block ? written : '');
  return `
    functions { ${FUNCTIONS.replaceAll('F(', `${link}(`)} }
    data { int N; vector[N] d; }
    transformed data { ${inside('transformed data')} }
    parameters { vector[N] u; }
    transformed parameters { ${inside('transformed parameters')} }
    generated quantities { ${inside('generated quantities')} ${shown} }`;
}

for (const block of BLOCKS) {
  describe(`logarithms of probabilities keep their digits in ${block}`, () => {
    for (const [link, share] of LINKS) {
      for (const [way, statements] of WAYS) {
        it(`${link}, ${way}`, () => {
          const rows = TRUTH[share];
          const u = rows.map(([argument]) => argument);
          const model = modelsOf(programOf(link, statements, block))({ N: u.length, d: u });
          const names = model.constrainedNames(ALL);
          const out = new Float64Array(names.length);
          model.seedRandom(1, 1);
          model.writeArray(Float64Array.from(u), out, ALL);
          const isData = block === 'transformed data';
          for (const [n, row] of rows.entries()) {
            const expected = [row[1], row[3]];
            for (const [k, name] of (isData ? ['shown_log', 'shown_log1m'] : ['log_p', 'log1m_p']).entries()) {
              const found = out[names.indexOf(`${name}.${n + 1}`)];
              const isClose = found === expected[k] || Math.abs(found / expected[k] - 1) <= TOLERANCE;
              assert.ok(isClose, `${name} at u = ${row[0]}: ${found}, expected ${expected[k]}`);
            }
          }
        });
      }
    }
  });
}

describe('logarithms of probabilities keep their digits in scalars', () => {
  it('through a transformed parameter, in the model block and in generated quantities', () => {
    const text = `
      parameters { real u; }
      transformed parameters { real p = inv_logit(u); }
      model { target += log1m(p); }
      generated quantities { real l = log1m(p); }`;
    const model = modelsOf(text)({});
    const out = new Float64Array(3);
    model.seedRandom(1, 1);
    model.writeArray(Float64Array.of(75), out, ALL);
    assert.deepEqual([...out], [75, 1, -75]);
    assert.equal(model.logDensity(Float64Array.of(75), { propto: false, jacobian: true }), -75);
  });

  it('through a scalar of transformed data', () => {
    const text = `
      data { real d; }
      transformed data { real p = inv_logit(d); real l = log1m(p); }
      generated quantities { real shown = l; }`;
    const model = modelsOf(text)({ d: 75 });
    const out = new Float64Array(1);
    model.seedRandom(1, 1);
    model.writeArray(new Float64Array(0), out, ALL);
    assert.equal(out[0], -75);
  });
});
