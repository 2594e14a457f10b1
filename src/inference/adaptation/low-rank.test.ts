import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { symmetricEigen } from '../linear/eigen.js';
import { createRng } from '../random/random-stream.js';
import { type LowRankForm, LowRankMetric } from '../transition/low-rank-metric.js';
import { PhaseSpace } from '../transition/phase-space.js';
import { LowRankAdaptation } from './low-rank-adaptation.js';
import { estimateLowRank, type GradientAt } from './low-rank-estimate.js';
import { MetricWorkspace } from './low-rank-kernel.js';

/**
 * Draws of a normal with mean 5 whose covariance is scales * (I + (value - 1) u u') * scales, with the gradients of its log density. The
 * gradients of a normal determine its covariance, so the estimate is exact for any draws that span the space.
 */
function normalPoints(count: number, scales: Float64Array, u: Float64Array, value: number): GradientAt[] {
  const rng = createRng(3, 1);
  const along = (vector: Float64Array) => vector.reduce((sum, element, i) => sum + element * u[i], 0);
  return Array.from({ length: count }, () => {
    const z = scales.map(() => rng.normal());
    const position = z.map((element, i) => 5 + scales[i] * (element + (Math.sqrt(value) - 1) * along(z) * u[i]));
    const gradient = z.map((element, i) => -(element + (1 / Math.sqrt(value) - 1) * along(z) * u[i]) / scales[i]);
    return { position, gradient };
  });
}

const ones = (size: number) => new Float64Array(size).fill(1);

/** The variance along a vector according to a metric of this form. */
function variance({ scales, directions }: ReturnType<typeof estimateLowRank>, vector: Float64Array): number {
  const scaled = vector.map((element, i) => element * scales[i]);
  const squares = scaled.reduce((sum, element) => sum + element * element, 0);
  return directions.reduce((sum, direction) => {
    const value = Math.sqrt(direction.reduce((total, element) => total + element * element, 0));
    const product = direction.reduce((total, element, i) => total + (element * scaled[i]) / value, 0);
    return sum + (value - 1) * product * product;
  }, squares);
}

describe('the estimate of a low-rank metric', () => {
  const u = Float64Array.of(0.6, 0, -0.48, 0.64, 0);

  it('is diagonal for independent coordinates', () => {
    const scales = Float64Array.of(1, 10, 0.1, 1e4, 1e-4);
    const form = estimateLowRank(normalPoints(20, scales, u, 1), ones(5), 5);
    assert.deepEqual(form.directions, []);
    form.scales.forEach((scale, i) => {
      close(scale, scales[i], 1e-10);
    });
  });

  for (const value of [50, 1e6, 0.02]) {
    it(`has the variance of a normal along every axis whose largest or smallest eigenvalue is ${value}`, () => {
      const scales = Float64Array.of(1, 10, 0.1, 3, 2);
      const form = estimateLowRank(normalPoints(40, scales, u, value), ones(5), 5);
      for (let axis = 0; axis < 5; axis++) {
        const exact = scales[axis] ** 2 * (1 + (value - 1) * u[axis] ** 2);
        const unit = new Float64Array(5);
        unit[axis] = 1;
        // Directions within the cutoff are omitted.
        assert.ok(variance(form, unit) / exact < 2.1 && exact / variance(form, unit) < 2.1);
      }
    });
  }

  it('finds a direction from fewer draws than coordinates', () => {
    const size = 300;
    const direction = new Float64Array(size).fill(1 / Math.sqrt(size));
    const form = estimateLowRank(normalPoints(20, ones(size), direction, 1e4), ones(size), 10);
    const found = variance(form, direction);
    assert.ok(found > 300 && found < 1e5, `${found}`);
  });

  it('has at most the requested number of directions, the most extreme ones', () => {
    const form = estimateLowRank(normalPoints(40, ones(5), u, 1e4), ones(5), 1);
    assert.equal(form.directions.length, 1);
    const along = form.directions[0].reduce((sum, element, i) => sum + element * u[i], 0);
    assert.ok(Math.abs(along) > 0.99 * Math.sqrt(form.directions[0].reduce((sum, element) => sum + element ** 2, 0)));
    assert.deepEqual(estimateLowRank(normalPoints(40, ones(5), u, 1e4), ones(5), 0).directions, []);
  });

  it('uses the fallback for scales that cannot be estimated', () => {
    const points = normalPoints(40, ones(5), u, 1).map(({ gradient, position }) => ({
      position: position.map((element, i) => (i === 1 ? 7 : element)),
      gradient: gradient.map((element, i) => (i === 4 ? Number.NaN : element)),
    }));
    const { directions, scales } = estimateLowRank(points, Float64Array.of(1, 20, 1, 1, 30), 5);
    assert.deepEqual([scales[1], scales[4], directions], [20, 30, []]);
  });
});

