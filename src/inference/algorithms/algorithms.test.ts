import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mean, standardDeviation } from '../diagnostics/moments.js';
import { mcseMean, mcseSd } from '../diagnostics/monte-carlo-error.js';
import { rhat } from '../diagnostics/rhat.js';
import { noInitialValues } from '../target.js';
import type { RecordingSink } from '../testing/recording-sink.js';
import { runForTest } from '../testing/run.js';
import { correlatedTarget, funnelTarget, normalTarget, TestTarget } from '../testing/targets.js';
import type { Algorithm } from './algorithm.js';
import { readArguments } from './arguments.js';
import { fixedParam } from './fixed-param.js';
import { hmcAlgorithms } from './hmc/hmc.js';
import { algorithms, findAlgorithm, functionNames } from './registry.js';

const nuts = algorithmNamed('hmc_nuts_diag_e_adapt');
const columns = nuts.drawColumns.length;

describe('samplers of Hamiltonian Monte Carlo', () => {
  const tuned: Readonly<Record<string, unknown>> = { stepsize: 0.25 };
  const accuracy = [
    { name: 'normals of different scales', make: () => normalTarget([0.5, 1, 2]), sds: [0.5, 1, 2] },
    { name: 'a correlated normal', make: () => correlatedTarget(0.9), sds: [1, 1] },
  ];
  for (const algorithm of hmcAlgorithms) {
    const { drawColumns, name: sampler } = algorithm;
    for (const { name, make, sds } of accuracy) {
      it(`${sampler} samples ${name} with the right means and standard deviations`, () => {
        const given = {
          num_samples: 2000,
          ...(sampler.endsWith('adapt') ? {} : tuned),
          ...(sampler.includes('static') ? { int_time: 2, stepsize_jitter: 0.3 } : {}),
        };
        const runs = [1, 2, 3, 4].map((chain) => runForTest(algorithm, make(), { ...given, chain }));
        matches(runs, drawColumns.length, sds);
      });
    }

    it(`${sampler} reports its own energy and acceptance`, () => {
      const { sink } = runForTest(algorithm, normalTarget([1, 2]), { num_samples: 50, stepsize: 0.3 });
      const energy = drawColumns.length - 1;
      assert.equal(drawColumns[energy], 'energy__');
      const [{ inverseMetric, stepSize }] = sink.adaptations;
      const [v0, v01, v10, v1] =
        inverseMetric.length === 4 ? inverseMetric : [inverseMetric[0], 0, 0, inverseMetric[1]];
      sink.draws.forEach((draw, i) => {
        const [, , pa, pb] = sink.diagnostics[i].subarray(drawColumns.length);
        near(draw[energy], 0.5 * (pa * pa * v0 + pa * pb * (v01 + v10) + pb * pb * v1) - draw[0]);
        assert.ok(draw[1] >= 0 && draw[1] <= 1);
        assert.equal(draw[2], stepSize);
      });
    });
  }

  it('start from the given metric', () => {
    const inverse = [
      [1, 0.9],
      [0.9, 1],
    ];
    const run = (name: string, inv_metric: unknown) =>
      runForTest(algorithmNamed(name), correlatedTarget(0.9), { inv_metric, stepsize: 0.5, num_samples: 10 });
    for (const trajectory of ['nuts', 'static']) {
      const diagonal = run(`hmc_${trajectory}_diag_e`, [1, 4]).sink.adaptations[0];
      assert.deepEqual([...diagonal.inverseMetric], [1, 4]);
      assert.deepEqual(diagonal.text.slice(2), ['Diagonal elements of inverse mass matrix:', '1, 4']);
      const dense = run(`hmc_${trajectory}_dense_e`, inverse).sink.adaptations[0];
      assert.deepEqual([...dense.inverseMetric], inverse.flat());
      assert.deepEqual(dense.text.slice(2), ['Elements of inverse mass matrix:', '1, 0.9', '0.9, 1']);
    }
  });

  it('adapt from the given metric', () => {
    for (const [kind, adapt_metric, inv_metric] of [
      ['diag_e', 'variance', [2, 3]],
      ['diag_e', 'fisher', [2, 3]],
      ['low_rank', undefined, [[2, 3], [0, 4]]], // biome-ignore format: a table
    ] as const) {
      const given = { inv_metric, num_warmup: 0, num_samples: 1, ...(adapt_metric && { adapt_metric }) };
      const { sink } = runForTest(algorithmNamed(`hmc_nuts_${kind}_adapt`), correlatedTarget(0.9), given);
      const [adapted] = sink.adaptations;
      const expected = inv_metric.flat();
      assert.ok(
        [...adapted.inverseMetric].every((element, i) => Math.abs(element - expected[i]) < 1e-14),
        kind,
      );
    }
  });

  it('reject an invalid metric', () => {
    const refusals = [
      ['diag_e', [1], 'dims declared=(2); dims found=(1)'],
      ['diag_e', [1, 0], 'Inverse Euclidean metric not positive definite.'],
      ['dense_e', [[1, 2]], 'dims declared=(2,2); dims found=(1,2)'],
      ['dense_e', [[1, 2], [2, 1]], 'Inverse Euclidean metric not positive definite.'], // biome-ignore format: a table
      ['dense_e', [[1, 0.5], [0, 1]], 'Inverse Euclidean metric not positive definite.'], // biome-ignore format: a table
    ] as const;
    for (const [kind, inv_metric, words] of refusals) {
      const { outcome, sink } = runForTest(algorithmNamed(`hmc_nuts_${kind}`), normalTarget([1, 1]), { inv_metric });
      assert.deepEqual(outcome, { status: 'failed', message: 'Initialization failure' });
      assert.ok(
        sink.lines.some((line) => line.includes(words)),
        sink.lines.join('\n'),
      );
    }
  });

  // Stan 2.39 by httpstan 4.17, `x ~ normal(0, 1000)`, num_warmup = 0: 1024 from stepsize = 1, 2048 from 4, 2097.15 from 0.001.
  for (const algorithm of hmcAlgorithms.filter(({ name }) => name.endsWith('_adapt'))) {
    const learned = algorithm.arguments.some(({ name }) => name === 'adapt_metric') ? ['variance', 'fisher'] : [''];
    for (const adapt_metric of learned) {
      it(`of ${algorithm.name} with ${adapt_metric} use the step size of the first search if there is no warmup`, () => {
        for (const stepsize of [1, 4, 0.001]) {
          const given = { num_warmup: 0, num_samples: 3, stepsize, ...(adapt_metric !== '' && { adapt_metric }) };
          const { sink } = runForTest(algorithm, normalTarget([1000]), given);
          const [{ inverseMetric, stepSize }] = sink.adaptations;
          const doublings = Math.log2(stepSize / stepsize);
          near(doublings, Math.round(doublings));
          const scaled = (stepSize * Math.sqrt(inverseMetric[0])) / 1000;
          assert.ok(scaled > 0.25 && scaled <= 4, `${stepSize}`);
          assert.deepEqual(
            sink.draws.map((draw) => draw[2]),
            [stepSize, stepSize, stepSize],
          );
        }
      });
    }
  }

  it('keep the step size found after a last window that ends the warmup', () => {
    // Stan 2.39 with these windows on `x ~ normal(0, 1000)`: 0.70654; it was 1 up to 2.36.
    const given = { num_warmup: 100, init_buffer: 20, window: 80, term_buffer: 0, num_samples: 3, stepsize: 0.3 };
    for (const name of ['nuts_diag_e', 'nuts_dense_e', 'static_diag_e', 'static_dense_e']) {
      const { sink } = runForTest(algorithmNamed(`hmc_${name}_adapt`), normalTarget([1000, 1000]), given);
      const [{ stepSize }] = sink.adaptations;
      assert.notEqual(stepSize, 1);
      assert.ok(stepSize > 0.2 && stepSize < 4, `${stepSize}`);
    }
  });

  it('take as many steps as fit into the integration time if trajectories are static', () => {
    const target = normalTarget([1]);
    const given = { stepsize: 0.3, int_time: 1, num_warmup: 0, num_samples: 10 };
    const { sink } = runForTest(algorithmNamed('hmc_static_unit_e'), target, given);
    // One evaluation by value, one by gradient at the initial point, one at the start of the chain.
    assert.equal(target.evaluations, 3 + 10 * 3);
    assert.ok(sink.draws.every((draw) => draw[3] === 1));
  });
});

