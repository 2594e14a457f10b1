/**
 * Shared memory through which the thread of a chain and its helpers evaluate the slices of a density together. A thread takes a free slice
 * by one atomic operation, so a thread that the system has paused takes fewer slices. Each slice has its own memory for results.
 *
 * Each thread prefers certain slices, whose data are then in the cache of its processor.
 */

/** One bit per taken slice, and in the higher bits the number of the evaluation, which wraps. -1 if the helpers must end. */
const TICKET = 0;
/** Slices whose results have been written. */
const DONE = 1;
/** Flags of the evaluation: `PROPTO`, `JACOBIAN`, `VALUE_ALONE`. */
const FORM = 2;
/** Number of started evaluations. */
const BEGUN = 3;
/** Number of times that places of coordinates have been set. */
const PLACED = 4;
const STATUS = 5;

const PROPTO = 1;
const JACOBIAN = 2;
const VALUE_ALONE = 4;

/** Maximum number of slices. */
export const MOST_SLICES = 16;
const LAST_NUMBER = 2 ** (31 - MOST_SLICES) - 1;

const FAILED = 0;
const SUCCEEDED = 1;

/**
 * Number of reads of a cell before a thread sleeps: about 20 microseconds, which is longer than the work of a sampler between two
 * gradients.
 */
const SPINS = 2000;

/** Sizes of a board. */
export interface BoardSizes {
  readonly dimension: number;
  /** At most `MOST_SLICES`. */
  readonly slices: number;
  /** Number of values of the places of coordinates. */
  readonly places: number;
  /** Threads, including that of the chain. */
  readonly threads: number;
}

export interface EvaluationForm {
  readonly propto: boolean;
  readonly jacobian: boolean;
  /** Whether the gradient is computed besides the value. */
  readonly hasGradient: boolean;
}

export class SliceBoard {
  readonly buffer: SharedArrayBuffer;
  readonly sizes: BoardSizes;
  /** The inputs of the current evaluation, for a thread that has taken one of its slices. */
  readonly position: Float64Array;
  readonly places: Float64Array;
  private readonly cells: Int32Array;
  private readonly values: Float64Array;
  private readonly gradients: readonly Float64Array[];
  private readonly first: number;

  /** `thread` is the number of the thread that uses this object, 0 for the thread of the chain. */
  constructor(sizes: BoardSizes, thread: number, buffer?: SharedArrayBuffer) {
    const { dimension, places, slices, threads } = sizes;
    const cells = 2 * Math.ceil((STATUS + slices) / 2);
    const numbers = dimension + places + slices + dimension * slices;
    this.sizes = sizes;
    this.buffer = buffer ?? new SharedArrayBuffer(4 * cells + 8 * numbers);
    this.cells = new Int32Array(this.buffer, 0, cells);
    this.first = Math.floor((thread * slices) / threads);
    let next = 4 * cells;
    const part = (length: number): Float64Array => {
      const made = new Float64Array(this.buffer, next, length);
      next += made.byteLength;
      return made;
    };
    this.position = part(dimension);
    this.places = part(places);
    this.values = part(slices);
    this.gradients = Array.from({ length: slices }, () => part(dimension));
    if (buffer === undefined) this.cells[TICKET] = this.full;
  }

  // The thread of the chain.

  /** Starts an evaluation, whose slices all threads can then take. All slices of the previous evaluation must be done. */
  begin(position: Float64Array, { hasGradient, jacobian, propto }: EvaluationForm): void {
    const { cells } = this;
    this.position.set(position);
    Atomics.store(cells, FORM, (propto ? PROPTO : 0) | (jacobian ? JACOBIAN : 0) | (hasGradient ? 0 : VALUE_ALONE));
    Atomics.store(cells, DONE, 0);
    const begun = Atomics.add(cells, BEGUN, 1) + 1;
    Atomics.store(cells, TICKET, (begun & LAST_NUMBER) << MOST_SLICES);
    Atomics.notify(cells, TICKET);
  }

  /** Waits for the results of all slices. Returns false if no result has arrived for `patience` milliseconds. */
  areDone(patience: number): boolean {
    const { cells, sizes } = this;
    for (;;) {
      let done = Atomics.load(cells, DONE);
      for (let spin = 0; spin < SPINS && done < sizes.slices; spin++) done = Atomics.load(cells, DONE);
      if (done >= sizes.slices) return true;
      if (Atomics.wait(cells, DONE, done, patience) === 'timed-out') return false;
    }
  }

  setPlaces(places: Float64Array): void {
    this.places.set(places);
    Atomics.add(this.cells, PLACED, 1);
  }

  hasSucceeded(slice: number): boolean {
    return Atomics.load(this.cells, STATUS + slice) === SUCCEEDED;
  }

  valueOf(slice: number): number {
    return this.values[slice];
  }

  gradientOf(slice: number): Float64Array {
    return this.gradients[slice];
  }

  /** Ends the helpers. */
  close(): void {
    Atomics.store(this.cells, TICKET, -1);
    Atomics.notify(this.cells, TICKET);
  }

  // Every thread.

  /** Takes a slice for the calling thread; -1 if none is free. The evaluation cannot end before the slice is done. */
  take(): number {
    const { cells, first, sizes } = this;
    for (;;) {
      const ticket = Atomics.load(cells, TICKET);
      if ((ticket & this.full) === this.full) return -1;
      let slice = first;
      while ((ticket & (1 << slice)) !== 0) slice = slice + 1 === sizes.slices ? 0 : slice + 1;
      if (Atomics.compareExchange(cells, TICKET, ticket, ticket | (1 << slice)) === ticket) return slice;
    }
  }

  /** Records the value of a slice, after its gradient has been written; undefined if its evaluation has failed. */
  finish(slice: number, value: number | undefined): void {
    const { cells, sizes } = this;
    this.values[slice] = value ?? Number.NaN;
    Atomics.store(cells, STATUS + slice, value === undefined ? FAILED : SUCCEEDED);
    if (Atomics.add(cells, DONE, 1) + 1 === sizes.slices) Atomics.notify(cells, DONE);
  }

  // A helper.

  /** Waits for a slice and takes it; undefined if the helper must end. */
  next(): number | undefined {
    const { cells } = this;
    for (;;) {
      let ticket = Atomics.load(cells, TICKET);
      for (let spin = 0; spin < SPINS && (ticket & this.full) === this.full && ticket >= 0; spin++) {
        ticket = Atomics.load(cells, TICKET);
      }
      if (ticket < 0) return undefined;
      const slice = this.take();
      if (slice >= 0) return slice;
      if ((ticket & this.full) === this.full) Atomics.wait(cells, TICKET, ticket);
    }
  }

  /** The number of the evaluation of which the thread has a slice, and its form. */
  get evaluation(): number {
    return Atomics.load(this.cells, BEGUN);
  }

  get form(): EvaluationForm {
    const form = Atomics.load(this.cells, FORM);
    return {
      propto: (form & PROPTO) !== 0,
      jacobian: (form & JACOBIAN) !== 0,
      hasGradient: (form & VALUE_ALONE) === 0,
    };
  }

  get placed(): number {
    return Atomics.load(this.cells, PLACED);
  }

  /** The bits of all slices. */
  private get full(): number {
    return (1 << this.sizes.slices) - 1;
  }
}
