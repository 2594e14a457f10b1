import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mean, standardDeviation } from '../diagnostics/moments.js';
import { mcseMean, mcseSd } from '../diagnostics/monte-carlo-error.js';
import type { RecordingSink } from '../testing/recording-sink.js';
import { runForTest } from '../testing/run.js';
import { correlatedTarget, funnelTarget, mixtureTarget, normalTarget, TestTarget } from '../testing/targets.js';
import { findAlgorithm } from './registry.js';
import { tempered } from './tempered.js';

const COLUMNS = tempered.drawColumns.length;
const SEEDS = [1, 2, 3];

/** A quantity of the positions, by chain. */
function chainsOf(sinks: readonly RecordingSink[], quantity: (position: Float64Array) => number): Float64Array[] {
  return sinks.map(({ draws }) => Float64Array.from(draws, (draw) => quantity(draw.subarray(COLUMNS))));
}

function runAll(make: () => TestTarget, given: Record<string, unknown> = {}): RecordingSink[] {
  return [1, 2].map((chain) => runForTest(tempered, make(), { ...given, chain }).sink);
}

function evidenceOf({ lines }: RecordingSink): { readonly logEvidence: number; readonly error: number } {
  const [, logEvidence, error] =
    /Log evidence: (\S+) \(standard error (\S+)\)\./.exec(lines.find((line) => line.includes('Log evidence')) ?? '') ??
    [];
  return { logEvidence: Number(logEvidence), error: Number(error) };
}

