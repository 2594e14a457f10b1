import {
  CONTROL_BYTES,
  CONTROL_DEPTH,
  CONTROL_DEPTH_LIMIT,
  CONTROL_FREE,
  CONTROL_GRADIENT,
  CONTROL_HALF,
  CONTROL_HAS_RANDOM,
  CONTROL_POSITION,
  CONTROL_RANDOM,
  CONTROL_RANK,
  CONTROL_STEP,
  METRIC_DENSE,
  METRIC_DIAGONAL,
  METRIC_LOW_RANK,
  POINT_HOLDERS,
  POINT_VECTORS,
  VECTORS,
} from '../../kernels/phase-memory.js';
import type { Rng } from '../random/rng.js';
import type { ResidentDensity } from '../target.js';
import { instantiateKernel, type PhaseKernel } from './phase-kernel.js';
import { PhasePoint } from './phase-point.js';

const PAGE = 65536;
const FIRST_POINTS = 16;
/** Number of points in addition to those of a trajectory. */
const SPARE_POINTS = 10;

const METRIC_FORMS = { diagonal: METRIC_DIAGONAL, dense: METRIC_DENSE, lowRank: METRIC_LOW_RANK } as const;

interface Stage {
  readonly position: Float64Array;
  readonly gradient: Float64Array;
}

/**
 * Memory for points of one dimension, and the kernel that operates on them. If the density is compiled to WebAssembly, points are in its memory, so
 * that the kernel calls it without leaving WebAssembly.
 *
 * Points are reference-counted, so that trajectories share them instead of copying. Memory grows only if more points are in use than ever
 * before. The most recently released point is reused first, because it is still in the cache.
 */
export class PhaseSpace {
  readonly dimension: number;
  readonly kernel: PhaseKernel;
  readonly resident: ResidentDensity | undefined;
  /**
   * Host functions that the kernel calls. `evaluate` returns the log density at `stage.position` and writes the gradient to
   * `stage.gradient`. `uniform` returns a random number.
   */
  evaluate: () => number = unset;
  uniform: () => number = unset;
  /** Number of bytes of a vector. Its length is rounded up to an even number of elements; the padding element is 0. */
  private readonly vectorSize: number;
  private readonly memory: WebAssembly.Memory;
  private readonly control: number;
  private readonly inverseMetric: number;
  private readonly factors: number;
  private readonly maxRank: number;
  private readonly stageAddress: number;
  private readonly points = new Map<number, PhasePoint>();
  private capacity = 0;
  private allocated = 0;
  /** Views of memory. They are detached when the memory grows. */
  private stageViews: Stage = { position: new Float64Array(), gradient: new Float64Array() };
  private doubleView = new Float64Array();
  private integerView = new Int32Array();

  /** `maxRank` limits the vectors of a low-rank metric. */
  constructor(
    dimension: number,
    form: keyof typeof METRIC_FORMS = 'diagonal',
    resident?: ResidentDensity,
    maxRank = 0,
  ) {
    this.dimension = dimension;
    this.vectorSize = 16 * Math.ceil(dimension / 2);
    this.resident = resident;
    this.memory = resident?.memory ?? new WebAssembly.Memory({ initial: 1 });
    this.control = this.allocate(CONTROL_BYTES);
    this.maxRank = maxRank;
    this.inverseMetric = this.allocate(this.vectorSize * (form === 'dense' ? dimension : 1 + maxRank));
    this.factors = this.allocate(8 * maxRank);
    this.stageAddress = resident === undefined ? this.allocate(2 * this.vectorSize) : 0;
    this.kernel = instantiateKernel({
      memory: this.memory,
      control: this.control,
      metric: this.inverseMetric,
      metricForm: METRIC_FORMS[form],
      factors: this.factors,
      dimension,
      vectorSize: this.vectorSize,
      flags: resident?.flags ?? 0,
      density: resident?.evaluate ?? (() => this.evaluate()),
      uniform: () => this.uniform(),
    });
    this.grow(FIRST_POINTS);
  }

  /** The control block as doubles, indexed by `CONTROL_…` / 8. */
  get doubles(): Float64Array {
    if (this.doubleView.length === 0) this.doubleView = new Float64Array(this.memory.buffer, this.control, 16);
    return this.doubleView;
  }

  /** The control block as integers, indexed by `CONTROL_…` / 4. */
  get integers(): Int32Array {
    if (this.integerView.length === 0) {
      this.integerView = new Int32Array(this.memory.buffer, this.control, CONTROL_BYTES / 4);
    }
    return this.integerView;
  }

  /** The buffers from which a density outside of this memory reads the position and to which it writes the gradient. */
  get stage(): Stage {
    if (this.stageViews.position.length !== this.dimension) {
      const { stageAddress, vectorSize } = this;
      this.stageViews = { position: this.vector(stageAddress), gradient: this.vector(stageAddress + vectorSize) };
    }
    return this.stageViews;
  }

