import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Model } from '../../src/model/model.js';
import { buildModel, compileProgram, modelsOf } from '../conformance/engine.js';
import { checkGradientOf, checkHessianOf } from './agreement.js';

/*
 * Random programs whose loops over rows become sums over the rows: compares values with the unoptimized log density, gradients with the
 * same loops that a statement prevents from being replaced, and messages if a check fails.
 */

const FORMS = [
  { propto: false, jacobian: true },
  { propto: true, jacobian: false },
];
const ROWS = 120;
const DATA = `data { int N; int K; matrix[N, K] X; vector[N] x; vector[N] z; vector[N] o; vector[N] w; vector[N] y; array[N] int c; array[N] int g; array[N] int h; }
parameters { real a; real d; vector[K] b; real r; vector[5] e; vector[3] f; }
transformed parameters { real s = 0.6 + exp(r); }`;

/** A location, written for vectors and for row n. */
const LOCATIONS = [
  ['rep_vector(a, N)', 'a'],
  ['a + d * x', 'a + d * x[n]'],
  ['x * d - a * z + o', 'x[n] * d - a * z[n] + o[n]'],
  ['a + X * b', 'a + X[n] * b'],
  ['X * b - z + (d + r) * x', 'X[n] * b - z[n] + (d + r) * x[n]'],
  ['d * (x - mean(x)) + a * (x .* x)', 'd * (x[n] - mean(x)) + a * square(x[n])'],
  ['(a + d * x) * 0.3 + z / (2 + s)', '(a + d * x[n]) * 0.3 + z[n] / (2 + s)'],
  ['d * sin(0.5 * x + r) - a * z', 'd * sin(0.5 * x[n] + r) - a * z[n]'],
  ['a + d * cos(2 * (r - x) - o)', 'a + d * cos(2 * (r - x[n]) - o[n])'],
] as const;

/** Locations with effects of groups. */
const GROUPED = [
  ['e[g]', 'e[g[n]]'],
  ['e[g] + d * x', 'e[g[n]] + d * x[n]'],
  ['a + s * e[g] + f[h] .* z', 'a + s * e[g[n]] + f[h[n]] * z[n]'],
  ['X * b + e[g] + f[h]', 'X[n] * b + e[g[n]] + f[h[n]]'],
  ['(e[g] .* z + o) * 0.3 - f[g]', '(e[g[n]] * z[n] + o[n]) * 0.3 - f[g[n]]'],
] as const;

/** Statements that add the density of outcomes to `target`; M is the location of all rows, m that of row n. */
const STATEMENTS = [
  'y ~ normal(M, s);',
  'target += normal_lpdf(y | M, s);',
  'target += -0.5 * sum(square((y - (M)) / s)) - N * log(s);',
  'target += -0.5 * sum(w .* square((y - (M)) ./ w));',
  'y ~ normal(M, 1.5);',
  'y ~ normal(M, w);',
  'w ~ lognormal(M, s);',
  'for (n in 1:N) y[n] ~ normal(m, s);',
  'for (n in 1:N) { real mu = m; target += normal_lpdf(y[n] | mu, s); }',
  'for (n in 1:N) target += w[n] * normal_lpdf(y[n] | m, s);',
  'vector[N] mu = M; y ~ normal(mu, s);',
  'vector[N] mu; for (n in 1:N) { mu[n] = m; y[n] ~ normal(mu[n], s); }',
  'vector[N] mu; vector[N] nu; for (n in 1:N) mu[n] = m; for (n in 1:N) nu[n] = mu[n] + d; y ~ normal(nu, s);',
  'vector[N] mu = M; mu[2] = 3; y ~ normal(mu, s);',
  'vector[N] mu = M; y ~ normal(mu, s); target += -square(mu[3]);',
  'vector[N] mu = M; target += -0.5 * dot_self((y - mu) ./ w / s);',
  'vector[N] mu; for (n in 1:N) mu[n] = m; for (n in 2:N) y[n] ~ normal(mu[n - 1], s);',
  'y ~ normal_id_glm(X, a, b, s);',
  'if (N > 3) y ~ normal_id_glm(X, a + d * x, b, s);',
  'target += sum(y .* (M));',
  'y ~ von_mises(a, s);',
  'target += von_mises_lpdf(y | a - d, s) + dot_product(w, sin(x - a));',
  'for (n in 1:N) target += c[n] * (m) - w[n] * s;',
  'for (n in 4:N) { real mu = m; for (k in 1:K) mu += b[k] * y[n - k]; y[n] ~ normal(mu, s); }',
  'for (n in 5:N) { real mu = m; for (k in 2:K) mu -= w[n] * z[n - k] * b[k - 1] * 0.5; target += normal_lpdf(y[n] | mu, s); }',
] as const;