/** The positive definite solution A of A G A = X, A = G^-1/2 (G^1/2 X G^1/2)^1/2 G^-1/2, from eigendecompositions. */
function geometricMean(x: Float64Array, g: Float64Array, size: number): Float64Array {
  const power = (matrix: Float64Array, exponent: number): Float64Array => {
    const { values, vectors } = symmetricEigen(matrix, size);
    return matrix.map((_, at) =>
      vectors.reduce((sum, v, k) => sum + values[k] ** exponent * v[Math.floor(at / size)] * v[at % size], 0),
    );
  };
  const times = (a: Float64Array, b: Float64Array): Float64Array =>
    a.map((_, at) => {
      let sum = 0;
      for (let k = 0; k < size; k++) sum += a[at - (at % size) + k] * b[k * size + (at % size)];
      return sum;
    });
  const [root, inverse] = [power(g, 0.5), power(g, -0.5)];
  return times(times(inverse, power(times(times(root, x), root), 0.5)), inverse);
}

describe('the directions of a low-rank metric', () => {
  const size = 12;
  /** Draws and gradients with noise, so that no metric fits them exactly. */
  const noisyPoints = (count: number) => {
    const rng = createRng(4, 1);
    return Array.from({ length: count }, () => {
      const position = Float64Array.from({ length: size }, () => rng.normal());
      return { position, gradient: position.map((x, i) => -x - 0.5 * position[(i + 1) % size] + rng.normal()) };
    });
  };
  /** The deviations of scaled positions or gradients from their means, by coordinate. */
  const columnsOf = (points: readonly GradientAt[], part: keyof GradientAt, scales: Float64Array): number[][] =>
    Array.from(scales, (scale, i) => {
      const values = points.map((point) => point[part][i] * (part === 'position' ? 1 / scale : scale));
      const mean = values.reduce((sum, value) => sum + value, 0) / points.length;
      return values.map((value) => value - mean);
    });

  for (const count of [40, 20]) {
    it(`are eigenvectors of the geometric mean of the first of ${count} draws in 12 dimensions, 1e-3`, () => {
      const points = noisyPoints(count);
      const { directions, scales } = estimateLowRank(points, ones(size), size);
      const earlier = points.slice(0, 0.7 * count);
      const scatter = (part: keyof GradientAt): Float64Array => {
        const columns = columnsOf(earlier, part, scales);
        return Float64Array.from(
          columns.flatMap((a, i) =>
            columns.map((b, j) => a.reduce((sum, value, k) => sum + value * b[k], i === j ? 1e-5 : 0)),
          ),
        );
      };
      const mean = geometricMean(scatter('position'), scatter('gradient'), size);
      assert.ok(directions.length > 0);
      for (const direction of directions) {
        const length = Math.sqrt(direction.reduce((sum, element) => sum + element * element, 0));
        const image = direction.map((_, i) =>
          direction.reduce((sum, element, j) => sum + mean[i * size + j] * element, 0),
        );
        const value = image.reduce((sum, element, i) => sum + element * direction[i], 0) / length ** 2;
        image.forEach((element, i) => {
          assert.ok(Math.abs(element - value * direction[i]) < 1e-3 * value * length);
        });
      }
    });
  }

  it('have the variances of the later draws, at least 3/2 or at most 2/3', () => {
    const points = noisyPoints(40);
    const { directions, scales } = estimateLowRank(points, ones(size), size);
    const later = points.slice(28);
    for (const direction of directions) {
      const length = Math.sqrt(direction.reduce((sum, element) => sum + element * element, 0));
      const square = (part: keyof GradientAt) => {
        const columns = columnsOf(later, part, scales);
        return later
          .map((_, k) => columns.reduce((sum, column, i) => sum + (column[k] * direction[i]) / length, 0))
          .reduce((sum, along) => sum + along * along, 0);
      };
      close(length, Math.sqrt(square('position') / square('gradient')), 1e-8);
      assert.ok(Math.max(length, 1 / length) > 1.5);
    }
  });

  it('are omitted if noise suggests them, with as many draws as coordinates', () => {
    const rng = createRng(5, 1);
    const points = Array.from({ length: 60 }, () => {
      const position = Float64Array.from({ length: 60 }, () => rng.normal());
      return { position, gradient: position.map((x) => 0.5 * rng.normal() - x) };
    });
    assert.deepEqual(estimateLowRank(points, ones(60), 60).directions, []);
  });

  it('are not sought if the gradients fit the diagonal', () => {
    const workspace = new MetricWorkspace();
    workspace.geometricMean = () => assert.fail('a decomposition is computed');
    const points = normalPoints(20, ones(5), new Float64Array(5), 1);
    assert.deepEqual(estimateLowRank(points, ones(5), 5, workspace).directions, []);
  });
});

