import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRng } from '../random/random-stream.js';
import type { Failure } from '../target.js';
import { normalTarget, TestTarget } from '../testing/targets.js';
import { descend } from './descent.js';

const rejection: Failure = { kind: 'rejection', message: 'no density' };

describe('a descent', () => {
  it('leads from the tails to near the log density of draws in few evaluations', () => {
    const scales = Array.from({ length: 20 }, (_, k) => 0.1 * 1.5 ** k);
    const target = normalTarget(scales);
    const from = new Float64Array(20).fill(500);
    assert.ok(target.logDensity(from) < -2e7);
    const found = descend(target, from, createRng(1, 1));
    assert.ok(found !== undefined);
    const atStart = target.logDensity(found.position);
    // The log density is 0 at the mode and -10 on average at draws.
    assert.ok(atStart > -100, `${atStart}`);
    assert.ok(target.evaluations < 600, `${target.evaluations} evaluations`);
  });

  it('estimates the log of the mass', () => {
    const mass = Math.log(0.5 * 2 * 3) + 1.5 * Math.log(2 * Math.PI);
    for (let chain = 1; chain <= 8; chain++) {
      const found = descend(normalTarget([0.5, 2, 3]), Float64Array.of(9, -5, 7), createRng(1, chain));
      assert.ok(found !== undefined && Math.abs(found.logMass - mass) < 1, `${found?.logMass}, not ${mass}`);
    }
  });

  it('starts where the mass of a hierarchical prior is, not at its mode', () => {
    // t ~ normal(0, 1), x ~ normal(0, exp(t)) for ten x: the mode is at x = 0, t = -10.
    const target = new TestTarget(11, (position, gradient) => {
      const t = position[10];
      let value = -10 * t - 0.5 * t ** 2;
      gradient[10] = -10 - t;
      for (let k = 0; k < 10; k++) {
        const scaled = position[k] * Math.exp(-t);
        value -= 0.5 * scaled ** 2;
        gradient[k] = -scaled * Math.exp(-t);
        gradient[10] += scaled ** 2;
      }
      return value;
    });
    for (let chain = 1; chain <= 20; chain++) {
      const rng = createRng(1, chain);
      const from = Float64Array.from({ length: 11 }, () => 4 * rng.uniform() - 2);
      const found = descend(target, from, rng);
      assert.ok(found !== undefined);
      assert.ok(Math.abs(found.position[10]) < 4, `t = ${found.position[10]}`);
    }
  });

  it('discards what the program prints', () => {
    const target = new TestTarget(1, ([x], gradient) => {
      target.printed = 'text';
      gradient[0] = -x;
      return -0.5 * x * x;
    });
    descend(target, Float64Array.of(10), createRng(1, 1));
    assert.equal(target.takePrinted(), '');
  });

  it('is undefined if the density does not exist', () => {
    assert.equal(descend(new TestTarget(1, () => rejection), Float64Array.of(1), createRng(1, 1)), undefined);
  });

  it('ends where the density ends', () => {
    const target = new TestTarget(1, ([x], gradient) => {
      if (x > 2) return rejection;
      gradient[0] = 5;
      return 5 * x;
    });
    const found = descend(target, Float64Array.of(-10), createRng(1, 1));
    assert.ok(found !== undefined && found.position[0] <= 2);
  });
});
