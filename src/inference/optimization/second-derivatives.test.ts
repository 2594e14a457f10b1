import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LogDensity } from '../target.js';
import { CENTRAL, secondDerivatives } from './second-derivatives.js';

/** x²y - y², with second derivatives if they are given. */
function density(hessian?: LogDensity['hessian']): LogDensity & { gradients: number } {
  return {
    dimension: 2,
    gradients: 0,
    logDensityGradient([x, y], gradient) {
      this.gradients++;
      gradient.set([2 * x * y, x * x - 2 * y]);
      return x * x * y - y * y;
    },
    logDensity: ([x, y]) => x * x * y - y * y,
    failure: undefined,
    takePrinted: () => '',
    ...(hessian !== undefined && { hessian }),
  };
}

const AT = Float64Array.of(1.5, 0.5);
const EXACT = [1, 3, 3, -2];

function found(of: LogDensity & { gradients: number }) {
  const gradientAt = (position: Float64Array, gradient: Float64Array) => {
    of.logDensityGradient(position, gradient);
    return true;
  };
  const hessian = secondDerivatives(of, AT, gradientAt, CENTRAL);
  return { hessian: [...(hessian ?? [])], gradients: of.gradients };
}

describe('second derivatives', () => {
  it('are computed by the density, without evaluating a gradient', () => {
    const own = density((_, hessian) => {
      hessian.set(EXACT);
      return true;
    });
    assert.deepEqual(found(own), { hessian: EXACT, gradients: 0 });
  });

  it('are differences if the density has none, cannot have them, or returns infinite ones', () => {
    const infinite = (_: Float64Array, hessian: Float64Array) => {
      hessian.set([1, 3, 3, Number.POSITIVE_INFINITY]);
      return true;
    };
    for (const own of [undefined, () => false, infinite]) {
      const { gradients, hessian } = found(density(own));
      assert.equal(gradients, 4);
      for (const [k, value] of EXACT.entries()) assert.ok(Math.abs(hessian[k] - value) < 1e-8);
    }
  });

  it('do not exist where the gradient does not', () => {
    assert.equal(
      secondDerivatives(density(), AT, () => false, CENTRAL),
      undefined,
    );
  });
});
