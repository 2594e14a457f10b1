import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { close, compareEvidence, compile, type LogEvidence, openFit, RequestError, RunError } from 'leapfrog';
import { choleskyFactor, solveLower } from '../../src/inference/linear/cholesky.js';

interface Conjugate {
  readonly name: string;
  readonly program: string;
  readonly data: Readonly<Record<string, number | readonly number[]>>;
  /** The exact log evidence. */
  readonly truth: number;
}

const LOG_TWO_PI = Math.log(2 * Math.PI);

/** log (n - 1)! */
function logGamma(n: number): number {
  let sum = 0;
  for (let k = 2; k < n; k++) sum += Math.log(k);
  return sum;
}

/** The log density of a multivariate normal distribution with mean 0. */
function logNormal(y: readonly number[], covariance: (i: number, j: number) => number): number {
  const size = y.length;
  const matrix = Float64Array.from({ length: size * size }, (_, k) => covariance(Math.floor(k / size), k % size));
  const factor = choleskyFactor(matrix, size);
  assert.ok(factor !== undefined);
  const scores = Float64Array.from(y);
  solveLower(factor, scores);
  return scores.reduce(
    (sum, score, k) => sum - 0.5 * (score * score + LOG_TWO_PI) - Math.log(factor[k * (size + 1)]),
    0,
  );
}

const Y = [0.3, -1.2, 2.1, 0.8, 1.9, -0.4, 1.1, 0.6, 2.7, -0.9, 1.4, 0.2];
const X = [-1.1, -0.9, -0.7, -0.5, -0.3, -0.1, 0.1, 0.3, 0.5, 0.7, 0.9, 1.1];
const GROUPS = [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4];
const COUNTS = [7, 2, 4];

const normal: Conjugate = {
  name: 'a normal mean',
  program: `data { int N; vector[N] y; } parameters { real mu; }
model { mu ~ normal(0, 2); y ~ normal(mu, 1.5); }`,
  data: { N: Y.length, y: Y },
  truth: logNormal(Y, (i, j) => 4 + (i === j ? 2.25 : 0)),
};

const binomial: Conjugate = {
  name: 'a probability',
  program:
    'data { int n; int y; } parameters { real<lower=0, upper=1> p; } model { p ~ beta(2, 3); y ~ binomial(n, p); }',
  data: { n: 12, y: 9 },
  truth:
    logGamma(13) -
    logGamma(10) -
    logGamma(4) +
    logGamma(11) +
    logGamma(6) -
    logGamma(17) -
    logGamma(2) -
    logGamma(3) +
    logGamma(5),
};

const simplex: Conjugate = {
  name: 'a simplex',
  program: `data { array[3] int y; } parameters { simplex[3] theta; }
model { theta ~ dirichlet([2, 1, 3]'); y ~ multinomial(theta); }`,
  data: { y: COUNTS },
  truth:
    logGamma(14) -
    COUNTS.reduce((sum, count) => sum + logGamma(count + 1), 0) +
    logGamma(6) -
    logGamma(2) -
    logGamma(1) -
    logGamma(3) +
    logGamma(9) +
    logGamma(3) +
    logGamma(7) -
    logGamma(19),
};

/** Slopes have the prior normal(0, 2 σ), and σ² has the prior inv_gamma(3, 2). */
function regressionTruth(): number {
  const count = Y.length;
  const [a, b] = [3, 2];
  // The quadratic form and the determinant of the covariance matrix of y, divided by σ².
  const unit = (i: number, j: number) => 4 * (1 + X[i] * X[j]) + (i === j ? 1 : 0);
  const logDensity = logNormal(Y, unit);
  const logDeterminant =
    -2 *
      logNormal(
        Y.map(() => 0),
        unit,
      ) -
    count * LOG_TWO_PI;
  const squares = -2 * logDensity - logDeterminant - count * LOG_TWO_PI;
  const shape = a + count / 2;
  return (
    -0.5 * count * LOG_TWO_PI -
    0.5 * logDeterminant +
    a * Math.log(b) -
    shape * Math.log(b + squares / 2) +
    logGamma(shape) -
    logGamma(a)
  );
}

const regression: Conjugate = {
  name: 'a linear regression',
  program: `data { int N; vector[N] x; vector[N] y; } parameters { vector[2] b; real<lower=0> v; }
model { v ~ inv_gamma(3, 2); b ~ normal(0, 2 * sqrt(v)); y ~ normal(b[1] + b[2] * x, sqrt(v)); }`,
  data: { N: Y.length, x: X, y: Y },
  truth: regressionTruth(),
};

const mixed: Conjugate = {
  name: 'a linear mixed model with known variances',
  program: `data { int N; array[N] int g; vector[N] y; } parameters { real mu; vector[4] u; }
model { mu ~ normal(0, 3); u ~ normal(0, 0.8); y ~ normal(mu + u[g], 1.1); }`,
  data: { N: Y.length, g: GROUPS, y: Y },
  truth: logNormal(Y, (i, j) => 9 + (GROUPS[i] === GROUPS[j] ? 0.64 : 0) + (i === j ? 1.21 : 0)),
};

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];