/** Sums of products with effects of groups also stay: only squares are summed by group. */
const LINEAR = STATEMENTS.filter((text) => /sum\(y \.\*|c\[n\]/.test(text));
/** Statements whose location other statements need, or that read other rows. */
const KEPT = STATEMENTS.filter((text) => /mu\[2\] = 3|mu\[3\]/.test(text));

/** Products of a row and a vector that go to an element of a container, or to a second inner loop, stay. */
function hasStoredProduct(text: string): boolean {
  return /mu\[n\] = m|real mu = m; for \(k in 1/.test(text);
}

const programs = fc
  .array(fc.tuple(fc.constantFrom(...STATEMENTS), fc.constantFrom(...LOCATIONS, ...GROUPED)), {
    minLength: 1,
    maxLength: 3,
  })
  .map((parts) =>
    parts
      .map(([text, [all, one]]) => text.replaceAll('M', all).replaceAll(/\bm\b/g, one))
      .map((text) => `{ ${text} }`)
      .join('\n  '),
  );

function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

function dataOf(rows: number): Record<string, number | number[] | number[][]> {
  const next = numbers(17);
  const column = (make: () => number): number[] => Array.from({ length: rows }, make);
  return {
    N: rows,
    K: 3,
    X: column(() => 0).map(() => [next() - 0.2, 20 + next(), next()]),
    x: column(() => 2000 + 5 * next()),
    z: column(() => next() - 0.5),
    o: column(() => (next() < 0.3 ? 0 : next())),
    w: column(() => 0.25 + next()),
    y: column(() => 3 * next()),
    c: column(() => Math.floor(6 * next())),
    g: column(() => 1 + Math.floor(3 * next())),
    h: column(() => 1 + Math.floor(3 * next())),
  };
}

function positionsOf({ dimension }: Model): readonly Float64Array[] {
  return [3, 5].map((seed) => {
    const next = numbers(seed);
    return Float64Array.from({ length: dimension }, () => 2 * next() - 1);
  });
}

function close(found: number, expected: number, scale: number, what: string): void {
  assert.ok(Math.abs(found - expected) <= 1e-11 * scale, `${what}: ${found}, not ${expected}`);
}

function checkProgram(body: string): void {
  const program = `${DATA}\nmodel {\n  ${body}\n}`;
  const model = modelsOf(program)(dataOf(ROWS));
  for (const form of FORMS) {
    for (const position of positionsOf(model)) {
      const gradient = new Float64Array(model.dimension);
      const value = model.logDensityGradient(position, gradient, form);
      const plain = model.unoptimizedLogDensity(position, form);
      close(value, plain, Math.max(1, Math.abs(plain)), 'value');
      assert.equal(model.logDensity(position, form), value);
      gradient.forEach((slope, i) => {
        const [best, doubt] = derivative(model, position, i, form);
        const scale = Math.max(1, ...gradient.map(Math.abs), Math.abs(plain));
        if (doubt < 1e-9 * scale) assert.ok(Math.abs(slope - best) < 1e-7 * scale, `slope ${i}: ${slope}, not ${best}`);
      });
    }
  }
}

/** The derivative of the unoptimized log density, by Richardson extrapolation of central differences, and its error bound. */
function derivative(
  model: Model,
  position: Float64Array,
  i: number,
  form: (typeof FORMS)[0],
): readonly [number, number] {
  const difference = (h: number): number => {
    const [above, below] = [h, -h].map((step) => {
      const at = Float64Array.from(position);
      at[i] += step;
      return model.unoptimizedLogDensity(at, form);
    });
    return (above - below) / (2 * h);
  };
  const [wide, narrow, fine] = [0.02, 0.01, 0.005].map(difference);
  const [first, second] = [(4 * narrow - wide) / 3, (4 * fine - narrow) / 3];
  return [(16 * second - first) / 15, Math.abs(second - first)];
}

function isSummed(program: string): boolean {
  let found = false;
  compileProgram(program, {
    observe: ({ name, block }) => {
      if (name === 'sufficientStatistics') found ||= /"(?:residual|linear|group)_form"/.test(JSON.stringify(block));
    },
  });
  return found;
}

/** The value of an evaluation, or the message of its error. */
function outcome(evaluate: () => number): number | string {
  try {
    return evaluate();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe('sums over rows', () => {
  it('equal the unoptimized log density in random programs', () => {
    fc.assert(fc.property(programs, checkProgram), { numRuns: 100, seed: 1 });
  });

  it('are found in each statement', () => {
    const missing = STATEMENTS.filter((text) => {
      const [all, one] = LOCATIONS[1];
      const body = text.replaceAll('M', all).replaceAll(/\bm\b/g, one);
      return !isSummed(`${DATA}\nmodel { ${body} }`);
    });
    assert.deepEqual(missing, KEPT);
  });

  it('are found if a row is multiplied by a vector', () => {
    const missing = STATEMENTS.filter((text) => {
      const [all, one] = LOCATIONS[3];
      return !isSummed(`${DATA}\nmodel { ${text.replaceAll('M', all).replaceAll(/\bm\b/g, one)} }`);
    });
    assert.deepEqual(
      missing,
      [...STATEMENTS].filter((text) => KEPT.includes(text) || hasStoredProduct(text)),
    );
  });

  it('are found if a location has waves', () => {
    const waves = LOCATIONS.filter(([, one]) => /sin|cos/.test(one));
    const missing = waves.filter(([, one]) => !isSummed(`${DATA}\nmodel { for (n in 1:N) y[n] ~ normal(${one}, s); }`));
    assert.ok(waves.length > 1);
    assert.deepEqual(missing, []);
  });

  it('are found by group in each statement with squares', () => {
    for (const [all, one] of GROUPED) {
      const missing = STATEMENTS.filter((text) => {
        const body = text.replaceAll('M', all).replaceAll(/\bm\b/g, one);
        return !isSummed(`${DATA}\nmodel { ${body} }`);
      });
      assert.deepEqual(
        missing.filter(
          (text) =>
            !KEPT.includes(text) && !LINEAR.includes(text) && !(all.includes('X * b') && hasStoredProduct(text)),
        ),
        [],
        all,
      );
    }
  });

  it('of constants alone equal the unoptimized log density', () => {
    for (const loop of [
      'for (n in 3:N) t += 0.25;',
      'for (n in 1:20) t -= 0.25;',
      'for (n in 1:(N - 200)) t += 1;',
      'if (N > 3) { for (n in 1:N) t += 0.25; } else { t = sin(t); }',
    ]) {
      const compiled = compileProgram(`${DATA}\nmodel { real t = d; ${loop} target += sin(t); }`);
      checkGradientOf(buildModel(compiled, JSON.stringify(dataOf(ROWS))));
    }
  });

  it('have second derivatives', () => {
    for (const body of [
      'y ~ normal(a + X * b, s);',
      'y ~ normal(e[g] + d * x, s);',
      'y ~ normal(a + s * e[g] + f[h] .* z, s);',
      'for (n in 1:N) target += c[n] * (a * d) - w[n] * s * a;',
      'y ~ von_mises(a * d, s);',
      'y ~ normal(a + d * sin(x + r), s);',
    ]) {
      const compiled = compileProgram(`${DATA}\nmodel { ${body} }`, { secondDerivatives: true });
      assert.equal(compiled.artifact.hessian?.kind, 'exact');
      const model = buildModel(compiled, JSON.stringify(dataOf(ROWS)));
      for (const position of positionsOf(model)) assert.ok(checkHessianOf(model, position) > 4);
    }
  });

  it('change neither checks, nor their order, nor non-finite numbers', () => {
    const programs = [
      'y ~ normal(a + d * x, r);',
      'y ~ normal(a + X * b, r);',
      'for (n in 1:N) y[n] ~ normal(a + d * x[n], r);',
      'y ~ normal_id_glm(X, a, b, r);',
      'y ~ normal(e[g] + d * x, r);',
      'y ~ normal(a + f[h] .* x, r);',
      'target += -0.5 * sum(square((y - a) / r));',
    ].map((body) => `${DATA}\nmodel { ${body} }`);
    const infinite = { ...dataOf(ROWS), y: [Number.POSITIVE_INFINITY, ...Array.from({ length: ROWS - 1 }, () => 1)] };
    const missing = { ...dataOf(ROWS), y: [1, Number.NaN, ...Array.from({ length: ROWS - 2 }, () => 1)] };
    const [none, huge, least] = [Number.NaN, 1e300, 1e-170];
    const positions = [none, huge, -huge, Number.POSITIVE_INFINITY, least, 0, -1].flatMap((odd) =>
      [0, 1, 2, 5, 6, 11].map((at) => Float64Array.from({ length: 14 }, (_, i) => (i === at ? odd : 0.5))),
    );
    for (const program of programs) {
      for (const data of [dataOf(ROWS), infinite, missing]) {
        const model = modelsOf(program)(data);
        for (const position of positions) {
          const gradient = new Float64Array(model.dimension);
          const expected = outcome(() => model.unoptimizedLogDensity(position, FORMS[0]));
          const found = outcome(() => model.logDensityGradient(position, gradient, FORMS[0]));
          const where = `${program}, at ${position.join(' ')}: ${found}, not ${expected}`;
          if (typeof found !== 'number' || typeof expected !== 'number') assert.equal(found, expected, where);
          else if (!Number.isFinite(expected)) assert.equal(found, expected, where);
          else assert.ok(Math.abs(found - expected) <= 1e-11 * Math.abs(expected), where);
        }
      }
    }
  });
});