describe('the adaptation of a low-rank metric', () => {
  const size = 4;
  const u = new Float64Array(size).fill(0.5);
  const rowsOf = (elements: Float64Array) =>
    Array.from({ length: elements.length / size }, (_, row) => elements.slice(row * size, (row + 1) * size));
  const adapt = (numWarmup: number, points: readonly GradientAt[], learned?: LowRankForm) => {
    const metric = new LowRankMetric(new PhaseSpace(size, 'lowRank', undefined, size), size);
    if (learned !== undefined) metric.set(learned);
    const adaptation = new LowRankAdaptation({ metric, maxRank: size, numWarmup });
    if (learned === undefined) adaptation.begin(points[0]);
    const results = points.slice(0, numWarmup).map((point) => adaptation.update(point));
    const [variances, ...directions] = rowsOf(metric.inverse());
    return { results, form: { scales: variances.map(Math.sqrt), directions } };
  };

  it('learns the direction of a correlated normal', () => {
    const { form, results } = adapt(200, normalPoints(200, ones(size), u, 400));
    close(variance(form, u), 400, 1e-5);
    assert.ok(results.every((result) => result === 'unchanged'));
  });

  it('keeps a metric that an earlier fit has learned until there are enough draws', () => {
    const learned = { scales: Float64Array.of(3, 4, 5, 6), directions: [] };
    const points = normalPoints(300, ones(size), u, 400);
    for (const numWarmup of [50, 100]) assert.deepEqual(adapt(numWarmup, points, learned).form, learned);
    close(variance(adapt(300, points, learned).form, u), 400, 1e-5);
  });

  it('keeps what the first gradient gave while gradients change by orders of magnitude', () => {
    const points = normalPoints(60, ones(size), u, 400).map(({ gradient, position }, k) => ({
      position,
      gradient: gradient.map((element) => element * 10 ** (60 - k)),
    }));
    const first = { ...points[0], gradient: new Float64Array(size).fill(-4) };
    const { form } = adapt(100, [first, ...points.slice(1)]);
    assert.deepEqual(form, { scales: ones(size).map((one) => one / 2), directions: [] });
  });

  it('starts afresh from the gradient, with a new step size, after 20 transitions at one position', () => {
    const points = normalPoints(200, ones(size), u, 400);
    const still = { position: points[99].position, gradient: new Float64Array(size).fill(16) };
    const { form, results } = adapt(200, [...points.slice(0, 100), ...Array(70).fill(still)]);
    assert.equal(results.indexOf('updated'), 119);
    assert.deepEqual(form, { scales: ones(size).map((one) => one / 4), directions: [] });
  });

  it('leaves the identity where nothing can be learned', () => {
    const still = { position: new Float64Array(size), gradient: new Float64Array(size) };
    const { form } = adapt(50, Array(50).fill(still));
    assert.deepEqual(form, { scales: ones(size), directions: [] });
  });
});

function close(actual: number, expected: number, tolerance: number): void {
  assert.ok(Math.abs(actual - expected) <= tolerance * Math.abs(expected), `${actual} is not ${expected}`);
}