describe('hmc_nuts_diag_e_adapt', () => {
  it('samples a funnel and normals of very different scales', () => {
    const run = (make: () => TestTarget, given = {}) =>
      [1, 2, 3, 4].map((chain) => runForTest(nuts, make(), { ...given, chain, num_samples: 2000 }));
    matches(
      run(() => normalTarget([0.01, 1, 100])),
      columns,
      [0.01, 1, 100],
    );
    matches(run(funnelTarget, { delta: 0.99 }), columns, [1, Math.exp(0.25)]);
  });

  it('adapts step size and metric', () => {
    const { sink } = runForTest(nuts, normalTarget([0.01, 1, 100]));
    const [{ stepSize, inverseMetric }] = sink.adaptations;
    assert.ok(stepSize > 0.5 && stepSize < 1.2);
    [1e-4, 1, 1e4].forEach((variance, i) => {
      assert.ok(inverseMetric[i] > 0.6 * variance && inverseMetric[i] < 1.6 * variance);
    });
    const acceptance = mean(sink.draws.map((draw) => draw[1]));
    assert.ok(acceptance > 0.75 && acceptance < 0.97);
    assert.ok(sink.draws.every((draw) => draw[2] === stepSize));
  });

  it('can learn the metric from gradients', () => {
    const run = () =>
      [1, 2, 3, 4].map((chain) => runForTest(nuts, correlatedTarget(0.9), { chain, adapt_metric: 'fisher' }));
    const runs = run();
    matches(runs, columns, [1, 1]);
    // The marginal variance is 1 and the conditional variance 1 - 0.9²; the learned variance is between them.
    for (const { sink } of runs) {
      for (const value of sink.adaptations[0].inverseMetric) {
        assert.ok(Math.abs(value - Math.sqrt(1 - 0.81)) < 0.2, `${value}`);
      }
    }
  });

  it('produces the same draws for the same seed and chain, and different ones otherwise', () => {
    const draws = (random_seed: number, chain: number) =>
      runForTest(nuts, normalTarget([1, 2]), { random_seed, chain, num_warmup: 50, num_samples: 20 }).sink.draws;
    assert.deepEqual(draws(1, 1), draws(1, 1));
    assert.notDeepEqual(draws(1, 1), draws(1, 2));
    assert.notDeepEqual(draws(1, 1), draws(2, 1));
  });

  it("logs Stan's messages", () => {
    const { sink, outcome } = runForTest(nuts, normalTarget([1]), { num_warmup: 40, num_samples: 30, refresh: 25 });
    assert.equal(outcome.status, 'completed');
    assert.deepEqual(sink.lines, [
      'info:',
      'info:Gradient evaluation took 0 seconds',
      'info:1000 transitions using 10 leapfrog steps per transition would take 0 seconds.',
      'info:Adjust your expectations accordingly!',
      'info:',
      'info:',
      "info:WARNING: There aren't enough warmup iterations to fit the",
      'info:         three stages of adaptation as currently configured.',
      'info:         Reducing each adaptation stage to 15%/75%/10% of',
      'info:         the given number of warmup iterations:',
      'info:           init_buffer = 6',
      'info:           adapt_window = 30',
      'info:           term_buffer = 4',
      'info:',
      'info:Iteration:  1 / 70 [  1%]  (Warmup)',
      'info:Iteration: 25 / 70 [ 35%]  (Warmup)',
      'info:Iteration: 41 / 70 [ 58%]  (Sampling)',
      'info:Iteration: 65 / 70 [ 92%]  (Sampling)',
      'info:Iteration: 70 / 70 [100%]  (Sampling)',
      'info:',
      'info: Elapsed Time: 0 seconds (Warm-up)',
      'info:               0 seconds (Sampling)',
      'info:               0 seconds (Total)',
      'info:',
    ]);
    const [adaptation] = sink.adaptations;
    assert.equal(adaptation.text[0], 'Adaptation terminated');
    assert.match(adaptation.text[1], /^Step size = \d\.\d{3,6}$/);
    assert.deepEqual(adaptation.text.slice(2), ['Diagonal elements of inverse mass matrix:', '1']);
  });

  it('thins each phase from its first iteration, and saves warmup on request', () => {
    const saved = (given: Record<string, unknown>) =>
      runForTest(nuts, normalTarget([1]), { num_warmup: 10, num_samples: 10, ...given }).sink.draws.length;
    assert.equal(saved({}), 10);
    assert.equal(saved({ num_thin: 3 }), 4);
    assert.equal(saved({ num_thin: 3, save_warmup: true }), 8);
    assert.equal(saved({ num_samples: 0 }), 0);
  });

  it('has consistent quantities in draws and diagnostics', () => {
    const { sink } = runForTest(nuts, normalTarget([1, 2]), { num_samples: 50 });
    assert.deepEqual(nuts.diagnosticColumns(['a', 'b']).slice(columns), ['a', 'b', 'p_a', 'p_b', 'g_a', 'g_b']);
    const [{ inverseMetric }] = sink.adaptations;
    sink.draws.forEach((draw, i) => {
      const [lp, , , , , , energy] = draw;
      const diagnostic = sink.diagnostics[i];
      assert.deepEqual(diagnostic.subarray(0, columns + 2), draw);
      const [a, b, pa, pb, ga, gb] = diagnostic.subarray(columns);
      near(lp, -0.5 * (a * a + (b * b) / 4));
      near(energy, 0.5 * (pa * pa * inverseMetric[0] + pb * pb * inverseMetric[1]) - lp);
      near(ga, a);
      near(gb, b / 4);
    });
  });

  it('jitters the step size around the adapted one', () => {
    const { sink } = runForTest(nuts, normalTarget([1]), { stepsize_jitter: 0.5 });
    const [{ stepSize }] = sink.adaptations;
    const ratios = sink.draws.map((draw) => draw[2] / stepSize);
    assert.ok(Math.min(...ratios) > 0.5 && Math.min(...ratios) < 0.55);
    assert.ok(Math.max(...ratios) < 1.5 && Math.max(...ratios) > 1.45);
  });

  it('runs without parameters', () => {
    const { sink, outcome } = runForTest(nuts, normalTarget([]), {}, { initial: { ...noInitialValues, given: 'all' } });
    assert.equal(outcome.status, 'completed');
    assert.equal(sink.draws.length, 1000);
  });

  it('ends with a message when the posterior is improper', () => {
    const flat = new TestTarget(1, (_, gradient) => {
      gradient[0] = 0;
      return 0;
    });
    const { sink, outcome } = runForTest(nuts, flat);
    const message = 'Posterior is improper. Please check your model.';
    assert.deepEqual(outcome, { status: 'failed', message });
    assert.deepEqual(sink.lines.slice(-2), ['error:Exception initializing step size.', `error:${message}`]);
  });

  it('ends with a message if no initial point is found', () => {
    const { sink, outcome } = runForTest(nuts, new TestTarget(1, () => Number.NaN));
    assert.deepEqual(outcome, { status: 'failed', message: 'Initialization failed.' });
    assert.equal(sink.lines.at(-1), 'error:Initialization failed.');
  });

  it('can be interrupted at any time', () => {
    let questions = 0;
    const interrupt = () => {
      questions += 1;
      return questions === 500;
    };
    const { sink, outcome } = runForTest(nuts, normalTarget([1]), {}, { interrupt });
    assert.deepEqual(outcome, { status: 'interrupted' });
    assert.equal(sink.draws.length, 0);
  });
});

