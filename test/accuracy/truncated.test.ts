import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '../../src/node/package-root.js';
import { buildModel, compileProgram, readJson } from '../conformance/engine.js';

interface Recorded {
  readonly mu: number;
  /** sigma is 2^-power. */
  readonly power: number;
  /** The log density, and its derivatives with respect to mu and log(sigma). */
  readonly numbers: readonly [number, number, number];
}

const PROGRAM = `
data { real y, low, high; }
parameters { real mu; real<lower=0> sigma; }
model { y ~ normal(mu, sigma) T[low, high]; }`;
const FORM = { propto: false, jacobian: false };
/** The relative error that remains after the logarithm of sigma is rounded. */
const TOLERANCE = 1e-12;

function assertClose(ours: number, exact: number, what: string): void {
  assert.ok(Math.abs(ours - exact) <= TOLERANCE * Math.max(1, Math.abs(exact)), `${what}: ${ours}, not ${exact}`);
}

/** Far from its location, the probability of an interval underflows, but the truncated density is a normal double. */
describe('a normal density truncated far from its location', () => {
  const model = buildModel(compileProgram(PROGRAM), '{"y": 1, "low": 0, "high": 3}');
  const recorded = readJson<readonly Recorded[]>(
    join(packageRoot(import.meta.dirname), 'test/accuracy/truncated.json'),
  );
  for (const { mu, power, numbers } of recorded)
    it(`agrees with 400 digits in value and derivatives at mu = ${mu}, sigma = 2^-${power}`, () => {
      const position = Float64Array.of(mu, -power * Math.LN2);
      const gradient = new Float64Array(2);
      const [value, byLocation, byLogScale] = numbers;
      assertClose(model.logDensityGradient(position, gradient, FORM), value, 'the value beside the gradient');
      assertClose(model.unoptimizedLogDensity(position, FORM), value, 'the value of the program as written');
      assertClose(gradient[0], byLocation, 'the derivative with respect to mu');
      assertClose(gradient[1], byLogScale, 'the derivative by log(sigma)');
    });
});
