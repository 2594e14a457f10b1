import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRng } from '../random/random-stream.js';
import type { Failure } from '../target.js';
import { normalTarget, TestTarget } from '../testing/targets.js';
import { descend } from './descent.js';

const rejection: Failure = { kind: 'rejection', message: 'no density' };

describe('a descent', () => {
  it('leads from the tails to near the log density of draws in few gradients', () => {
    const scales = Array.from({ length: 20 }, (_, k) => 0.1 * 1.5 ** k);
    const target = normalTarget(scales);
    const from = new Float64Array(20).fill(500);
    assert.ok(target.logDensity(from) < -2e7);
    const found = descend(target, from);
    assert.ok(found !== undefined);
    const atStart = target.logDensity(found.position);
    // The log density is 0 at the mode and -10 on average at draws.
    assert.ok(atStart > -4000, `${atStart}`);
    assert.ok(found.logDensity <= 0 && found.logDensity - atStart <= 100 * 20, `${found.logDensity}`);
    assert.ok(target.evaluations < 200, `${target.evaluations} gradients`);
  });

  it('stays where it begins if that point is typical', () => {
    const from = Float64Array.of(1, -0.5, 0.2);
    const found = descend(normalTarget([1, 1, 1]), from);
    assert.deepEqual(found?.position, from);
  });

  it('starts before a density that grows without bound, as that of hierarchical priors does', () => {
    // x ~ normal(0, exp(t)) for ten x: the density grows without bound as all x and exp(t) approach zero.
    const target = new TestTarget(11, (position, gradient) => {
      const t = position[10];
      let value = -10 * t;
      gradient[10] = -10;
      for (let k = 0; k < 10; k++) {
        const scaled = position[k] * Math.exp(-t);
        value -= 0.5 * scaled ** 2;
        gradient[k] = -scaled * Math.exp(-t);
        gradient[10] += scaled ** 2;
      }
      return value;
    });
    for (let chain = 1; chain <= 8; chain++) {
      const rng = createRng(1, chain);
      const found = descend(
        target,
        Float64Array.from({ length: 11 }, () => 4 * rng.uniform() - 2),
      );
      assert.ok(found !== undefined);
      assert.ok(found.position[10] > -3, `scale exp(${found.position[10]})`);
      assert.ok(target.logDensity(found.position) >= found.logDensity - 100 * 11);
    }
  });

  it('discards what the program prints', () => {
    const target = new TestTarget(1, ([x], gradient) => {
      target.printed = 'text';
      gradient[0] = -x;
      return -0.5 * x * x;
    });
    descend(target, Float64Array.of(10));
    assert.equal(target.takePrinted(), '');
  });

  it('is undefined if the density does not exist', () => {
    assert.equal(descend(new TestTarget(1, () => rejection), Float64Array.of(1)), undefined);
  });

  it('ends where the density ends', () => {
    const target = new TestTarget(1, ([x], gradient) => {
      if (x > 2) return rejection;
      gradient[0] = 5;
      return 5 * x;
    });
    const found = descend(target, Float64Array.of(-10));
    assert.ok(found !== undefined && found.position[0] <= 2);
    assert.ok(Number.isFinite(found.logDensity));
  });
});
