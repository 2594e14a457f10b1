import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { enumerateChance, recursiveTransition } from '../testing/recursive-nuts.js';
import { runForTest } from '../testing/run.js';
import { ScriptedRng } from '../testing/scripted-rng.js';
import { SlowPhaseSpace, type SlowPoint } from '../testing/slow-phase-space.js';
import { correlatedTarget, funnelTarget, TestTarget } from '../testing/targets.js';
import type { Algorithm } from './algorithm.js';
import { hmcAlgorithms } from './hmc/hmc.js';

const metrics = [
  { kind: 'unit_e', inverse: [1, 1], given: {} },
  { kind: 'diag_e', inverse: [2, 0.5], given: { inv_metric: [2, 0.5] } },
  { kind: 'dense_e', inverse: [[2, -0.4], [-0.4, 0.5]], given: { inv_metric: [[2, -0.4], [-0.4, 0.5]] } }, // biome-ignore format: a table
];

function algorithmNamed(name: string): Algorithm {
  const found = hmcAlgorithms.find((algorithm) => algorithm.name === name);
  assert.ok(found !== undefined, name);
  return found;
}

describe('the reference implementation of NUTS', () => {
  const orbits = [
    { name: 'a funnel', target: funnelTarget(), q: [0.4, -0.3], p: [0.5, 1.1] },
    { name: 'a correlated normal', target: correlatedTarget(0.9), q: [0.2, 0.5], p: [-1, 0.3] },
  ];
  for (const { kind, inverse } of metrics) {
    for (const { name, target, q, p } of orbits) {
      it(`satisfies detailed balance on an orbit of ${name} with ${kind}: every outcome and its probability`, () => {
        const space = new SlowPhaseSpace(target, inverse);
        const depths = new Set<number>();
        for (const stepSize of [0.1, 0.25, 0.4]) {
          const orbit = orbitThrough(space, space.at(q, p), stepSize, 14);
          const starts = orbit.slice(7, -7);
          const flows = starts.map((start) => {
            const flow = orbit.map(() => 0);
            const run = (chance: Parameters<typeof recursiveTransition>[4]) =>
              recursiveTransition(space, start, stepSize, 3, chance);
            for (const { probability, result } of enumerateChance(run)) {
              flow[indexOf(orbit, result.point)] += probability;
              depths.add(result.treeDepth);
            }
            near(flow.reduce((sum, each) => sum + each, 0), 1); // biome-ignore format: short
            return flow.map((each) => each * Math.exp(space.energy(space.at(q, p)) - space.energy(start)));
          });
          for (const i of starts.keys()) for (const j of starts.keys()) near(flows[i][7 + j], flows[j][7 + i]);
        }
        assert.ok(depths.size > 1);
      });
    }
  }
});

describe('static trajectories', () => {
  for (const { kind, inverse, given } of metrics) {
    const target = funnelTarget();
    const space = new SlowPhaseSpace(target, inverse);
    /** The position and momentum after seven steps. */
    const flow = ([q1, q2, p1, p2]: readonly number[]): number[] => {
      const normals = space.normalsOf([p1, p2]).map((value) => ({ kind: 'normal' as const, value }));
      const rng = new ScriptedRng([...normals, { kind: 'uniform', value: 0 }]);
      const { sink } = runForTest(
        algorithmNamed(`hmc_static_${kind}`),
        target,
        { ...given, stepsize: 0.2, int_time: 1.401, num_warmup: 0, num_samples: 1, init_radius: 0 },
        { rng, initial: { given: 'all', apply: (position) => void position.set([q1, q2]) } },
      );
      return [...sink.diagnostics[0].subarray(5, 9)];
    };
    const start = [0.7, -0.4, 0.3, 1.2];

    it(`are reversible with ${kind}`, () => {
      const [q1, q2, p1, p2] = flow(start);
      assert.ok(Math.abs(q1 - start[0]) > 0.1);
      const [r1, r2, s1, s2] = flow([q1, q2, -p1, -p2]);
      for (const [i, value] of [r1, r2, -s1, -s2].entries()) near(value, start[i]);
    });

    it(`preserve volume in phase space with ${kind}`, () => {
      const step = 1e-4;
      const jacobian = start.map((_, k) => {
        const moved = (by: number) => flow(start.map((value, i) => (i === k ? value + by : value)));
        const [ahead, behind] = [moved(step), moved(-step)];
        return ahead.map((value, i) => (value - behind[i]) / (2 * step));
      });
      near(determinant(jacobian), 1, 1e-6);
    });
  }
});