async function estimates({ data, program }: Conjugate, seeds = SEEDS): Promise<readonly LogEvidence[]> {
  const model = await compile(program);
  return Promise.all(
    seeds.map(async (random_seed) => {
      const fit = await model.sample({ data, num_chains: 4, random_seed }).result();
      return model.logEvidence(fit, data, { random_seed });
    }),
  );
}

describe('the log evidence', () => {
  after(() => close());

  for (const each of [normal, binomial, simplex, regression, mixed]) {
    it(`of ${each.name} is exact within its standard error`, async () => {
      const found = await estimates(each);
      const errors = found.map(({ logEvidence, standardError }) => (logEvidence - each.truth) / standardError);
      const size = Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / errors.length);
      const text = `${size}: ${found.map(({ logEvidence }) => logEvidence)} for ${each.truth}`;
      assert.ok(size > 0.4 && size < 1.7, text);
      for (const { message, ok, standardError } of found) assert.ok(ok && standardError < 0.05, message);
    });
  }

  it('is the same number for the same seed', async () => {
    const [first, again] = await estimates(regression, [3, 3]);
    assert.deepEqual(first, again);
  });

  it('compares models of the same data', async () => {
    const flat = { ...normal, program: normal.program.replace('mu ~ normal(0, 2)', 'mu ~ normal(5, 0.5)') };
    const [[wide], [narrow]] = [await estimates(normal, [1]), await estimates(flat, [1])];
    const truth =
      normal.truth -
      logNormal(
        Y.map((y) => y - 5),
        (i, j) => 0.25 + (i === j ? 2.25 : 0),
      );
    const { cautions, models } = compareEvidence({ narrow, wide });
    assert.deepEqual(
      models.map(({ name }) => name),
      ['wide', 'narrow'],
    );
    assert.ok(Math.abs(models[1].logBayesFactor + truth) < 5 * models[1].bayesFactorError);
    assert.deepEqual(cautions, []);
    assert.throws(() => compareEvidence({ narrow, wide: { ...wide, observed: [] } }, { other: 1 }), RequestError);
  });

  it('warns about priors that do not integrate to 1', async () => {
    const program = `data { int N; vector[N] y; } parameters { real mu; real<lower=0> sigma; }
model { sigma ~ normal(0, 2); y ~ normal(mu, sigma); }`;
    const [{ message, ok }] = await estimates({ ...normal, program }, [1]);
    assert.ok(!ok);
    assert.match(message, /^mu: without a proper prior, the program has no evidence/);
    assert.match(message, /sigma: the prior has mass outside of the declared bounds/);
  });

  it('warns about chains in different modes', async () => {
    const program = `parameters { real x; }
model { target += log_mix(0.5, normal_lpdf(x | -20, 1), normal_lpdf(x | 20, 1)); }`;
    const model = await compile(program);
    const init = [{ x: -20 }, { x: 20 }, { x: 20 }, { x: 20 }];
    const { message, ok } = await model.logEvidence(
      await model.runMethod('sample', { num_chains: 4, random_seed: 1, init }).result(),
    );
    assert.ok(!ok);
    assert.match(message, /R-hat is above 1\.01 for one unconstrained parameter, x /);
  });

  it('refuses draws that are not from the posterior', async () => {
    const model = await compile(normal.program);
    const { data } = normal;
    const fit = await model.sample({ data, num_chains: 2, random_seed: 1 }).result();
    const refused = (text: RegExp) => (error: unknown) => error instanceof RunError && text.test(error.message);
    await assert.rejects(model.logEvidence(fit, { N: 2, y: [9, 9] }), refused(/differs from lp__ .* other data/));
    await assert.rejects(
      model.logEvidence(await model.prior({ data, num_chains: 2, random_seed: 1 }).result(), data),
      refused(/differs from lp__/),
    );
    const mode = await model.optimize({ data, random_seed: 1 }).result();
    await assert.rejects(model.logEvidence(mode, data), refused(/draw more samples/));
    const laplace = await model.laplace({ data, mode, random_seed: 1 }).result();
    await assert.rejects(model.logEvidence(laplace, data), refused(/from an approximation/));
    const other = await compile('parameters { real c; } model { c ~ normal(0, 1); }');
    await assert.rejects(other.logEvidence(fit), refused(/the draws lack the parameter c/));
  });

  it('warns about draws with few digits', async () => {
    const model = await compile('parameters { real x; } model { x ~ normal(1000, 0.002); }');
    const fit = await model.sample({ num_chains: 4, random_seed: 1, init: { x: 1000 } }).result();
    const contents = fit.contents();
    const rounded = (digits: number) =>
      openFit({
        ...contents,
        chains: contents.chains.map((chain) => ({
          ...chain,
          values: chain.values.map((value) => Number(value.toPrecision(digits))),
        })),
      });
    assert.equal((await model.logEvidence(fit)).ok, true);
    assert.match((await model.logEvidence(rounded(6))).message, /the numbers of the draws have too few digits/);
    await assert.rejects(model.logEvidence(rounded(5)), RunError);
  });
});