  /** Sets the number and the factors of the low-rank vectors in use. These vectors are the rows of the metric after its diagonal. */
  setRank(factors: Float64Array): void {
    if (factors.length > this.maxRank) throw new RangeError(`rank ${factors.length} exceeds ${this.maxRank}`);
    this.doublesAt(this.factors, factors.length).set(factors);
    this.integers[CONTROL_RANK / 4] = factors.length;
  }

  /** A row of the inverse metric; row 0 is its diagonal. */
  metricRow(row: number): Float64Array {
    return this.vector(this.inverseMetric + row * this.vectorSize);
  }

  /** A point with `holders` references and unspecified contents. */
  acquire(holders: number): PhasePoint {
    if (this.integers[CONTROL_FREE / 4] === 0) this.grow(this.capacity);
    return this.pointAt(this.kernel.acquire(holders));
  }

  /** Releases one reference. */
  release(point: PhasePoint): void {
    this.kernel.release(point.address);
  }

  /** `signed` is the address as returned by WebAssembly, which is negative above 2 GiB. */
  pointAt(signed: number): PhasePoint {
    const address = signed >>> 0;
    const known = this.points.get(address);
    if (known !== undefined) return known;
    const point = new PhasePoint(this, address);
    this.points.set(address, point);
    return point;
  }

  /** Copies position, gradient and potential, but not momentum and energy. */
  copyPlace(from: PhasePoint, to: PhasePoint): void {
    to.position.set(from.position);
    to.gradient.set(from.gradient);
    to.potential = from.potential;
  }

  /** Sets the step size of the next leapfrog steps. */
  setStep(stepSize: number): void {
    const { doubles } = this;
    doubles[CONTROL_STEP / 8] = stepSize;
    doubles[CONTROL_HALF / 8] = 0.5 * stepSize;
  }

  /**
   * Sets the depth limit of the trajectory according to the number of available points: at least its depth plus 1, and at most `maxDepth`.
   */
  allowDepth(maxDepth: number): void {
    if (this.deepest() <= this.integers[CONTROL_DEPTH / 4]) this.grow(this.capacity);
    this.integers[CONTROL_DEPTH_LIMIT / 4] = Math.min(maxDepth, this.deepest());
  }

  /** Makes the kernel generate its random numbers from a stream, until `returnRandom`. */
  takeRandom(rng: Rng): void {
    const { integers } = this;
    const { state } = rng;
    integers[CONTROL_HAS_RANDOM / 4] = state === undefined ? 0 : 1;
    if (state !== undefined) for (let k = 0; k < 4; k++) integers[CONTROL_RANDOM / 4 + k] = state[k];
  }

  returnRandom({ state }: Rng): void {
    const { integers } = this;
    if (state !== undefined) for (let k = 0; k < 4; k++) state[k] = integers[CONTROL_RANDOM / 4 + k];
  }

  /**
   * Passes the addresses of the density to the kernel. They change when memory is reserved, or when an evaluation outside the kernel needs
   * more memory.
   */
  bind(): void {
    const { dimension, integers, resident, stageAddress, vectorSize } = this;
    const position = resident?.position ?? stageAddress;
    const gradient = resident?.gradient ?? stageAddress + vectorSize;
    integers[CONTROL_POSITION / 4] = position;
    integers[CONTROL_GRADIENT / 4] = gradient;
    if (dimension % 2 === 0) return;
    for (const address of [position, gradient]) this.doublesAt(address, dimension + 1)[dimension] = 0;
  }

  /** A vector of a point: position, momentum, velocity or gradient. It is a view of memory, which is detached when the memory grows. */
  vectorOf(point: number, index: number): Float64Array {
    return this.vector(point + POINT_VECTORS + index * this.vectorSize);
  }

  doublesAt(address: number, count: number): Float64Array {
    return new Float64Array(this.memory.buffer, address, count);
  }

  private vector(address: number): Float64Array {
    return this.doublesAt(address, this.dimension);
  }

  /** Each subtree on the stack refers to three points. */
  private deepest(): number {
    return Math.floor((this.capacity - SPARE_POINTS) / 3);
  }

  private grow(count: number): void {
    const size = POINT_VECTORS + VECTORS * this.vectorSize;
    const first = this.allocate(count * size);
    this.capacity += count;
    this.bind();
    const { integers, memory } = this;
    const words = new Int32Array(memory.buffer);
    for (let point = first + (count - 1) * size; point >= first; point -= size) {
      words[(point + POINT_HOLDERS) / 4] = integers[CONTROL_FREE / 4];
      integers[CONTROL_FREE / 4] = point;
    }
  }

  /** The address of zeroed memory, a multiple of 16. */
  private allocate(bytes: number): number {
    const rounded = 16 * Math.ceil(bytes / 16);
    if (this.resident !== undefined) return this.resident.reserve(rounded);
    const address = this.allocated;
    this.allocated += rounded;
    const pages = Math.ceil(this.allocated / PAGE) - this.memory.buffer.byteLength / PAGE;
    if (pages > 0) this.memory.grow(pages);
    return address;
  }
}

function unset(): never {
  throw new Error('the phase space has no host');
}
