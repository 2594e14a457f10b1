import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Stopped } from '../../test/support/evaluate.js';
import { evaluate, int, ints, parameter, real, tilde, vector } from '../../test/support/evaluated-call.js';
import type { Statement } from '../ir/nodes.js';
import { visitExpressions, visitStatements } from '../ir/walk.js';

const LOG_TWO_PI = Math.log(2 * Math.PI);

function near(found: unknown, expected: number): void {
  assert.ok(typeof found === 'number', `${found} is not a number`);
  assert.ok(
    Math.abs(found - expected) <= 1e-12 * Math.max(1, Math.abs(expected)),
    `found ${found}, expected ${expected}`,
  );
}

function message(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof Stopped) return error.message;
    throw error;
  }
  return 'no error';
}

/** The kernels that the loops of a block call. */
function kernelsInLoops(block: readonly Statement[]): string[] {
  const names: string[] = [];
  visitStatements(block, (statement) => {
    if (statement.kind !== 'for') return;
    visitExpressions(statement, (node) => {
      if (node.kind === 'apply') names.push(node.op);
    });
  });
  return names;
}

const normal = (y: number, mu: number, sigma: number): number =>
  -0.5 * LOG_TWO_PI - Math.log(sigma) - 0.5 * ((y - mu) / sigma) ** 2;

test('a density of containers is the sum over their elements, with scalars repeated', () => {
  const expected = normal(1, 0.5, 2) + normal(3, 0.5, 2) + normal(-2, 0.5, 2);
  near(evaluate('normal_lpdf', vector(1, 3, -2), real(0.5), real(2)).value, expected);
  near(evaluate('normal_lpdf', real(1), vector(0, 1), vector(1, 2)).value, normal(1, 0, 1) + normal(1, 1, 2));
});

test('the log density of an empty outcome is 0', () => {
  near(evaluate('normal_lpdf', vector(), real(0), real(1)).value, 0);
});

test('expressions of scalars are computed before the loop', () => {
  const { block } = tilde('normal_lpdf', vector(1, 2), parameter(real(0)), parameter(real(1)));
  const inLoops = kernelsInLoops(block);
  assert.ok(!inLoops.includes('log') && !inLoops.includes('div'), inLoops.join(' '));
});

test('a term linear in the data is a sum of the data times a factor', () => {
  const { kept, block } = tilde('poisson_lpmf', ints(3, 0, 2), parameter(real(1.5)));
  near(kept, 5 * Math.log(1.5) - 4.5);
  assert.ok(!kernelsInLoops(block).includes('log'), 'log is inside a loop');
});

test('~ keeps terms with an argument that is not data', () => {
  const y = vector(1, 3);
  const [mu, sigma] = [real(0.5), real(2)];
  const quadratic = -0.5 * ((0.5 / 2) ** 2 + (2.5 / 2) ** 2);

  const byLocation = tilde('normal_lpdf', y, parameter(mu), sigma);
  near(byLocation.kept, quadratic);
  near(byLocation.constants, -LOG_TWO_PI - 2 * Math.log(2));

  const byScale = tilde('normal_lpdf', y, mu, parameter(sigma));
  near(byScale.kept, quadratic - 2 * Math.log(2));

  const ofData = tilde('normal_lpdf', y, mu, sigma);
  near(ofData.kept, 0);
  near(ofData.constants, normal(1, 0.5, 2) + normal(3, 0.5, 2));
});

test('an argument outside its domain stops with its name, location and value', () => {
  assert.equal(
    message(() => evaluate('normal_lpdf', vector(1, 2), real(0), vector(1, -1))),
    'normal_lpdf: Scale parameter[2] is -1, but must be positive!',
  );
  assert.equal(
    message(() => evaluate('normal_lpdf', vector(1, 2), real(Number.POSITIVE_INFINITY), real(1))),
    'normal_lpdf: Location parameter is inf, but must be finite!',
  );
  assert.equal(
    message(() => evaluate('binomial_lpmf', int(5), int(4), real(0.5))),
    'binomial_lpmf: Successes variable is 5, but must be in the interval [0, 4]',
  );
});

test('arguments are checked in order, parameters in the same loop', () => {
  const run = (): unknown =>
    evaluate('normal_lpdf', vector(1, 2), parameter(vector(0, Number.NaN)), parameter(real(-1)));
  assert.equal(message(run), 'normal_lpdf: Location parameter[2] is nan, but must be finite!');
});

test('containers of different sizes are rejected', () => {
  assert.equal(
    message(() => evaluate('normal_lpdf', vector(1, 2, 3), vector(1, 2), real(1))),
    'normal_lpdf: Random variable has size = 3, but Location parameter has size 2; and they must be the same size.',
  );
});

test('the log density is negative infinity outside the support', () => {
  assert.equal(evaluate('uniform_lpdf', real(2), real(0), real(1)).value, Number.NEGATIVE_INFINITY);
  assert.equal(evaluate('weibull_lpdf', vector(1, -1), real(2), real(1)).value, Number.NEGATIVE_INFINITY);
});

test('a distribution function of several elements is a product, its logarithm a sum', () => {
  const each = [1 - Math.exp(-0.5), 1 - Math.exp(-1)];
  near(evaluate('exponential_cdf', vector(1, 2), real(0.5)).value, each[0] * each[1]);
  near(evaluate('exponential_lcdf', vector(1, 2), real(0.5)).value, Math.log(each[0]) + Math.log(each[1]));
  near(evaluate('exponential_lccdf', vector(1, 2), real(0.5)).value, -1.5);
});

test('random numbers: a scalar for scalars, an array for containers', () => {
  const { value } = evaluate('normal_rng', vector(-100, 100), real(1));
  assert.ok(Array.isArray(value) && value.length === 2 && value[0] < -90 && value[1] > 90, String(value));
  assert.equal(evaluate('bernoulli_rng', real(1)).value, 1);
  assert.equal(
    message(() => evaluate('binomial_rng', ints(3, -1), real(0.5))),
    'binomial_rng: Population size parameter[2] is -1, but must be nonnegative!',
  );
});

test('counts outside the support are treated separately in a distribution function of several elements', () => {
  const lccdf = (name: string, counts: number[], parameter: number): unknown =>
    evaluate(`${name}_lccdf`, ints(...counts), real(parameter)).value;
  near(lccdf('bernoulli', [-1, 0], 0.3), Math.log(0.3));
  near(lccdf('poisson', [-1, 0], 2), Math.log1p(-Math.exp(-2)));
  near(lccdf('yule_simon', [0, 1], 1.5), -Math.log(2.5));
  assert.equal(lccdf('bernoulli', [0, 1], 0.3), Number.NEGATIVE_INFINITY);
  near(evaluate('beta_binomial_cdf', ints(-1, 3, 5), ints(4, 4, 4), real(2), real(3)).value, 0);
  near(evaluate('beta_binomial_lcdf', ints(4, 5, 0), ints(4, 4, 1), real(2), real(3)).value, Math.log(0.6));
});

test('an interval of integers may span all ints', () => {
  const [least, most] = [-2147483648, 2147483647];
  near(evaluate('discrete_range_lpmf', int(5), int(least), int(most)).value, -32 * Math.LN2);
  near(evaluate('discrete_range_cdf', int(-1), int(least), int(most)).value, 0.5);
});
