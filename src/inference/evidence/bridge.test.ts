import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bridgeEstimate } from './bridge.js';

/** Log ratios at draws of a posterior and of a proposal. */
const POSTERIOR = [
  2.3735, 3.1836, 2.1644, 4.5953, 3.3295, 2.1795, 3.4874, 3.7383, 3.5758, 2.6946, 4.5118, 3.3898, 2.3788, 0.7853,
  4.1249, 2.9551, 2.9838, 3.9438, 3.8212, 3.5939, 3.919, 3.7821, 3.0746, 1.0106,
];
const PROPOSAL = [
  2.9438, 2.1326, 2.013, 0.4351, 1.6262, 2.7015, 3.8304, 2.0767, 2.6652, 2.1354, 0.5475, 1.702, 1.7269, 2.1288, 3.52,
  3.1158, 2.0026, 1.896, 3.0364, -400,
];

/** Results of the iteration of the R package bridgesampling 1.1.2 (`.run.iterative.scheme` with the tolerance 1e-12). */
const RECORDED = [
  { effectiveDraws: 24, logConstant: 2.6583919890698 },
  { effectiveDraws: 15, logConstant: 2.64679514201044 },
];

describe('bridgeEstimate', () => {
  const ratios = (shift: number) => ({
    posterior: [Float64Array.from(POSTERIOR, (ratio) => ratio + shift)],
    proposal: Float64Array.from(PROPOSAL, (ratio) => ratio + shift),
  });

  for (const { effectiveDraws, logConstant } of RECORDED) {
    it(`equals that of bridgesampling for ${effectiveDraws} effective draws`, () => {
      const found = bridgeEstimate({ ...ratios(0), effectiveDraws });
      assert.ok(Math.abs((found?.logConstant ?? 0) - logConstant) < 1e-9);
    });
  }

  it('does not overflow for log densities far from 0', () => {
    for (const shift of [-1e5, 1e5]) {
      const near = bridgeEstimate({ ...ratios(0), effectiveDraws: 24 });
      const far = bridgeEstimate({ ...ratios(shift), effectiveDraws: 24 });
      assert.ok(Math.abs((far?.logConstant ?? 0) - shift - (near?.logConstant ?? 0)) < 1e-9);
      assert.ok(Math.abs((far?.variances.posterior ?? 0) - (near?.variances.posterior ?? 0)) < 1e-9);
      assert.ok(Math.abs((far?.variances.proposal ?? 0) - (near?.variances.proposal ?? 0)) < 1e-9);
    }
  });

  it('has no variance if the proposal is the normalized posterior', () => {
    const equal = { posterior: [new Float64Array(50).fill(3)], proposal: new Float64Array(50).fill(3) };
    assert.deepEqual(bridgeEstimate({ ...equal, effectiveDraws: 50 }), {
      logConstant: 3,
      variances: { posterior: 0, proposal: 0 },
    });
  });

  it('returns nothing if no draw of the proposal is in the support', () => {
    const proposal = new Float64Array(20).fill(Number.NEGATIVE_INFINITY);
    assert.equal(bridgeEstimate({ ...ratios(0), proposal, effectiveDraws: 24 }), undefined);
  });
});