describe('fixed_param', () => {
  it('draws generated quantities at the initial point', () => {
    const target = normalTarget([1]);
    const { sink, outcome } = runForTest(fixedParam, target, { num_samples: 5, num_thin: 2, refresh: 5 });
    assert.deepEqual(outcome, { status: 'completed' });
    const [position] = sink.initializations;
    assert.deepEqual(sink.draws, Array(3).fill(Float64Array.of(0, 0, position[0])));
    assert.deepEqual(sink.lines.slice(0, 2), [
      'info:Iteration: 1 / 5 [ 20%]  (Sampling)',
      'info:Iteration: 5 / 5 [100%]  (Sampling)',
    ]);
    assert.equal(sink.diagnostics.length, 3);
  });

  it('logs a rejected draw and continues, but ends at an error', () => {
    const target = normalTarget([1]);
    const failing = (kind: 'rejection' | 'error') =>
      Object.assign(normalTarget([1]), {
        writeDraw: (_: Float64Array, draw: Float64Array, offset: number) => {
          draw.fill(Number.NaN, offset);
          return { kind, message: 'generated quantities failed' };
        },
      });
    assert.equal(target.drawLength, 1);
    const rejected = runForTest(fixedParam, failing('rejection'), { num_samples: 2, refresh: 0 });
    assert.deepEqual(rejected.outcome, { status: 'completed' });
    assert.deepEqual(rejected.sink.draws[1], Float64Array.of(0, 0, Number.NaN));
    assert.equal(rejected.sink.lines[0], 'info:generated quantities failed');
    const broken = runForTest(fixedParam, failing('error'), { num_samples: 2 });
    assert.deepEqual(broken.outcome, { status: 'failed', message: 'generated quantities failed' });
  });
});