describe('parallel tempering', () => {
  const narrow = () =>
    mixtureTarget(10, [
      { weight: 0.5, mean: 0, scale: 1 },
      { weight: 0.5, mean: 2, scale: 0.6 },
    ]);
  const minor = () =>
    mixtureTarget(2, [
      { weight: 0.95, mean: 0, scale: 1 },
      { weight: 0.05, mean: 8, scale: 1 },
    ]);
  const cases = [
    { name: 'a narrow mode with half of the mass, in ten dimensions', make: narrow, middle: 1.2, share: 0.5 },
    { name: 'a mode with 5 % of the mass', make: minor, middle: 4, share: 0.05 },
  ];
  for (const { make, middle, name, share } of cases) {
    it(`finds ${name}, with its weight and the evidence`, () => {
      for (const random_seed of SEEDS) {
        const sinks = runAll(make, { random_seed });
        const chains = chainsOf(sinks, (position) => (mean(position) > middle ? 1 : 0));
        for (const chain of chains) assert.ok(mean(chain) > share / 5, `seed ${random_seed}: ${mean(chain)}`);
        const found = mean(chains.flatMap((chain) => [...chain]));
        assert.ok(Math.abs(found - share) < 4 * mcseMean(chains), `seed ${random_seed}: ${found}`);
        for (const sink of sinks) {
          const { error, logEvidence } = evidenceOf(sink);
          assert.ok(error < 0.1 && Math.abs(logEvidence) < 4 * error, `${logEvidence} (${error})`);
        }
      }
    });
  }

  it('is not replaced by four chains of the default sampler, which can agree without these modes', () => {
    const nuts = findAlgorithm('hmc_nuts_diag_e_adapt');
    assert.ok(nuts !== undefined);
    for (const { make, middle } of cases) {
      const isMissed = [1, 2, 3, 4, 5, 6, 7, 8].some((random_seed) => {
        const runs = [1, 2, 3, 4].map((chain) => runForTest(nuts, make(), { chain, random_seed }).sink.draws);
        return runs.flat().every((draw) => mean(draw.subarray(nuts.drawColumns.length)) < middle);
      });
      assert.ok(isMissed);
    }
  });

  const accuracy = [
    { name: 'normals of different scales', make: () => normalTarget([0.5, 1, 200]), sds: [0.5, 1, 200] },
    { name: 'a correlated normal', make: () => correlatedTarget(0.9), sds: [1, 1] },
  ];
  for (const { make, name, sds } of accuracy) {
    it(`samples ${name} with the right means and standard deviations`, () => {
      const sinks = runAll(make);
      for (const [index, sd] of sds.entries()) {
        const chains = chainsOf(sinks, (position) => position[index]);
        const draws = chains.flatMap((chain) => [...chain]);
        assert.ok(Math.abs(mean(draws)) < 4 * mcseMean(chains));
        assert.ok(Math.abs(standardDeviation(draws) - sd) < 4.5 * mcseSd(chains));
      }
    });
  }

  it('estimates log evidences of closed form', () => {
    const closed = [
      { make: () => normalTarget([0.5, 1, 200]), logEvidence: 1.5 * Math.log(2 * Math.PI) + Math.log(100) },
      { make: () => correlatedTarget(0.9), logEvidence: Math.log(2 * Math.PI * Math.sqrt(1 - 0.9 ** 2)) },
      { make: funnelTarget, logEvidence: Math.log(2 * Math.PI) },
    ];
    for (const { logEvidence, make } of closed) {
      const found = evidenceOf(runForTest(tempered, make()).sink);
      assert.ok(Math.abs(found.logEvidence - logEvidence) < 4 * found.error, `${found.logEvidence} ${logEvidence}`);
    }
  });

  it('includes terms that the log density of draws lacks in the evidence', () => {
    class WithConstant extends TestTarget {
      override logDensity(position: Float64Array): number {
        return super.logDensity(position) + 100;
      }
    }
    const evaluate = ([x]: Float64Array, gradient: Float64Array) => {
      gradient[0] = -x;
      return -0.5 * x * x;
    };
    const found = evidenceOf(runForTest(tempered, new WithConstant(1, evaluate), { num_warmup: 200 }).sink);
    assert.ok(Math.abs(found.logEvidence - 100 - 0.5 * Math.log(2 * Math.PI)) < 4 * found.error);
  });

  const short = { num_warmup: 100, num_samples: 60 };

  it('continues bit for bit, and after an interruption in the middle of an iteration', () => {
    const whole = runForTest(tempered, minor(), short).sink;
    let calls = 0;
    const counting = () => ++calls > limit;
    let limit = Number.POSITIVE_INFINITY;
    runForTest(tempered, minor(), short, { interrupt: counting });
    const total = calls;
    const limits = [0.8, 0.85, 0.9, 0.95].map((share) => {
      calls = 0;
      limit = Math.floor(share * total);
      const first = runForTest(tempered, minor(), short, { interrupt: counting });
      assert.ok(first.outcome.status === 'interrupted' && first.outcome.end !== undefined);
      const { end } = first.outcome;
      const num_samples = short.num_samples - end.iterations;
      const second = runForTest(tempered, minor(), { ...short, num_samples }, { continued: end });
      assert.deepEqual([...first.sink.draws, ...second.sink.draws], whole.draws);
      assert.deepEqual([...first.sink.diagnostics, ...second.sink.diagnostics], whole.diagnostics);
      return end.iterations;
    });
    assert.ok(
      limits.every((iterations) => iterations > 0 && iterations < short.num_samples),
      limits.join(),
    );
  });

  it('does not continue a chain of another density or sampler', () => {
    const { outcome } = runForTest(tempered, minor(), short);
    assert.ok(outcome.status === 'completed' && outcome.end !== undefined);
    const other = runForTest(tempered, normalTarget([1, 2]), short, { continued: outcome.end });
    assert.match(other.outcome.status === 'failed' ? other.outcome.message : '', /log density at its last position/);
    const { further: _, ...end } = outcome.end;
    const without = runForTest(tempered, minor(), short, { continued: end });
    assert.match(without.outcome.status === 'failed' ? without.outcome.message : '', /not those of the sampler/);
  });

  it('draws without warmup, and from a target without parameters', () => {
    const { outcome, sink } = runForTest(tempered, normalTarget([1]), { num_warmup: 0, num_samples: 20 });
    assert.equal(outcome.status, 'completed');
    assert.equal(sink.draws.length, 20);
    assert.equal(runForTest(tempered, normalTarget([]), short).outcome.status, 'completed');
  });

  it('never uses more than the maximum number of temperatures', () => {
    const scales = Array.from({ length: 20 }, () => 1);
    for (const max_temperatures of [2, 5]) {
      const { lines } = runForTest(tempered, normalTarget(scales), { ...short, max_temperatures }).sink;
      const listed = lines.find((line) => line.includes('Inverse temperatures')) ?? '';
      assert.ok(listed.split(', ').length <= max_temperatures, listed);
    }
  });

  it('warns about few round trips', () => {
    const warnings = (given: Record<string, unknown>) =>
      runForTest(tempered, minor(), given).sink.lines.filter((line) => line.includes('fewer than 10 round trips'));
    assert.equal(warnings({ num_warmup: 100, num_samples: 4 }).length, 1);
    assert.equal(warnings({ num_warmup: 300, num_samples: 300 }).length, 0);
  });

  it('ends with an error of the program', () => {
    let evaluations = 0;
    const target = new TestTarget(1, ([x], gradient) => {
      if (++evaluations > 2000) return { kind: 'error', message: 'index out of range' };
      gradient[0] = -x;
      return -0.5 * x * x;
    });
    const { outcome } = runForTest(tempered, target, short);
    assert.deepEqual(outcome, { status: 'failed', message: 'index out of range' });
  });
});
