import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRng } from '../random/random-stream.js';
import type { InitialValues } from '../target.js';
import { plainTransition } from '../testing/plain-hmc.js';
import { RecordingSink } from '../testing/recording-sink.js';
import { chanceFrom, recursiveTransition } from '../testing/recursive-nuts.js';
import { runForTest } from '../testing/run.js';
import { RecordedRng, ScriptedRng } from '../testing/scripted-rng.js';
import { dot, SlowPhaseSpace } from '../testing/slow-phase-space.js';
import { boxTarget, correlatedTarget, funnelTarget, normalTarget, type TestTarget } from '../testing/targets.js';
import type { Algorithm } from './algorithm.js';
import { hmcAlgorithms } from './hmc/hmc.js';

interface Case {
  readonly name: string;
  readonly make: () => TestTarget;
  readonly given: Readonly<Record<string, unknown>>;
  readonly position?: readonly number[];
  /** Whether some trajectories diverge, or are rejected because they leave the support. */
  readonly ends?: boolean;
}

const cases: readonly Case[] = [
  { name: 'independent normals', make: () => normalTarget([1, 2, 0.5]), given: { stepsize: 0.3 } },
  { name: 'scales far apart', make: () => normalTarget([1, 20]), given: { stepsize: 0.4, stepsize_jitter: 0.7 } },
  { name: 'a correlated normal', make: () => correlatedTarget(0.95), given: { stepsize: 0.15 } },
  { name: 'a funnel', make: funnelTarget, given: { stepsize: 1.2, stepsize_jitter: 0.5 }, ends: true },
  { name: 'a box with rejections outside', make: boxTarget, given: { stepsize: 0.5, int_time: 2 }, ends: true },
  {
    name: 'short trajectories',
    make: () => normalTarget([1, 50]),
    given: { stepsize: 0.2, max_depth: 3, int_time: 1 },
  },
  { name: 'trajectories of one step', make: funnelTarget, given: { stepsize: 0.3, max_depth: 1, int_time: 0.1 } },
  { name: 'a start far from the mode', make: () => normalTarget([1e-3]), given: { stepsize: 1e-4, int_time: 0.01 }, position: [1] }, // biome-ignore format: a table
];

const DRAWS = 150;

for (const algorithm of hmcAlgorithms) {
  const adapts = algorithm.name.endsWith('_adapt');
  const takes = (name: string) => algorithm.arguments.some((row) => row.name === name);
  describe(algorithm.name, () => {
    for (const { name, make, given, position, ends = false } of cases) {
      // With an adapted step size, divergences and rejections are rare.
      if (adapts && (ends || position !== undefined)) continue;
      it(`produces the draws of its reference implementation from the same random numbers: ${name}`, () => {
        const { dimension } = make();
        const chosen = {
          ...Object.fromEntries(Object.entries(given).filter(([argument]) => takes(argument))),
          ...(takes('inv_metric') && !adapts && { inv_metric: metricFor(algorithm, dimension) }),
          num_warmup: adapts ? 150 : 0,
          save_warmup: true,
          num_samples: DRAWS,
        };
        const run = record(algorithm, make(), chosen, position);
        assert.equal(run.transitions.length, DRAWS);
        const failures = follow(algorithm, make(), chosen, run);
        if (!adapts && !algorithm.name.includes('static')) assert.equal(failures > 0, ends);
      });
    }
  });
}

/** A metric that is not adapted to any target of this file. */
function metricFor({ name }: Algorithm, dimension: number): unknown {
  const variances = Array.from({ length: dimension }, (_, i) => 1 + i);
  if (name.includes('diag')) return variances;
  if (name.includes('low_rank')) return dimension < 2 ? [variances] : [variances, directionOf(dimension)];
  return variances.map((variance, i) => variances.map((_, j) => (i === j ? variance : 0.3)));
}

/** A direction that is not an axis, with the eigenvalue 2. */
function directionOf(dimension: number): number[] {
  const direction = Array.from({ length: dimension }, (_, i) => 1 + i);
  const length = Math.sqrt(dot(direction, direction));
  return direction.map((element) => (2 * element) / length);
}

interface Recorded {
  readonly algorithm: Algorithm;
  readonly stepSize: number;
  /** The diagonal, the rows, or the diagonal and the directions of a low-rank metric. */
  readonly inverse: readonly number[] | readonly (readonly number[])[];
  /** The transitions after warmup: start, end, random numbers and evaluations. */
  readonly transitions: readonly {
    readonly from: readonly number[];
    readonly to: readonly number[];
    readonly columns: readonly number[];
    readonly taken: RecordedRng['taken'];
    readonly evaluations: number;
  }[];
}

