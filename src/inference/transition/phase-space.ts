import { instantiatePhaseLoops, type PhaseLoops } from './phase-loops.js';

/** A point of phase space with all that is known about it. Its vectors are views of the memory that all points of a space share. */
export interface PhasePoint {
  /** Address of the point's record: position, momentum, velocity, gradient and a sum of momenta, `vectorSize` bytes each. */
  readonly address: number;
  position: Float64Array;
  momentum: Float64Array;
  velocity: Float64Array;
  /** Gradient of the log density at `position`. */
  gradient: Float64Array;
  /** Minus the log density. */
  potential: number;
  /** Potential plus kinetic energy. */
  energy: number;
  /** How many places hold the point; managed by its space. */
  holders: number;
}

/** Vectors of a record. */
const VECTORS = 5;
const PAGE = 65536;

/**
 * Memory for vectors of one dimension, with loops over them, and the points in it.
 *
 * Points are lent, so that a trajectory passes them on by reference and copies nothing. Memory grows only when
 * more are held than ever before; the latest returned is lent first, for it is still in the cache.
 */
export class PhaseSpace {
  readonly dimension: number;
  /** Bytes of a vector: rounded up to two elements, the last of which is then 0 in every vector. */
  readonly vectorSize: number;
  readonly loops: PhaseLoops;
  /** Address of the inverse metric: its diagonal, or all of its rows. */
  readonly inverseMetric = 0;
  private readonly metricSize: number;
  private readonly memory = new WebAssembly.Memory({ initial: 1 });
  private readonly points: PhasePoint[] = [];
  private readonly free: PhasePoint[] = [];

  constructor(dimension: number, metric: 'diagonal' | 'dense' = 'diagonal') {
    this.dimension = dimension;
    this.vectorSize = 16 * Math.ceil(dimension / 2);
    this.metricSize = this.vectorSize * (metric === 'dense' ? dimension : 1);
    this.loops = instantiatePhaseLoops(this.memory);
    this.grow(8);
  }

  /** The vector at an address. Growing invalidates it. */
  vector(address: number): Float64Array {
    return new Float64Array(this.memory.buffer, address, this.dimension);
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
    const recordSize = VECTORS * this.vectorSize;
    const bytes = this.metricSize + capacity * recordSize;
    const pages = Math.ceil(bytes / PAGE) - this.memory.buffer.byteLength / PAGE;
    if (pages > 0) {
      this.memory.grow(pages);
      for (const point of this.points) Object.assign(point, this.views(point.address));
    }
    while (this.points.length < capacity) {
      const address = this.metricSize + this.points.length * recordSize;
      const point = { address, ...this.views(address), potential: Number.NaN, energy: Number.NaN, holders: 0 };
      this.points.push(point);
      this.free.push(point);
    }
  }

  private views(address: number): Pick<PhasePoint, 'position' | 'momentum' | 'velocity' | 'gradient'> {
    const vector = (index: number) => this.vector(address + index * this.vectorSize);
    return { position: vector(0), momentum: vector(1), velocity: vector(2), gradient: vector(3) };
  }
}
