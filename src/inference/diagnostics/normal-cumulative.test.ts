import assert from 'node:assert/strict';
import { it } from 'node:test';
import { normalCumulative } from './normal-cumulative.js';
import { normalQuantile } from './normal-quantile.js';

it('probabilities of a normal variable are accurate in the center, in both tails and between', () => {
  // Computed with mpmath 1.3, 30 digits.
  const known: readonly (readonly [z: number, probability: number])[] = [
    [-37, 5.725571222524576e-300],
    [-10, 7.619853024160527e-24],
    [-3.0001, 0.0013494549132607181],
    [-2.9999, 0.001350341282954924],
    [-0.5, 0.3085375387259869],
    [0, 0.5],
    [4, 0.9999683287581669],
  ];
  for (const [z, probability] of known) {
    assert.ok(Math.abs(normalCumulative(z) / probability - 1) < 1e-12, `${z}: ${normalCumulative(z)}`);
  }
  for (const p of [1e-9, 0.01, 0.3, 0.9]) assert.ok(Math.abs(normalCumulative(normalQuantile(p)) / p - 1) < 1e-12);
});