/** Runs the algorithm and records the inputs of each transition after warmup. */
function record(
  algorithm: Algorithm,
  target: TestTarget,
  given: Readonly<Record<string, unknown>>,
  position?: readonly number[],
): Recorded {
  const rng = new RecordedRng(createRng(7, 1));
  const marks: { readonly numbers: number; readonly evaluations: number; readonly draws: number }[] = [];
  class MarkingSink extends RecordingSink {
    override adaptation(adaptation: Parameters<RecordingSink['adaptation']>[0]): void {
      super.adaptation(adaptation);
      this.mark();
    }

    override draw(values: Float64Array): void {
      super.draw(values);
      if (marks.length > 0) this.mark();
    }

    private mark(): void {
      marks.push({ numbers: rng.taken.length, evaluations: target.evaluations, draws: this.draws.length });
    }
  }
  const initial: InitialValues | undefined =
    position === undefined ? undefined : { given: 'all', apply: (place) => void place.set(position) };
  const sink = new MarkingSink();
  const { outcome } = runForTest(algorithm, target, given, { rng, sink, ...(initial && { initial }) });
  assert.deepEqual(outcome, { status: 'completed' });

  const [{ inverseMetric, stepSize }] = sink.adaptations;
  const { dimension } = target;
  const columns = algorithm.drawColumns.length;
  const inverse =
    inverseMetric.length === dimension
      ? [...inverseMetric]
      : Array.from({ length: inverseMetric.length / dimension }, (_, i) => [
          ...inverseMetric.subarray(i * dimension, (i + 1) * dimension),
        ]);
  const places = [sink.initializations[0], ...sink.draws.map((draw) => draw.subarray(columns))];
  const transitions = marks.slice(1).map(({ draws, evaluations, numbers }, i) => ({
    from: [...places[draws - 1]],
    to: [...places[draws]],
    columns: [...sink.draws[draws - 1].subarray(0, columns)],
    taken: rng.taken.slice(marks[i].numbers, numbers),
    evaluations: evaluations - marks[i].evaluations,
  }));
  return { algorithm, stepSize, inverse, transitions };
}

/** Repeats each transition with the slow twin and compares the results. Returns the number of divergent transitions. */
function follow(
  { drawColumns, name }: Algorithm,
  target: TestTarget,
  given: Readonly<Record<string, unknown>>,
  { inverse, stepSize, transitions }: Recorded,
): number {
  const space = name.includes('low_rank')
    ? lowRankSpace(
        target,
        inverse.map((row) => (typeof row === 'number' ? [row] : row)),
      )
    : new SlowPhaseSpace(target, inverse);
  const jitter = Number(given.stepsize_jitter ?? 0);
  const steps = Math.max(...transitions.map(({ evaluations }) => evaluations));
  if (name.startsWith('hmc_static') && !name.endsWith('_adapt')) {
    assert.equal(steps, Math.max(1, Math.trunc(Number(given.int_time ?? 2 * Math.PI) / stepSize)));
  }
  let failures = 0;
  for (const { columns, from, taken, to } of transitions) {
    const report = new Map(drawColumns.map((column, i) => [column, columns[i]]));
    const rng = new ScriptedRng(taken);
    const used = jitter === 0 ? stepSize : stepSize * (1 + jitter * (2 * rng.uniform() - 1));
    assert.equal(report.get('stepsize__'), used);
    const start = space.withMomentum(from, rng);
    if (name.startsWith('hmc_nuts')) {
      const twin = recursiveTransition(space, start, used, Number(given.max_depth ?? 10), chanceFrom(rng));
      assert.equal(report.get('n_leapfrog__'), twin.leapfrogSteps);
      assert.equal(report.get('treedepth__'), twin.treeDepth);
      assert.equal(report.get('divergent__'), twin.divergent ? 1 : 0);
      compare(report, to, twin);
      failures += twin.divergent ? 1 : 0;
    } else {
      compare(report, to, plainTransition(space, start, used, steps, rng));
    }
    assert.equal(rng.left, 0);
  }
  return failures;
}

/** Phase space with the metric whose diagonal and directions are given: S (I + Σ (λ - 1) u u') S as a matrix. */
function lowRankSpace(target: TestTarget, rows: readonly (readonly number[])[]): SlowPhaseSpace {
  const [variances, directions] = rows[0].length === target.dimension ? [rows[0], rows.slice(1)] : [rows.flat(), []];
  const scales = variances.map(Math.sqrt);
  const corrected = (f: (value: number) => number, i: number, j: number) =>
    directions.reduce(
      (sum, direction) => {
        const value = Math.sqrt(dot(direction, direction));
        return sum + ((f(value) - 1) * direction[i] * direction[j]) / value ** 2;
      },
      Number(i === j),
    );
  const inverse = scales.map((a, i) => scales.map((b, j) => a * b * corrected((value) => value, i, j)));
  const root = scales.map((a, i) => scales.map((_, j) => corrected((value) => 1 / Math.sqrt(value), i, j) / a));
  return new SlowPhaseSpace(target, inverse, root);
}

function compare(
  report: ReadonlyMap<string, number>,
  to: readonly number[],
  twin: ReturnType<typeof plainTransition>,
): void {
  close(report.get('accept_stat__'), twin.acceptStatistic);
  close(report.get('energy__'), twin.energy);
  close(report.get('lp__'), twin.point.logDensity);
  for (const [i, element] of twin.point.q.entries()) close(to[i], element);
}

function close(actual: number | undefined, expected: number): void {
  const isClose = actual !== undefined && Math.abs(actual - expected) <= 1e-8 * Math.max(1, Math.abs(expected));
  assert.ok(isClose, `${actual} is not ${expected}`);
}
