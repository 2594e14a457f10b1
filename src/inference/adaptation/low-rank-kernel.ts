/** The metric kernel and its memory. */
import { METRIC } from '../../kernels/metric.generated.js';

/** Functions of `src/kernels/metric.ts`. Arrays are passed as addresses. */
interface MetricKernel {
  readonly coordinates: (c: number, gram: number, b: number, rows: number, n: number) => void;
  readonly weights: (v: number, c: number, n: number) => void;
  readonly geometric_mean: (
    values: number,
    vectors: number,
    v: number,
    n: number,
    count: number,
    regularization: number,
    work: number,
  ) => number;
}

/** Number of bytes at the start of the memory that the kernel itself uses. */
const SCRATCH_BYTES = 36864;
const PAGE_BYTES = 1 << 16;

let compiled: WebAssembly.Module | undefined;

/** Eigenvalues and eigenvectors of a metric. */
export interface MetricSpectrum {
  readonly values: Float64Array;
  /** The eigenvector of the k-th value. */
  readonly vector: (k: number) => Float64Array;
}

/** Linear algebra with the draws and gradients of an estimate, which are the columns of a matrix. Estimates reuse the memory. */
export class MetricWorkspace {
  private readonly kernel: MetricKernel;
  private readonly memory = new WebAssembly.Memory({ initial: 1 });
  private dimension = 0;
  private draws = 0;
  private end = SCRATCH_BYTES;

  constructor() {
    this.kernel = instantiate(this.memory);
  }

  /** Starts an estimate and returns its columns, to which the caller writes the draws and then as many gradients. */
  begin(dimension: number, draws: number): Float64Array[] {
    this.dimension = dimension;
    this.draws = draws;
    this.end = SCRATCH_BYTES;
    const count = 2 * draws;
    const size = Math.min(dimension, count);
    const projection = count < dimension ? 2 * count * count : 0;
    const bytes = SCRATCH_BYTES + 8 * (dimension * count + projection + 4 * size * (size + 1));
    const missing = bytes - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE_BYTES));
    this.allocate(dimension * count);
    return this.columns();
  }

  /**
   * The spectrum of the geometric mean of the draws' scatter matrix and of the inverse of the gradients' one, to each of which
   * `regularization` is added along every axis. Undefined if it is not finite.
   */
  geometricMean(regularization: number): MetricSpectrum | undefined {
    const { dimension, draws, kernel } = this;
    const count = 2 * draws;
    const isProjected = count < dimension;
    const size = isProjected ? count : dimension;
    const factor = isProjected ? this.allocate(count * count) : SCRATCH_BYTES;
    if (isProjected) kernel.coordinates(factor, this.allocate(count * count), SCRATCH_BYTES, dimension, count);
    const [values, vectors, work] = [size, size * size, 3 * size * (size + 1)].map((length) => this.allocate(length));
    if (kernel.geometric_mean(values, vectors, factor, size, draws, regularization, work) !== 0) return undefined;
    const vector = (k: number): Float64Array => {
      const address = vectors + 8 * k * size;
      if (isProjected) kernel.weights(address, factor, size);
      const found = this.view(address, size);
      return isProjected ? this.combine(found) : found.slice();
    };
    return { values: this.view(values, size), vector };
  }

  /** The sum of the columns, each times its weight. */
  private combine(weights: Float64Array): Float64Array {
    const sum = new Float64Array(this.dimension);
    for (const [k, column] of this.columns().entries()) {
      for (let i = 0; i < sum.length; i++) sum[i] += weights[k] * column[i];
    }
    return sum;
  }

  private columns(): Float64Array[] {
    const { dimension, draws } = this;
    return Array.from({ length: 2 * draws }, (_, k) => this.view(SCRATCH_BYTES + 8 * k * dimension, dimension));
  }

  private allocate(length: number): number {
    const address = this.end;
    this.end += 8 * length;
    return address;
  }

  private view(address: number, length: number): Float64Array {
    return new Float64Array(this.memory.buffer, address, length);
  }
}

function instantiate(memory: WebAssembly.Memory): MetricKernel {
  compiled ??= new WebAssembly.Module(Uint8Array.from(atob(METRIC), (byte) => byte.charCodeAt(0)));
  const { exports } = new WebAssembly.Instance(compiled, { env: { memory } });
  const find = (name: keyof MetricKernel) => {
    const found = exports[name];
    if (typeof found !== 'function') throw new Error(`the kernel has no function ${name}`);
    return found;
  };
  return {
    coordinates: find('coordinates'),
    weights: find('weights'),
    geometric_mean: find('geometric_mean'),
  };
}