describe('the registry', () => {
  it('finds algorithms by short and full names with both prefixes', () => {
    for (const algorithm of algorithms) {
      assert.equal(findAlgorithm(algorithm.name), algorithm);
      assert.match(algorithm.functionName, new RegExp(`^(stan|leapfrog)::services::(.*::)?${algorithm.name}$`));
      for (const name of functionNames(algorithm)) assert.equal(findAlgorithm(name), algorithm);
    }
    assert.equal(findAlgorithm('engine::services::optimize::lbfgs')?.name, 'lbfgs');
    assert.equal(findAlgorithm('stan::services::sample::magic'), undefined);
  });

  it("has CmdStan's defaults", () => {
    const reading = readArguments(nuts.arguments, {});
    assert.ok('settings' in reading);
    assert.deepEqual(reading.settings.entries(), {
      chain: 1,
      init_radius: 2,
      refresh: 100,
      num_samples: 1000,
      num_thin: 1,
      num_warmup: 1000,
      save_warmup: false,
      stepsize: 1,
      stepsize_jitter: 0,
      max_depth: 10,
      delta: 0.8,
      gamma: 0.05,
      kappa: 0.75,
      t0: 10,
      init_buffer: 75,
      term_buffer: 50,
      window: 25,
      adapt_metric: 'variance',
      reparameterize: 'none',
      integrate: 'none',
    });
  });

  it('lists all invalid arguments', () => {
    const given = {
      num_samples: 1.5,
      delta: 1,
      num_thin: 0,
      save_warmup: 1,
      stepsize: 0,
      stepsize_jitter: 2,
      magic: 3,
    };
    const reading = readArguments(nuts.arguments, given);
    assert.ok('problems' in reading);
    assert.deepEqual(Object.fromEntries(reading.problems.map(({ field, message }) => [field, message])), {
      num_samples: 'must be an integer',
      delta: 'must be less than 1',
      num_thin: 'must be at least 1',
      save_warmup: 'must be true or false',
      stepsize: 'must be greater than 0',
      stepsize_jitter: 'must be at most 1',
      magic: 'is not an argument of this function',
    });
  });
});

/** Asserts means of 0 and these standard deviations, within their Monte Carlo errors. */
function matches(runs: readonly { sink: RecordingSink }[], before: number, sds: readonly number[]): void {
  sds.forEach((sd, index) => {
    const chains = runs.map(({ sink }) => Float64Array.from(sink.draws, (draw) => draw[before + index]));
    const draws = chains.flatMap((chain) => [...chain]);
    assert.ok(rhat(chains) < 1.02, `R-hat of ${index}`);
    assert.ok(Math.abs(mean(draws)) < 4 * mcseMean(chains), `mean ${mean(draws)} of ${index}`);
    const spread = standardDeviation(draws);
    assert.ok(Math.abs(spread - sd) < 4.5 * mcseSd(chains), `sd ${spread} of ${index}`);
  });
}

function algorithmNamed(name: string): Algorithm {
  const algorithm = findAlgorithm(name);
  assert.ok(algorithm !== undefined, name);
  return algorithm;
}

function near(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) <= 1e-12 * Math.max(1, Math.abs(expected)), `${actual} is not ${expected}`);
}
