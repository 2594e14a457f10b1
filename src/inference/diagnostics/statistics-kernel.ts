/** The statistics kernel and its memory. */
import { STATISTICS } from '../../kernels/statistics.generated.js';
import { normalQuantile } from './normal-quantile.js';

/** Functions of `src/kernels/statistics.ts`. Arrays are passed as addresses. */
interface StatisticsKernel {
  readonly survey: (values: number, chains: number, length: number, extremes: number) => number;
  readonly sort: (values: number, count: number, order: number, sorted: number, next: number, keys: number) => void;
  readonly pick: (from: number, count: number, order: number, to: number) => void;
  readonly fold: (
    sorted: number,
    places: number,
    count: number,
    median: number,
    distances: number,
    folded: number,
  ) => void;
  readonly score: (
    sorted: number,
    places: number,
    count: number,
    ranked: number,
    known: number,
    scores: number,
  ) => void;
  readonly center: (draws: number, chains: number, length: number, means: number, centered: number) => number;
  readonly variances: (centered: number, chains: number, length: number) => number;
  readonly autocovariances: (
    centered: number,
    chains: number,
    length: number,
    lag: number,
    covariances: number,
  ) => void;
  readonly markedAutocovariance: (
    marks: number,
    count: number,
    isMarked: number,
    means: number,
    chains: number,
    length: number,
    lag: number,
  ) => number;
}

/** Number of bytes at the start of the memory that the kernel itself uses. */
const SCRATCH_BYTES = 2048;
const PAGE_BYTES = 1 << 16;
/** Maximum size of a memory that is reused for arrays of other sizes. */
const MOST_KEPT_BYTES = 1 << 24;

/** Loops over draws run in WebAssembly, because most processes end before V8 would have optimized the same loops in JavaScript. */
let compiled: WebAssembly.Module | undefined;

/**
 * A memory with arrays, and an instance of the kernel that operates on them. Arrays are represented by their addresses; views are created
 * on demand.
 */
export class Workspace {
  readonly kernel: StatisticsKernel;
  private readonly memory = new WebAssembly.Memory({ initial: 1 });
  private end = SCRATCH_BYTES;

  constructor() {
    compiled ??= new WebAssembly.Module(Uint8Array.from(atob(STATISTICS), (byte) => byte.charCodeAt(0)));
    const { exports } = new WebAssembly.Instance(compiled, { env: { memory: this.memory }, host: { normalQuantile } });
    const find = (name: keyof StatisticsKernel) => {
      const found = exports[name];
      if (typeof found !== 'function') throw new Error(`the kernel has no function ${name}`);
      return found;
    };
    this.kernel = {
      survey: find('survey'),
      sort: find('sort'),
      pick: find('pick'),
      fold: find('fold'),
      score: find('score'),
      center: find('center'),
      variances: find('variances'),
      autocovariances: find('autocovariances'),
      markedAutocovariance: find('markedAutocovariance'),
    };
  }

  /** Allocates an array of zeros and returns its address. Invalidates all views. */
  allocate(bytes: number): number {
    const address = this.end;
    this.end = Math.ceil((address + bytes) / 8) * 8;
    const missing = this.end - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE_BYTES));
    this.bytes(address, bytes).fill(0);
    return address;
  }

  /**
   * A workspace without arrays. Reuses the memory unless it is large, because memories cannot shrink. Invalidates the arrays of this
   * workspace.
   */
  cleared(): Workspace {
    if (this.memory.buffer.byteLength > MOST_KEPT_BYTES) return new Workspace();
    this.end = SCRATCH_BYTES;
    return this;
  }

  doubles(address: number, count: number): Float64Array {
    return new Float64Array(this.memory.buffer, address, count);
  }

  words(address: number, count: number): Int32Array {
    return new Int32Array(this.memory.buffer, address, count);
  }

  bytes(address: number, count: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, address, count);
  }
}