/** A mixture of two normals of different widths: asymmetric, with quartiles that differ from those of a normal. */
function skewedTarget(): TestTarget {
  return new TestTarget(1, ([x], gradient) => {
    const left = 0.7 * Math.exp(-0.5 * x * x);
    const right = (0.3 / 2) * Math.exp(-0.125 * (x - 3) ** 2);
    gradient[0] = (-left * x - right * 0.25 * (x - 3)) / (left + right);
    return Math.log(left + right);
  });
}

describe('stationary chains', () => {
  for (const { name } of hmcAlgorithms.filter((algorithm) => !algorithm.name.endsWith('_adapt'))) {
    it(`of ${name} move between any two cells equally often in both directions`, () => {
      const cells = [-0.7, 0.1, 0.8, 2, 3.5];
      const given = { num_warmup: 100, num_samples: 60_000, stepsize: 0.9, max_depth: 2, int_time: 2, refresh: 0 };
      const taken = algorithmNamed(name).arguments.map((row) => row.name);
      const chosen = Object.fromEntries(Object.entries(given).filter(([argument]) => taken.includes(argument)));
      const { sink } = runForTest(algorithmNamed(name), skewedTarget(), chosen);
      const visited = sink.draws.map((draw) => {
        const x = draw[draw.length - 1];
        return cells.filter((limit) => x > limit).length;
      });
      const counts = Array.from({ length: 6 }, () => new Array<number>(6).fill(0));
      // Pairs that are three transitions apart are nearly independent.
      for (let i = 1; i < visited.length; i += 4) counts[visited[i - 1]][visited[i]] += 1;
      let statistic = 0;
      for (let i = 0; i < 6; i++) {
        for (let j = 0; j < i; j++) {
          const [there, back] = [counts[i][j], counts[j][i]];
          assert.ok(there + back > 20, `${i} ${j} ${there} ${back}`);
          statistic += (there - back) ** 2 / (there + back);
        }
      }
      // The 99.99 % quantile of the chi-square distribution with 15 degrees of freedom.
      assert.ok(statistic < 44.3, `${statistic}`);
    });
  }
});

/** The points up to `reach` steps backward and forward, in order of time. */
function orbitThrough(space: SlowPhaseSpace, point: SlowPoint, stepSize: number, reach: number): SlowPoint[] {
  const orbit = [point];
  for (let step = 0; step < reach; step++) {
    orbit.push(space.leapfrog(orbit[orbit.length - 1], stepSize));
    orbit.unshift(space.leapfrog(orbit[0], -stepSize));
  }
  return orbit;
}

function indexOf(orbit: readonly SlowPoint[], { p, q }: SlowPoint): number {
  const index = orbit.findIndex((point) =>
    [...point.q, ...point.p].every((value, i) => Math.abs(value - [...q, ...p][i]) < 1e-8),
  );
  assert.ok(index >= 0);
  return index;
}

/** The determinant by Gaussian elimination with pivoting. */
function determinant(matrix: readonly (readonly number[])[]): number {
  const rows = matrix.map((row) => [...row]);
  let product = 1;
  for (let k = 0; k < rows.length; k++) {
    const pivot = rows.reduce((best, row, i) => (i >= k && Math.abs(row[k]) > Math.abs(rows[best][k]) ? i : best), k);
    if (pivot !== k) {
      [rows[k], rows[pivot]] = [rows[pivot], rows[k]];
      product = -product;
    }
    product *= rows[k][k];
    for (const row of rows.slice(k + 1)) {
      const factor = row[k] / rows[k][k];
      for (let j = k; j < row.length; j++) row[j] -= factor * rows[k][j];
    }
  }
  return product;
}

function near(actual: number, expected: number, tolerance = 1e-10): void {
  assert.ok(Math.abs(actual - expected) <= tolerance * Math.max(1, Math.abs(expected)), `${actual} is not ${expected}`);
}
