import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mean } from '../../diagnostics/moments.js';
import { runForTest } from '../../testing/run.js';
import { normalTarget, TestTarget } from '../../testing/targets.js';
import type { Algorithm } from '../algorithm.js';
import { hmcAlgorithms } from './hmc.js';

const diagonal = algorithmNamed('hmc_nuts_diag_e_adapt');
const lowRank = algorithmNamed('hmc_nuts_low_rank_adapt');
const SAMPLERS: readonly { readonly name: string; readonly algorithm: Algorithm; readonly given: object }[] = [
  { name: 'the Fisher diagonal metric', algorithm: diagonal, given: { adapt_metric: 'fisher' } },
  { name: 'the low-rank metric', algorithm: lowRank, given: {} },
];
const SHORT = { num_warmup: 300, num_samples: 300 };

/** A standard normal with steep walls outside of [-1, 1], as in autoregressions that are not stationary. */
function steepTarget(): TestTarget {
  return new TestTarget(2, (position, gradient) =>
    position.reduce((sum, x, i) => {
      const wall = Math.abs(x) > 1 ? x ** 300 - 1 : 0;
      gradient[i] = -x - (wall === 0 ? 0 : 300 * x ** 299);
      return sum - 0.5 * x * x - wall;
    }, 0),
  );
}

/** Neal's funnel in two dimensions: y ~ normal(0, 3), x ~ normal(0, exp(y / 2)). */
function narrowTarget(): TestTarget {
  return new TestTarget(2, ([y, x], gradient) => {
    const precision = Math.exp(-y);
    gradient[0] = -y / 9 - 0.5 + 0.5 * x * x * precision;
    gradient[1] = -x * precision;
    return -0.5 * ((y * y) / 9 + y + x * x * precision);
  });
}

const shortened = (lines: readonly string[]) =>
  lines.filter((line) => line.includes('Warmup ends where steps are short'));
const raised = (lines: readonly string[]) => lines.filter((line) => line.includes('delta is raised'));

for (const { algorithm, given, name } of SAMPLERS) {
  describe(`${name}, which is learned from gradients`, () => {
    it('leaves the far tails before the first iteration', () => {
      for (const chain of [1, 2, 3, 4]) {
        const { sink } = runForTest(algorithm, steepTarget(), { ...given, ...SHORT, delta: 0.95, chain });
        assert.ok(mean(Float64Array.from(sink.draws, ([logDensity]) => logDensity)) > -2, `chain ${chain}`);
      }
    });

    it('raises delta once if transitions diverge in warmup, and reports it', () => {
      const { sink } = runForTest(algorithm, narrowTarget(), { ...given, ...SHORT, num_warmup: 1000 });
      assert.deepEqual(raised(sink.lines), [
        'info:Transitions diverge: delta is raised from 0.8 to 0.95 for this chain.',
      ]);
    });

    it('keeps delta and the averaged step size otherwise', () => {
      const { sink } = runForTest(algorithm, normalTarget([1, 2]), { ...given, ...SHORT });
      assert.deepEqual([...raised(sink.lines), ...shortened(sink.lines)], []);
    });
  });
}

describe('a chain whose warmup ends in a narrow region', () => {
  it('shortens its steps, so that it can leave', () => {
    const { sink } = runForTest(lowRank, narrowTarget(), { ...SHORT, random_seed: 46 });
    assert.deepEqual(shortened(sink.lines), [
      'info:Warmup ends where steps are short: the step size is reduced from 0.201137 to 0.0251422 for this chain.',
    ]);
    const rejections = sink.draws.filter(([logDensity], k) => k > 0 && logDensity === sink.draws[k - 1][0]);
    assert.ok(rejections.length < 10);
  });
});

describe("Stan's metric", () => {
  it('keeps random starts and delta', () => {
    const { sink } = runForTest(diagonal, narrowTarget(), { ...SHORT, num_warmup: 1000, save_warmup: true });
    assert.deepEqual(raised(sink.lines), []);
    const target = normalTarget([1e-3]);
    const start = runForTest(diagonal, target, { num_warmup: 0, num_samples: 1, stepsize: 1e-9 });
    const [[initial]] = start.sink.initializations;
    // With a step of this size, the chain hardly moves.
    assert.ok(Math.abs(initial) > 0.1);
  });
});

function algorithmNamed(name: string): Algorithm {
  const found = hmcAlgorithms.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no algorithm ${name}`);
  return found;
}
