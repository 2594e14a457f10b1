import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRng } from '../random/random-stream.js';
import { energyFraction, RunningEnergy } from './energy.js';

describe('the running estimate of E-BFMI', () => {
  it('equals that of all draws to six digits', () => {
    const rng = createRng(1, 1);
    const energies = Float64Array.from({ length: 500 }, () => 1e6 + rng.normal());
    const running = new RunningEnergy();
    for (const [index, energy] of energies.entries()) {
      running.add(energy);
      if (index === 0) assert.ok(Number.isNaN(running.fraction));
      else {
        const whole = energyFraction(energies.subarray(0, index + 1));
        assert.ok(Math.abs(running.fraction / whole - 1) < 1e-6, `${running.fraction} and ${whole} of ${index + 1}`);
      }
    }
  });
});
