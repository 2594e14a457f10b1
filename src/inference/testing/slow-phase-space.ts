import type { Rng } from '../random/rng.js';
import type { LogDensity } from '../target.js';

/** An immutable point of phase space and its values. */
export interface SlowPoint {
  readonly q: readonly number[];
  readonly p: readonly number[];
  readonly gradient: readonly number[];
  readonly logDensity: number;
}

/**
 * Phase space for the slow twins. Points are immutable, and the inverse metric is a dense matrix, given by its rows or, if it is diagonal,
 * by its diagonal.
 */
export class SlowPhaseSpace {
  private readonly density: LogDensity;
  private readonly inverse: readonly (readonly number[])[];
  private readonly root: readonly (readonly number[])[] | undefined;

  /** Momenta are drawn with the Cholesky factor of the inverse, or with `root`, a matrix R with R R' = M. */
  constructor(
    density: LogDensity,
    inverse: readonly number[] | readonly (readonly number[])[],
    root?: readonly (readonly number[])[],
  ) {
    this.density = density;
    this.root = root;
    this.inverse = inverse.map((row, i) =>
      typeof row === 'number' ? inverse.map((_, j) => (i === j ? row : 0)) : row,
    );
  }

  at(q: readonly number[], p: readonly number[]): SlowPoint {
    const gradient = new Float64Array(q.length);
    const logDensity = this.density.logDensityGradient(Float64Array.from(q), gradient);
    return { q, p, gradient: [...gradient], logDensity: Number.isNaN(logDensity) ? -Infinity : logDensity };
  }

  /** A point with a new momentum p ~ normal(0, M): solves factor' p = z, where factor * factor' is the inverse metric, or p = R z. */
  withMomentum(q: readonly number[], rng: Rng): SlowPoint {
    const z = q.map(() => rng.normal());
    if (this.root !== undefined)
      return this.at(
        q,
        this.root.map((row) => dot(row, z)),
      );
    const factor = lowerFactor(this.inverse);
    const p = z.slice();
    for (let i = q.length - 1; i >= 0; i--) {
      for (let k = i + 1; k < q.length; k++) p[i] -= factor[k][i] * p[k];
      p[i] /= factor[i][i];
    }
    return this.at(q, p);
  }

  /** The standard normals from which `withMomentum` would compute this momentum. */
  normalsOf(p: readonly number[]): number[] {
    const factor = lowerFactor(this.inverse);
    return p.map((_, i) =>
      dot(
        factor.map((row) => row[i] ?? 0),
        p,
      ),
    );
  }

  velocity(p: readonly number[]): number[] {
    return this.inverse.map((row) => dot(row, p));
  }

  energy({ p, logDensity }: SlowPoint): number {
    const energy = 0.5 * dot(p, this.velocity(p)) - logDensity;
    return Number.isNaN(energy) ? Infinity : energy;
  }

  leapfrog(from: SlowPoint, step: number): SlowPoint {
    const half = from.p.map((element, i) => element + 0.5 * step * from.gradient[i]);
    const speed = this.velocity(half);
    const moved = this.at(
      from.q.map((element, i) => element + step * speed[i]),
      half,
    );
    return { ...moved, p: half.map((element, i) => element + 0.5 * step * moved.gradient[i]) };
  }
}

export function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, element, i) => sum + element * b[i], 0);
}

/** The lower factor by bordering: each row is computed from those above it. */
function lowerFactor(matrix: readonly (readonly number[])[]): number[][] {
  const factor: number[][] = [];
  for (const [i, elements] of matrix.entries()) {
    const row: number[] = [];
    for (const above of factor) row.push((elements[row.length] - dot(row, above)) / above[row.length]);
    row.push(Math.sqrt(elements[i] - dot(row, row)));
    factor.push([...row]);
  }
  return factor;
}
