/**
 * A point of phase space with all that is known about it. Its vectors are views of the memory that all points of a space
 * share: loops over several points go through that one array by `offset`, with less to check and to keep in registers
 * (measured in ten dimensions: half the time of loops over separate arrays).
 */
export interface PhasePoint {
  /** Where the point's record starts in the shared memory: position, momentum, velocity, gradient and a momentum sum. */
  readonly offset: number;
  position: Float64Array;
  momentum: Float64Array;
  /** Gradient of the log density at `position`. */
  gradient: Float64Array;
  /** Minus the log density. */
  potential: number;
  /** Potential plus kinetic energy. */
  energy: number;
  /** How many places hold the point; managed by its space. */
  holders: number;
}

/** Vectors of a record, in this order. */
const VECTORS = 5;

/**
 * Lends phase points, so that a trajectory passes points on by reference and copies nothing. Memory grows only when
 * more are held than ever before; the latest returned is lent first, for it is still in the cache.
 */
export class PhaseSpace {
  readonly dimension: number;
  /** All records. Replaced when it grows; offsets stay. */
  memory: Float64Array;
  private readonly points: PhasePoint[] = [];
  private readonly free: PhasePoint[] = [];

  constructor(dimension: number) {
    this.dimension = dimension;
    this.memory = new Float64Array(0);
    this.grow(8);
  }

  /** A point held `holders` times, of unspecified content. */
  acquire(holders: number): PhasePoint {
    if (this.free.length === 0) this.grow(2 * this.points.length);
    const point = this.free.pop();
    if (point === undefined) throw new Error('the phase space did not grow');
    point.holders = holders;
    return point;
  }

  /** Gives up one hold. */
  release(point: PhasePoint): void {
    point.holders -= 1;
    if (point.holders === 0) this.free.push(point);
  }

  /** Copies what belongs to the position, and leaves momentum and energy alone. */
  copyPlace(from: PhasePoint, to: PhasePoint): void {
    to.position.set(from.position);
    to.gradient.set(from.gradient);
    to.potential = from.potential;
  }

  private grow(capacity: number): void {
    const memory = new Float64Array(new ArrayBuffer(capacity * VECTORS * this.dimension * 8));
    memory.set(this.memory);
    this.memory = memory;
    for (const point of this.points) Object.assign(point, this.views(point.offset));
    while (this.points.length < capacity) {
      const offset = this.points.length * VECTORS * this.dimension;
      const point = { offset, ...this.views(offset), potential: Number.NaN, energy: Number.NaN, holders: 0 };
      this.points.push(point);
      this.free.push(point);
    }
  }

  private views(offset: number): Pick<PhasePoint, 'position' | 'momentum' | 'gradient'> {
    const vector = (index: number) =>
      this.memory.subarray(offset + index * this.dimension, offset + (index + 1) * this.dimension);
    return { position: vector(0), momentum: vector(1), gradient: vector(3) };
  }
}
